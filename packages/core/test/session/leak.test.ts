import { getEventListeners } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { legacyServer, modernServer, reply } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import type { Sent } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

const warnings: Error[] = []
const note = (warning: Error) => warnings.push(warning)
beforeAll(() => void process.on('warning', note))
afterAll(() => void process.off('warning', note))

const calls = 1_000
const text = { content: [{ type: 'text', text: 'done' }] }
const event = (message: object) => `data: ${JSON.stringify(message)}\n\n`

/** Each way that a call ends, in turn. */
function answer(sent: Sent): Response | Promise<Response> {
  const result = { jsonrpc: '2.0', id: sent.body?.id, result: { resultType: 'complete', ...text } }
  const progress = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: sent.body?.id, progress: 1 },
  }
  switch (Number((sent.body!.params!.arguments as { number: number }).number) % 5) {
    case 0:
      return reply(sent, text)
    case 1:
      return new Response(byteSource([event(progress) + event(result)]).body, { headers: eventStreamType })
    case 2:
      return new Response(null, { status: 400 })
    case 3:
      return new Response(byteSource([': hi\n\n'], 'break').body, { headers: eventStreamType })
    default:
      return new Promise(() => {})
  }
}

test.each([
  ['modern', () => modernServer({ 'tools/call': answer }), {}],
  ['legacy', () => legacyServer({ 'tools/call': answer }), {}],
  ['sse', () => sseServer(sseReplies()).answer, { transport: 'sse' as const }],
])('%s: 1,000 calls leave no timer, no listener and no warning', async (_kind, server, config) => {
  const whole = new AbortController()
  const shared = new AbortController()
  const { opening, timers, sent } = open(server(), { config, hooks: { signal: whole.signal } })
  const connection = await opening
  connection.listen({ lists: true }, () => {})
  const pending = new Set<Promise<unknown>>()
  for (let number = 0; number < calls; number++) {
    const own = new AbortController()
    const arrived = sent.length
    const options = {
      // Most have a signal in common, as an app has it whose user may leave.
      signal: number % 5 === 4 ? own.signal : shared.signal,
      onProgress: () => {},
      idleTimeoutMs: 1_000,
    }
    const call = connection.request('tools/call', { name: 'x', arguments: { number } }, options).catch(() => {})
    pending.add(call)
    if (number % 5 === 4) {
      while (sent.length === arrived) await new Promise(setImmediate)
      own.abort()
    }
    await call
    pending.delete(call)
    expect(getEventListeners(own.signal, 'abort')).toEqual([])
  }
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(timers.pending()).toBe(0)
  expect(getEventListeners(shared.signal, 'abort')).toEqual([])
  expect(getEventListeners(whole.signal, 'abort').length).toBeLessThanOrEqual(1)
  await connection.close()
  expect(getEventListeners(whole.signal, 'abort')).toEqual([])
  expect(timers.pending()).toBe(0)
  expect(warnings.map(String)).toEqual([])
})
