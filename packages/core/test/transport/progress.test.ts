import { expect, test } from 'vitest'
import { createProgressGate } from '../../src/transport/progress.js'

const progress = (progressToken: unknown) => ({ method: 'notifications/progress', params: { progressToken } })
const call = (id: number, _meta: object = { progressToken: id }) => ({ id, method: 'tools/call', params: { _meta } })

test('progress passes while its request waits for it, whatever type the token came back as', () => {
  const gate = createProgressGate()
  expect(gate.passes(progress(0))).toBe(false)
  gate.begin(call(0))
  expect(gate.passes(progress(0))).toBe(true)
  expect(gate.passes(progress('0'))).toBe(true)
  gate.end(0)
  expect(gate.passes(progress(0))).toBe(false)
})

test('what no request can have asked for does not pass', () => {
  const gate = createProgressGate()
  gate.begin(call(0))
  gate.begin(call(1, {}))
  for (const token of [1, '', null, undefined, 'x', false]) expect(gate.passes(progress(token)), `${token}`).toBe(false)
  expect(gate.passes({ method: 'notifications/progress' })).toBe(false)
})

test('every other message passes', () => {
  const gate = createProgressGate()
  for (const message of [{ method: 'ping', id: 1 }, { id: 1, result: {} }, { method: 'notifications/message' }])
    expect(gate.passes(message)).toBe(true)
})
