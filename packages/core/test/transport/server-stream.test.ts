import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { UnauthorizedError } from '../../src/errors.js'
import type { Finding } from '../../src/protocol.js'
import type { JsonRpcMessage } from '../../src/transport/json-rpc.js'
import { createServerStream } from '../../src/transport/server-stream.js'
import { type ByteSource, byteSource, eventStreamType } from '../support/byte-source.js'
import { testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const change = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
const event = (message: object, id?: string) => `${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(message)}\n\n`
const streaming = (source: ByteSource) => new Response(source.body, { headers: eventStreamType })
const status = (code: number) => new Response(null, { status: code })

/** A stream whose GETs are answered by a function that is told how many there were before. */
function listening(onGet: (before: number, sent: Sent) => Response | Promise<Response>, more = {}) {
  let gets = 0
  const endpoint = testEndpoint((sent) => onGet(gets++, sent), more)
  const messages: JsonRpcMessage[] = []
  const findings: Finding[] = []
  const stream = createServerStream({
    endpoint,
    headers: () => ({ 'mcp-session-id': 's' }),
    onMessage: (message) => messages.push(message),
    report: (finding) => findings.push(finding),
  })
  stream.want(true)
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
  const pass = async (ms: number) => {
    await settle()
    endpoint.timers.advance(ms)
    await settle()
  }
  return { endpoint, stream, messages, findings, settle, pass, sent: endpoint.sent }
}

test('is asked for by GET, with the session, and brings what the server says', async () => {
  const source = byteSource([event(change)], 'stall')
  const { sent, messages, settle, stream, endpoint } = listening(() => streaming(source))
  await settle()
  expect(sent[0]).toMatchObject({ method: 'GET', body: undefined })
  expect(Object.fromEntries(sent[0]!.headers)).toEqual({ accept: 'text/event-stream', 'mcp-session-id': 's' })
  expect(messages).toEqual([change])
  expect(endpoint.events.map(({ phase, httpMethod }) => [phase, httpMethod])).toEqual([
    ['request', 'GET'],
    ['response', 'GET'],
    ['message', 'GET'],
  ])
  stream.want(false)
  await source.cancelled
})

test('brings no replies: one could end a request with a stranger’s result', async () => {
  const source = byteSource([event({ jsonrpc: '2.0', id: 1, result: {} }) + event(change)], 'stall')
  const { messages, settle, stream } = listening(() => streaming(source))
  await settle()
  expect(messages).toEqual([change])
  stream.want(false)
})

test('is asked for once, however often it is wanted', async () => {
  const { sent, settle, stream } = listening(() => streaming(byteSource([], 'stall')))
  stream.want(true)
  await settle()
  expect(sent).toHaveLength(1)
  stream.want(false)
  stream.want(false)
  stream.want(true)
  await settle()
  expect(sent).toHaveLength(2)
  stream.want(false)
})

test.each([400, 401, 403, 404, 405, 406, 501])('%d means none, for good', async (code) => {
  const { sent, pass, stream, endpoint } = listening(() => status(code))
  await pass(600_000)
  stream.want(false)
  stream.want(true)
  await pass(600_000)
  expect([sent.length, endpoint.timers.pending()]).toEqual([1, 0])
})

test('credentials that can’t be had mean none: a person may have been asked', async () => {
  const headers = () => Promise.reject(new UnauthorizedError('no token'))
  const { sent, pass, endpoint } = listening(() => status(200), { headers })
  await pass(600_000)
  expect([sent, endpoint.timers.asked]).toEqual([[], []])
})

test('401 is answered with other credentials, once', async () => {
  let token = 'a'
  const more = {
    headers: async () => ({ authorization: token }),
    async renew() {
      token = 'b'
      return true
    },
  }
  const answer = (_before: number, { headers }: Sent) => status(headers.get('authorization') === 'b' ? 405 : 401)
  const { sent, pass } = listening(answer, more)
  await pass(600_000)
  expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['a', 'b'])
})

test.each<[string, () => Response | Promise<Response>]>([
  ['409', () => status(409)],
  ['503', () => status(503)],
  ['a dead network', () => Promise.reject(connectionRefused())],
  ['an end at once', () => streaming(byteSource([]))],
  ['a cut at once', () => streaming(byteSource([], 'break'))],
])('%s is asked again ever more rarely, up to a limit', async (_what, onGet) => {
  const { endpoint, pass, stream } = listening(onGet)
  for (let step = 0; step < 10; step++) await pass(60_000)
  const waits = endpoint.timers.asked
  expect(waits.length).toBeGreaterThanOrEqual(8)
  waits.slice(0, 8).forEach((ms, index) => {
    const middle = Math.min(1_000 * 2 ** index, 30_000)
    expect(ms).toBeGreaterThanOrEqual(middle * 0.75)
    expect(ms).toBeLessThanOrEqual(middle * 1.25)
  })
  stream.want(false)
  expect(endpoint.timers.pending()).toBe(0)
})

test('a sign of life begins the waits anew, and `retry` is honoured', async () => {
  const { endpoint, pass, stream } = listening((before) =>
    streaming(byteSource(before < 3 ? [] : before === 3 ? [': alive\n\n'] : ['retry: 7000\n\n'])),
  )
  for (let step = 0; step < 6; step++) await pass(30_000)
  const waits = endpoint.timers.asked
  expect(waits[2]).toBeGreaterThan(2_500)
  expect(waits[3]).toBeLessThanOrEqual(1_250)
  expect(waits[4]).toBeGreaterThanOrEqual(7_000)
  stream.want(false)
})

test('is taken up at once on waking, and in its own time after that', async () => {
  let wakeUp = () => {}
  const wake = (listener: () => void) => {
    wakeUp = listener
    return () => {}
  }
  const { sent, settle, pass, stream } = listening(() => Promise.reject(connectionRefused()), { wake })
  await settle()
  expect(sent).toHaveLength(1)
  wakeUp()
  await settle()
  expect(sent).toHaveLength(2)
  await pass(1_000)
  expect(sent).toHaveLength(2)
  stream.want(false)
})

test('is taken up where it broke, by its id', async () => {
  const { sent, pass, stream } = listening((before) =>
    before === 0 ? streaming(byteSource([event(change, 'ä-1')], 'break')) : streaming(byteSource([], 'stall')),
  )
  await pass(2_000)
  // The header holds bytes: the id's UTF-8.
  const ids = sent.map(({ headers }) => headers.get('last-event-id'))
  expect(ids).toEqual([null, String.fromCharCode(0xc3, 0xa4, 0x2d, 0x31)])
  stream.want(false)
})

test('an event past the size limit ends it, and it is told: it would come again', async () => {
  const source = byteSource([`data: ${'x'.repeat(2_000)}`], 'stall')
  const { sent, findings, pass, endpoint } = listening(() => streaming(source), { maxResponseBytes: 1_000 })
  await pass(600_000)
  await source.cancelled
  expect(findings).toMatchObject([{ code: 'server-stream-ended' }])
  expect([sent.length, endpoint.timers.pending()]).toEqual([1, 0])
})

describe('is let go of at any moment', () => {
  test('before the response, while it streams, while it waits', async () => {
    for (const onGet of [
      () => new Promise<never>(() => {}),
      () => streaming(byteSource([': a\n'], 'stall')),
      () => status(409),
    ]) {
      const { sent, endpoint, stream, settle, pass } = listening(onGet)
      await settle()
      stream.want(false)
      await pass(600_000)
      expect([sent.length, endpoint.timers.pending()]).toEqual([1, 0])
      expect(sent[0]!.signal.aborted).toBe(true)
    }
  })

  test('each GET has a signal of its own, and no listener is left on one that is over', async () => {
    const { sent, pass, stream } = listening(() => streaming(byteSource([': a\n\n'])))
    for (let step = 0; step < 20; step++) await pass(2_000)
    expect(sent.length).toBeGreaterThanOrEqual(20)
    expect(new Set(sent.map(({ signal }) => signal)).size).toBe(sent.length)
    for (const { signal } of sent.slice(0, -1)) expect(signal.aborted).toBe(true)
    for (const { signal } of sent.slice(0, -1)) expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1)
    stream.want(false)
  })
})
