import { describe, expect, test } from 'vitest'
import { exchange } from '../../src/transport/exchange.js'
import type { JsonRpcMessage } from '../../src/transport/json-rpc.js'
import { type ByteSource, byteSource, eventStreamType, jsonType } from '../support/byte-source.js'
import { type TestEndpoint, testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused } from '../support/scripted-fetch.js'

failOnUnhandled()

const request: JsonRpcMessage = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const reply = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 7, result: { tools: [] } })}\n\n`
const progress = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress' })}\n\n`

/** Begins an exchange; `heard` resolves with the first message. */
function begin(endpoint: TestEndpoint) {
  const abort = new AbortController()
  let tell = (_message: JsonRpcMessage) => {}
  const heard = new Promise<JsonRpcMessage>((resolve) => {
    tell = resolve
  })
  const done = exchange(endpoint, {
    message: request,
    headers: {},
    abort,
    onMessage: (message) => tell(message),
  })
  return { abort, heard, done }
}

const streaming = (source: ByteSource, headers = eventStreamType) =>
  testEndpoint(() => new Response(source.body, { headers }))

describe('an abort', () => {
  const reason = { why: 'enough' }

  test('before the start sends nothing', async () => {
    const endpoint = testEndpoint(() => new Response())
    const abort = new AbortController()
    abort.abort(reason)
    const done = exchange(endpoint, {
      message: request,
      headers: {},
      abort,
      onMessage() {},
    })
    expect(await rejection(done)).toBe(reason)
    expect(endpoint.sent).toEqual([])
  })

  test('while the credentials are asked for sends nothing', async () => {
    const endpoint = testEndpoint(() => new Response(), { headers: () => new Promise(() => {}) })
    const { abort, done } = begin(endpoint)
    abort.abort(reason)
    expect(await rejection(done)).toBe(reason)
    expect(endpoint.sent).toEqual([])
  })

  test('before the response ends the request', async () => {
    let asked = () => {}
    const arrived = new Promise<void>((resolve) => {
      asked = resolve
    })
    const endpoint = testEndpoint(() => {
      asked()
      return new Promise(() => {})
    })
    const { abort, done } = begin(endpoint)
    await arrived
    abort.abort(reason)
    expect(await rejection(done)).toBe(reason)
    expect(endpoint.sent[0]?.signal.reason).toBe(reason)
  })

  test.each([
    ['an event stream', eventStreamType, progress],
    ['JSON', jsonType, '{"jsonrpc":'],
  ])('cancels %s that is not tied to the signal', async (_what, headers, chunk) => {
    const source = byteSource([chunk], 'stall')
    const { abort, done } = begin(streaming(source, headers))
    await untilRead(source)
    abort.abort(reason)
    expect(await rejection(done)).toBe(reason)
    await source.cancelled
  })

  test('cancels the body of an HTTP error that does not end', async () => {
    const source = byteSource(['{"error"'], 'stall')
    const { abort, done } = begin(testEndpoint(() => new Response(source.body, { status: 500 })))
    await untilRead(source)
    abort.abort(reason)
    expect(await rejection(done)).toBe(reason)
    await source.cancelled
  })

  test('rejects at once where fetch does not heed the signal, and lets go of the response that comes later', async () => {
    const source = byteSource(['{}'], 'stall')
    let answer = (_response: Response) => {}
    let asked = () => {}
    const arrived = new Promise<void>((resolve) => {
      asked = resolve
    })
    const endpoint = testEndpoint(() => new Response(), {
      fetch: () => {
        asked()
        return new Promise((resolve) => {
          answer = resolve
        })
      },
    })
    const { abort, done } = begin(endpoint)
    await arrived
    abort.abort(reason)
    expect(await rejection(done)).toBe(reason)
    answer(new Response(source.body))
    await source.cancelled
  })
})

describe('after the reply', () => {
  test('a stream that the server leaves open is cut after a second', async () => {
    const source = byteSource([reply], 'stall')
    const endpoint = streaming(source)
    const { heard, done } = begin(endpoint)
    await heard
    expect(endpoint.timers.asked).toEqual([1_000])
    endpoint.timers.advance(1_000)
    await done
    await source.cancelled
    expect(endpoint.timers.pending()).toBe(0)
  })

  test('a stream that breaks harms nobody', async () => {
    await begin(streaming(byteSource([reply], 'break'))).done
  })

  test('a stream past the size limit harms nobody', async () => {
    const endpoint = streaming(byteSource([reply, 'data: ', 'x'.repeat(100_000)], 'stall'))
    endpoint.maxResponseBytes = 1_000
    await begin(endpoint).done
  })

  test('an abort harms nobody', async () => {
    const source = byteSource([reply], 'stall')
    const { abort, heard, done } = begin(streaming(source))
    await heard
    abort.abort(new Error('too late'))
    await done
    await source.cancelled
  })

  test('notifications in the same chunk are still handed over', async () => {
    const messages: JsonRpcMessage[] = []
    const endpoint = streaming(byteSource([progress + reply + progress]))
    const abort = new AbortController()
    await exchange(endpoint, { message: request, headers: {}, abort, onMessage: (message) => messages.push(message) })
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      'notifications/progress',
      7,
      'notifications/progress',
    ])
  })
})

describe('a network that fails', () => {
  test('before the response, with Node’s reason in the message and the error as cause', async () => {
    const cause = connectionRefused()
    const error = await mcpRejection(begin(testEndpoint(() => Promise.reject(cause))).done)
    expect(error).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { reason: 'network' }, cause })
    expect(error.message).toContain('ECONNREFUSED')
  })

  test('while the reply streams', async () => {
    for (const headers of [eventStreamType, jsonType]) {
      const error = await mcpRejection(begin(streaming(byteSource([progress], 'break'), headers)).done)
      expect(error).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { reason: 'network' } })
    }
  })

  test('by a fetch that throws instead of rejecting', async () => {
    const endpoint = testEndpoint(() => new Response(), {
      fetch: () => {
        throw new TypeError('no network here')
      },
    })
    expect(await mcpRejection(begin(endpoint).done)).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  })
})

test('a body that nobody reads is cancelled', async () => {
  const refusals: ResponseInit[] = [
    { status: 401 },
    { status: 302, headers: { location: '/elsewhere' } },
    { status: 200, headers: { 'content-type': 'text/html' } },
    { status: 202 },
  ]
  for (const init of refusals) {
    const source = byteSource(['x'], 'stall')
    await mcpRejection(begin(testEndpoint(() => new Response(source.body, init))).done)
    await source.cancelled
  }
})

test('what fails when the response arrives ends the exchange and cancels the body', async () => {
  const source = byteSource(['x'], 'stall')
  const lost = new Error('lost')
  const endpoint = streaming(source)
  const onResponse = () => {
    throw lost
  }
  const abort = new AbortController()
  const error = await mcpRejection(
    exchange(endpoint, { message: request, headers: {}, abort, onResponse, onMessage() {} }),
  )
  expect(error.cause).toBe(lost)
  await source.cancelled
})

describe('wire events', () => {
  test('tell of an exchange from its beginning to its end, under one number', async () => {
    const endpoint = streaming(byteSource([progress + reply]))
    await begin(endpoint).done
    expect(
      endpoint.events.map(({ phase, method, status, contentType }) => ({ phase, method, status, contentType })),
    ).toEqual([
      { phase: 'request', method: 'tools/list' },
      { phase: 'response', status: 200, contentType: 'text/event-stream' },
      { phase: 'message' },
      { phase: 'message' },
      { phase: 'end' },
    ])
    expect(new Set(endpoint.events.map(({ exchange }) => exchange)).size).toBe(1)
    expect(endpoint.events.every(({ at, httpMethod }) => at === endpoint.now() && httpMethod === 'POST')).toBe(true)
  })

  test('end also when the exchange fails', async () => {
    const endpoint = testEndpoint(() => Promise.reject(new TypeError('gone')))
    await mcpRejection(begin(endpoint).done)
    expect(endpoint.events.map(({ phase }) => phase)).toEqual(['request', 'end'])
  })
})

/** Resolves when something was read of the body. */
async function untilRead(source: ByteSource): Promise<void> {
  while (source.pulled() === 0) await new Promise(setImmediate)
}
