import { expect, test } from 'vitest'
import { readRefusal } from '../../src/transport/refusal.js'
import { byteSource } from '../support/byte-source.js'
import { failOnUnhandled } from '../support/no-unhandled.js'

failOnUnhandled()

const open = new AbortController().signal
const now = Date.UTC(2026, 2, 1)
const error = { code: -32601, message: 'unknown' }

test('a JSON-RPC error is what the server says, whatever the status', async () => {
  for (const status of [400, 404, 405, 500])
    expect(await readRefusal(Response.json({ id: null, error }, { status }), now, open)).toMatchObject({
      reply: { id: null, error },
    })
})

test.each([
  [401, 'ERR_MCP_UNAUTHORIZED'],
  [429, 'ERR_MCP_HTTP'],
  [503, 'ERR_MCP_HTTP'],
])('%d counts by its status, and its body is left unread', async (status, code) => {
  const source = byteSource([JSON.stringify({ error })])
  const refusal = await readRefusal(new Response(source.body, { status }), now, open)
  expect(refusal).toMatchObject({ error: { code, data: { status } } })
  expect(source.pulled()).toBe(0)
})

test('a body that breaks, stalls or never ends leaves the status', async () => {
  function* flood() {
    for (;;) yield ' '.repeat(10_000)
  }
  const abort = new AbortController()
  const stalled = byteSource(['{"error"'], 'stall')
  const reading = readRefusal(new Response(stalled.body, { status: 400 }), now, abort.signal)
  while (stalled.pulled() === 0) await new Promise(setImmediate)
  abort.abort()
  const endless = byteSource(flood())
  const others = [byteSource(['{'], 'break'), endless].map(({ body }) =>
    readRefusal(new Response(body, { status: 400 }), now, open),
  )
  for (const refusal of await Promise.all([reading, ...others]))
    expect(refusal).toMatchObject({ error: { code: 'ERR_MCP_HTTP', data: { status: 400 } } })
  expect(endless.pulled()).toBeLessThan(100_000)
  await endless.cancelled
})
