import { describe, expect, test } from 'vitest'
import { UnauthorizedError } from '../../src/errors.js'
import { exchange } from '../../src/transport/exchange.js'
import type { JsonRpcMessage } from '../../src/transport/json-rpc.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { type TestEndpoint, testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const request: JsonRpcMessage = { jsonrpc: '2.0', id: 7, method: 'tools/call' }
const reply = { jsonrpc: '2.0', id: 7, result: {} }
const event = (message: object, id?: string) => `${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(message)}\n\n`
const streaming = (text: string, end: 'close' | 'break' | 'stall' = 'close') =>
  new Response(byteSource([text], end).body, { headers: eventStreamType })
const status = (code: number) => new Response(null, { status: code })
type OnGet = (before: number, sent: Sent) => Response | Promise<Response>

/** Begins an exchange whose POST is answered by a stream that ends, and its GETs by a function. */
function begin(
  post: Response,
  onGet: OnGet,
  { resumable = true, ...more }: Partial<TestEndpoint> & { resumable?: boolean } = {},
) {
  let gets = 0
  const endpoint = testEndpoint((sent) => (sent.method === 'POST' ? post : onGet(gets++, sent)), more)
  const abort = new AbortController()
  const messages: JsonRpcMessage[] = []
  const done = exchange(endpoint, {
    message: request,
    headers: {},
    abort,
    resumeHeaders: () => (resumable ? { 'mcp-session-id': 's' } : undefined),
    onMessage: (message) => messages.push(message),
  })
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
  /** Lets time pass until it is over. */
  const over = async () => {
    let isOver = false
    const ending = done
      .catch(() => {})
      .then(() => {
        isOver = true
      })
    for (let step = 0; step < 100 && !isOver; step++) {
      await settle()
      endpoint.timers.advance(1_000)
    }
    await ending
  }
  const gotten = () => endpoint.sent.filter(({ method }) => method === 'GET')
  return { endpoint, abort, messages, done, settle, over, gotten }
}

describe('a stream with ids that ends without its reply', () => {
  test.each(['close', 'break'] as const)(
    'by %s is taken up by its last id, and the reply delivered once',
    async (end) => {
      const progress = { jsonrpc: '2.0', method: 'notifications/progress' }
      const post = streaming(event(progress, '1') + event(progress, '2'), end)
      const { over, messages, gotten, done } = begin(post, () => streaming(event(reply, '3') + event(reply, '4')))
      await over()
      await done
      expect(messages).toEqual([progress, progress, reply])
      expect(Object.fromEntries(gotten()[0]!.headers)).toEqual({
        accept: 'text/event-stream',
        'last-event-id': '2',
        'mcp-session-id': 's',
      })
    },
  )

  test('is taken up after the time that it asks for, from a tenth of a second to a minute', async () => {
    for (const [retry, ms] of [
      ['3000', 3_000],
      ['1', 100],
      ['999999999', 60_000],
      ['soon', 1_000],
    ] as const) {
      const { endpoint, settle, abort, done } = begin(streaming(`id: 1\nretry: ${retry}\ndata:\n\n`), () => status(405))
      await settle()
      expect(endpoint.timers.asked).toEqual([ms])
      abort.abort()
      await rejection(done)
      expect(endpoint.timers.pending()).toBe(0)
    }
  })

  test('is taken up again and again while ids come', async () => {
    const onGet: OnGet = (before) => streaming(before < 20 ? `id: ${before}\ndata:\n\n` : event(reply))
    const { over, gotten, messages } = begin(streaming('id: a\ndata:\n\n'), onGet)
    await over()
    expect([gotten().length, messages]).toEqual([21, [reply]])
    // Each had a signal of its own, which is over.
    expect(new Set(gotten().map(({ signal }) => signal)).size).toBe(21)
    expect(gotten().every(({ signal }) => signal.aborted)).toBe(true)
  })

  test.each<[string, OnGet]>([
    ['nothing', () => streaming(': alive\n\n')],
    ['a dead network', () => Promise.reject(connectionRefused())],
    ['409', () => status(409)],
    ['503', () => status(503)],
  ])('is given up after three attempts in a row that bring %s', async (_what, onGet) => {
    const { over, gotten, done } = begin(streaming('id: 1\ndata:\n\n'), onGet)
    const failing = mcpRejection(done)
    await over()
    expect(gotten()).toHaveLength(3)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'no-reply' } })
  })

  test.each<[string, OnGet]>([
    ['405', () => status(405)],
    ['404, since the session is lost', () => status(404)],
    ['401', () => status(401)],
    ['a redirect', () => status(302)],
    ['no event stream', () => Response.json({})],
  ])('is lost at once where the GET is answered with %s: the error is the first one', async (_what, onGet) => {
    for (const [end, expected] of [
      ['close', { code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'no-reply' } }],
      ['break', { code: 'ERR_MCP_DISCONNECTED', data: { reason: 'network' } }],
    ] as const) {
      const { over, gotten, done } = begin(streaming('id: 1\ndata:\n\n', end), onGet)
      const failing = mcpRejection(done)
      await over()
      expect(gotten()).toHaveLength(1)
      const error = await failing
      expect(error).toMatchObject(expected)
      // What refused the GET says nothing of the call, which may have run.
      expect(error.data).not.toHaveProperty('outcome')
    }
  })

  test('is lost where there are no credentials any more: that says nothing of the call', async () => {
    const more = {
      headers: async () => ({}),
      renew: () => Promise.reject(new UnauthorizedError('The hook failed')),
    }
    const { over, done } = begin(streaming('id: 1\ndata:\n\n'), () => status(401), more)
    const failing = mcpRejection(done)
    await over()
    expect(await failing).toMatchObject({ data: { reason: 'no-reply' } })
  })

  test('is lost when an empty id takes the id back', async () => {
    const { over, gotten, done } = begin(streaming('id: 1\ndata:\n\n'), () => streaming('id\ndata:\n\n'))
    const failing = mcpRejection(done)
    await over()
    expect(await failing).toMatchObject({ data: { reason: 'no-reply' } })
    expect(gotten()).toHaveLength(1)
  })

  test('may go on past the size limit, and is cut there', async () => {
    const { over, gotten, done } = begin(
      streaming('id: 1\ndata:\n\n'),
      () => streaming(`id: 2\ndata: ${'x'.repeat(2_000)}`, 'stall'),
      { maxResponseBytes: 1_000 },
    )
    const failing = mcpRejection(done)
    await over()
    expect(await failing).toMatchObject({ code: 'ERR_MCP_TOO_LARGE', data: { method: 'tools/call' } })
    expect(gotten()).toHaveLength(1)
  })

  test('may go on with a reply that is none, which is the error', async () => {
    const { over, done } = begin(streaming('id: 1\ndata:\n\n'), () => streaming(event({ ...reply, result: 5 }, '2')))
    const failing = mcpRejection(done)
    await over()
    expect(await failing).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'shape' } })
  })

  test('is left alone where the revision knows no resuming', async () => {
    const { gotten, done } = begin(streaming('id: 1\ndata:\n\n'), () => streaming(event(reply)), { resumable: false })
    expect(await mcpRejection(done)).toMatchObject({ data: { reason: 'no-reply' } })
    expect(gotten()).toEqual([])
  })
})

test.each(['', ': hi\n\n', 'data:\n\n', 'id\ndata:\n\n'])('a stream without an id (%j) fails at once', async (text) => {
  const { gotten, done, endpoint } = begin(streaming(text), () => streaming(event(reply)))
  expect(await mcpRejection(done)).toMatchObject({ data: { reason: 'no-reply' } })
  expect([gotten(), endpoint.timers.asked]).toEqual([[], []])
})

test('a text that is no JSON is the error where nothing else comes, and its id counts all the same', async () => {
  const alone = begin(streaming('data: oops\n\n'), () => status(405))
  expect(await mcpRejection(alone.done)).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'json' } })
  const { over, messages } = begin(streaming('id: 1\ndata: oops\n\n'), () => streaming(event(reply)))
  await over()
  expect(messages).toEqual([reply])
})

test('an id alone counts, without any data', async () => {
  const { over, gotten, messages } = begin(streaming('id: 1\n\nid: 2\n\n'), () => streaming(event(reply)))
  await over()
  expect(gotten().map(({ headers }) => headers.get('last-event-id'))).toEqual(['2'])
  expect(messages).toEqual([reply])
})

test('after its reply no stream is taken up', async () => {
  const { gotten, done } = begin(streaming(event(reply, '1'), 'break'), () => streaming(event(reply)))
  await done
  expect(gotten()).toEqual([])
})

describe('an abort', () => {
  const reason = { why: 'enough' }
  test.each<[string, OnGet, number]>([
    ['while it waits', () => status(405), 0],
    ['before the response', () => new Promise(() => {}), 1],
    ['while it streams', () => streaming(': a\n', 'stall'), 1],
  ])('%s ends it with the reason, and leaves nothing', async (_when, onGet, gets) => {
    const { endpoint, abort, done, settle, gotten } = begin(streaming('id: 1\ndata:\n\n'), onGet)
    await settle()
    if (gets > 0) endpoint.timers.advance(1_000)
    await settle()
    expect(gotten()).toHaveLength(gets)
    abort.abort(reason)
    expect(await rejection(done)).toBe(reason)
    await settle()
    expect([gotten().length, endpoint.timers.pending()]).toEqual([gets, 0])
    expect(gotten().every(({ signal }) => signal.aborted)).toBe(true)
  })
})
