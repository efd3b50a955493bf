// A request that is refused until a person has been somewhere (-32042), in both eras.
import { describe, expect, test } from 'vitest'
import type { ElicitationRequest, ElicitationResult } from '../../../src/protocol.js'
import { heldHook, openWith } from '../../support/ask.js'
import { eventStream, settle } from '../../support/asking-server.js'
import { legacyServer, modernServer, reply, rpcError } from '../../support/mcp-server.js'
import { failOnUnhandled } from '../../support/no-unhandled.js'
import { url } from '../../support/open.js'
import { mcpRejection, rejection } from '../../support/rejection.js'
import type { Sent } from '../../support/scripted-fetch.js'

failOnUnhandled()

const wanted = (...ids: string[]) =>
  ids.map((elicitationId) => ({
    mode: 'url',
    elicitationId,
    url: `https://a.example/connect?id=${elicitationId}`,
    message: 'Allow it.',
  }))
const accept = async (): Promise<ElicitationResult> => ({ action: 'accept' })
const calls = (sent: Sent[]) => sent.filter(({ body }) => body?.method === 'tools/call')

/** A server that refuses a call so many times, and what it says by itself. */
function refusing(data: unknown, times = 1, era: 'legacy' | 'modern' = 'legacy') {
  const stream = eventStream()
  let refused = 0
  const onCall = (sent: Sent) =>
    refused++ < times
      ? rpcError(sent, -32042, 'Go there first', data)
      : reply(sent, { content: [{ type: 'text', text: 'done' }] })
  return {
    answer:
      era === 'legacy'
        ? legacyServer({
            GET: () => stream.response,
            'tools/call': onCall,
            'notifications/cancelled': () => new Response(null, { status: 202 }),
          })
        : modernServer({ 'tools/call': onCall }),
    complete: (elicitationId: unknown) =>
      stream.push({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } }),
  }
}

test('each URL is put to the hook, and when all are complete the call goes out once more', async () => {
  const server = refusing({ elicitations: wanted('e1', 'e2') })
  const asked: ElicitationRequest[] = []
  const { call, sent } = await openWith(server.answer, {
    async elicit(request) {
      asked.push(request)
      return { action: 'accept' }
    },
  })
  const result = call()
  await settle()
  expect(asked).toEqual(
    ['e1', 'e2'].map((elicitationId) => ({
      server: url,
      tool: 'ask',
      mode: 'url',
      message: 'Allow it.',
      url: `https://a.example/connect?id=${elicitationId}`,
      domain: 'a.example',
      elicitationId,
    })),
  )
  for (const id of ['e1', 'unknown', 'e1', 7, undefined]) server.complete(id)
  await settle()
  expect(calls(sent)).toHaveLength(1)
  server.complete('e2')
  expect(await result).toMatchObject({ content: [{ text: 'done' }] })
  const [first, second] = calls(sent).map(({ body }) => body)
  expect(second?.params).toEqual(first?.params)
  expect(second?.id).not.toBe(first?.id)
})

test('a completion that comes before the hook’s answer counts', async () => {
  const server = refusing({ elicitations: wanted('e1') })
  const held = heldHook<ElicitationRequest, ElicitationResult>()
  const { call } = await openWith(server.answer, { elicit: held.hook })
  const result = call()
  await held.called
  server.complete('e1')
  await settle()
  held.answer({ action: 'accept' })
  expect(await result).toMatchObject({ content: [{ text: 'done' }] })
})

describe.each(['legacy', 'modern'] as const)('%s: no completion comes', (era) => {
  test.each([
    [undefined, 60_000],
    [null, 60_000],
    // Half of what is left is for the call itself.
    [20_000, 10_000],
  ])('with a deadline of %s ms the call goes out again after %s ms', async (timeoutMs, waitMs) => {
    const { call, sent, timers } = await openWith(refusing({ elicitations: wanted('e1') }, 1, era).answer, {
      elicit: accept,
    })
    const result = call(timeoutMs === undefined ? {} : { timeoutMs })
    await settle()
    timers.advance(waitMs - 1)
    await settle()
    expect(calls(sent)).toHaveLength(1)
    timers.advance(1)
    expect(await result).toMatchObject({ content: [{ text: 'done' }] })
    expect(calls(sent)).toHaveLength(2)
  })

  test('the caller’s abort ends the wait', async () => {
    const { call, sent, timers } = await openWith(refusing({ elicitations: wanted('e1') }, 1, era).answer, {
      elicit: accept,
    })
    const abort = new AbortController()
    const result = rejection(call({ signal: abort.signal }))
    await settle()
    abort.abort('enough')
    expect(await result).toBe('enough')
    timers.advance(600_000)
    await settle()
    expect(calls(sent)).toHaveLength(1)
  })

  test('the second time it is the call’s error', async () => {
    const data = { elicitations: wanted('e1') }
    let hooks = 0
    const { call, sent, timers } = await openWith(refusing(data, 9, era).answer, {
      async elicit() {
        hooks++
        return { action: 'accept' }
      },
    })
    const result = mcpRejection(call())
    await settle()
    timers.advance(60_000)
    expect(await result).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32042, rpcData: data, tool: 'ask', outcome: 'not-run' },
    })
    expect(calls(sent)).toHaveLength(2)
    expect(hooks).toBe(1)
  })
})

test.each<[string, unknown, ElicitationResult['action'], number]>([
  ['the person declines', { elicitations: wanted('e1') }, 'decline', 1],
  ['the person cancels', { elicitations: wanted('e1') }, 'cancel', 1],
  ['a URL is not https', { elicitations: [{ ...wanted('e1')[0], url: 'http://a.example' }] }, 'accept', 0],
  ['one is no URL', { elicitations: [...wanted('e1'), { mode: 'form', elicitationId: 'e2' }] }, 'accept', 0],
  ['one has no id', { elicitations: [{ ...wanted('e1')[0], elicitationId: undefined }] }, 'accept', 0],
  ['there are none', { elicitations: [] }, 'accept', 0],
  ['there are too many', { elicitations: wanted(...Array.from({ length: 1_000 }, (_, at) => `e${at}`)) }, 'accept', 0],
  ['there is no list', { elicitations: 'e1' }, 'accept', 0],
  ['there is nothing', undefined, 'accept', 0],
])('%s: the server’s refusal is the call’s error, at once', async (_what, data, action, asked) => {
  let hooks = 0
  const { call, sent } = await openWith(refusing(data).answer, {
    async elicit() {
      hooks++
      return { action } as ElicitationResult
    },
  })
  expect(await mcpRejection(call())).toMatchObject({ data: { rpcCode: -32042, outcome: 'not-run' } })
  expect(hooks).toBe(asked)
  expect(calls(sent)).toHaveLength(1)
})

test('without a hook it is the call’s error', async () => {
  const { call, sent } = await openWith(refusing({ elicitations: wanted('e1') }).answer)
  expect(await mcpRejection(call())).toMatchObject({ data: { rpcCode: -32042, outcome: 'not-run' } })
  expect(calls(sent)).toHaveLength(1)
})
