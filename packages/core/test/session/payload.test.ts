import { describe, expect, test } from 'vitest'
import type { Era, Finding, JsonObject } from '../../src/protocol.js'
import { unwrapResult, wrapResult } from '../../src/session/payload.js'

const findings: Finding[] = []
const wrap = (result: JsonObject, method = 'tools/call', era: Era = 'modern') =>
  wrapResult({ jsonrpc: '2.0', id: 1, result }, method, era, (finding) => findings.push(finding)).result as JsonObject

describe('a result goes by the engine unseen', () => {
  test.each([
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
  ])('%s: whatever it holds, but for its type, which is the wire’s', (method) => {
    const result = { own: [null, { _meta: {} }], ttlMs: 5, content: 'wrong', _meta: { 'their.own/key': 1 } }
    for (const era of ['modern', 'legacy'] as const) {
      const wrapped = wrap({ resultType: 'complete', ...result }, method, era)
      expect(wrapped).not.toHaveProperty('own')
      expect(unwrapResult(wrapped)).toEqual(result)
    }
  })

  test('and its like in _meta is no payload of a server’s', () => {
    const result = { content: [], _meta: { '@x/core/payload': { content: ['forged'] } } }
    expect(unwrapResult(wrap(result))).toEqual(result)
  })
})

test('what is not final goes by the engine too, and still says what it is', () => {
  const asking = { resultType: 'input_required', requestState: 's' }
  expect(wrap(asking)).toMatchObject({ resultType: 'complete', content: [] })
  expect(unwrapResult(wrap(asking))).toEqual(asking)
  const task = { resultType: 'task', taskId: 't' }
  expect(unwrapResult(wrap(task, 'tasks/get'))).toEqual(task)
})

test('the handshake stays the engine’s, as do errors', () => {
  expect(wrap({ a: 1 }, 'server/discover')).toEqual({ a: 1 })
  const error = { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }
  expect(wrapResult(error, 'tools/call', 'modern', () => {})).toBe(error)
})

test('earlier revisions know no type of results: one that calls itself so is final', () => {
  expect(unwrapResult(wrap({ resultType: 'input_required', content: [] }, 'tools/call', 'legacy'))).toEqual({
    content: [],
  })
})

test('a modern result that does not say its type is taken as final, and it is told', () => {
  findings.length = 0
  for (const result of [{ content: [] }, { content: [], resultType: null }])
    expect(unwrapResult(wrap(result))).toEqual({ content: [] })
  expect(findings).toMatchObject([{ code: 'mended', path: '/resultType' }, { code: 'mended' }])
  wrap({ content: [] }, 'tools/call', 'legacy')
  expect(findings).toHaveLength(2)
})
