import { describe, expect, test } from 'vitest'
import { exchange } from '../../src/transport/exchange.js'
import type { JsonRpcMessage } from '../../src/transport/json-rpc.js'
import { eventStreamType, jsonType } from '../support/byte-source.js'
import { testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

const request: JsonRpcMessage = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo' } }
const result = { content: [{ type: 'text', text: 'hi' }] }
const reply = { jsonrpc: '2.0', id: 7, result }
const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 7, progress: 1 } }

/** What one exchange hands over when the server answers like this. */
async function delivered(response: Response, message = request): Promise<JsonRpcMessage[]> {
  const messages: JsonRpcMessage[] = []
  const endpoint = testEndpoint(() => response)
  await exchange(endpoint, {
    message,
    headers: {},
    abort: new AbortController(),
    onMessage: (received) => messages.push(received),
  })
  expect(endpoint.timers.pending(), 'timers left').toBe(0)
  return messages
}

const refused = (response: Response, message = request) => mcpRejection(delivered(response, message))
const json = (value: unknown, init: ResponseInit = {}) => Response.json(value, init)
const events = (...values: unknown[]) =>
  new Response(
    values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join(''),
    {
      headers: eventStreamType,
    },
  )

describe('the request', () => {
  test('is a POST of JSON that takes both kinds of reply', async () => {
    const endpoint = testEndpoint(() => json(reply))
    const headers = { 'mcp-method': 'tools/call' }
    await exchange(endpoint, { message: request, headers, abort: new AbortController(), onMessage() {} })
    const [sent] = endpoint.sent
    expect(sent).toMatchObject({ method: 'POST', url: endpoint.url, body: request })
    expect(Object.fromEntries(sent!.headers)).toEqual({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-method': 'tools/call',
    })
  })
})

describe('the reply', () => {
  test('comes as JSON', async () => {
    expect(await delivered(json(reply))).toEqual([reply])
  })

  test('comes as an event, after the notifications before it', async () => {
    expect(await delivered(events(progress, reply))).toEqual([progress, reply])
  })

  test('comes in a batch, as revision 2025-03-26 allows', async () => {
    expect(await delivered(json([progress, reply]))).toEqual([progress, reply])
    expect(await delivered(events([progress, reply]))).toEqual([progress, reply])
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=UTF-8'])(
    'comes as %s',
    async (type) => {
      expect(await delivered(new Response(JSON.stringify(reply), { headers: { 'content-type': type } }))).toEqual([
        reply,
      ])
    },
  )

  test('may begin with a byte order mark', async () => {
    expect(await delivered(new Response(`\ufeff${JSON.stringify(reply)}`, { headers: jsonType }))).toEqual([reply])
  })

  test.each([
    ['its id as a string', { ...reply, id: '7' }],
    ['null as its id', { ...reply, id: null }],
    ['no id', { jsonrpc: '2.0', result }],
  ])('with %s is this request’s: a POST carries only one', async (_what, sent) => {
    expect(await delivered(json(sent))).toEqual([reply])
    expect(await delivered(events(sent))).toEqual([reply])
  })

  test('with another request’s id is nobody’s', async () => {
    const error = await refused(json({ ...reply, id: 8 }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'no-reply' } })
    expect(await delivered(events({ ...reply, id: 8 }, { ...reply, id: '0x7' }, reply))).toEqual([reply])
  })

  test('counts once', async () => {
    expect(await delivered(json([reply, { ...reply, result: { content: [] } }]))).toEqual([reply])
  })

  // The engine's schemas are strict: it would pass over each of these, and the request would wait for its deadline.
  test.each([
    ['no "jsonrpc"', { id: 7, result }, reply],
    ['a null error beside its result', { ...reply, error: null }, reply],
    ['fields of the server’s own', { ...reply, took: 12 }, reply],
    ['_meta null', { ...reply, result: { ...result, _meta: null } }, reply],
    [
      'a null result beside its error',
      { jsonrpc: '2.0', id: 7, result: null, error: { code: -32602, message: 'no' } },
      { jsonrpc: '2.0', id: 7, error: { code: -32602, message: 'no' } },
    ],
    [
      'an error without message',
      { jsonrpc: '2.0', id: 7, error: { code: -1, data: { a: 1 } } },
      { jsonrpc: '2.0', id: 7, error: { code: -1, message: '', data: { a: 1 } } },
    ],
  ])('with %s is mended', async (_what, sent, mended) => {
    expect(await delivered(json(sent))).toEqual([mended])
  })

  test.each([
    ['a result that is null', { jsonrpc: '2.0', id: 7, result: null }],
    ['a result that is a list', { jsonrpc: '2.0', id: 7, result: [] }],
    ['a result that is text', { jsonrpc: '2.0', id: 7, result: 'done' }],
    ['an error that is text', { error: 'invalid_token' }, 'bare-error'],
    ['an error with a code that is text', { jsonrpc: '2.0', id: 7, error: { code: 'E', message: '' } }, 'bare-error'],
    ['a code that is no integer', { jsonrpc: '2.0', id: 7, error: { code: 1.5, message: 'no' } }, 'bare-error'],
  ])('with %s fails at once', async (_what, sent, reason = 'shape') => {
    for (const response of [json(sent), events(sent)])
      expect(await refused(response)).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason } })
  })
})

describe('a response without a reply fails at once', () => {
  test.each([
    ['202', new Response(null, { status: 202 })],
    ['202 that says it is JSON', new Response(null, { status: 202, headers: jsonType })],
    ['204', new Response(null, { status: 204 })],
    ['empty JSON', new Response('', { headers: jsonType })],
    ['an event stream without a body', new Response(null, { headers: eventStreamType })],
    ['an empty event stream', new Response('', { headers: eventStreamType })],
    ['an event stream with notifications only', events(progress)],
    ['an event that the end cuts off', new Response(`data: ${JSON.stringify(reply)}\n`, { headers: eventStreamType })],
    ['an event with an id only', new Response('id: 4\ndata:\n\n', { headers: eventStreamType })],
    ['a batch of notifications', json([progress])],
    [
      'an event of another type',
      new Response(`event: result\ndata: ${JSON.stringify(reply)}\n\n`, { headers: eventStreamType }),
    ],
  ])('%s', async (_what, response) => {
    expect(await refused(response)).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason: 'no-reply', status: response.status },
    })
  })

  test.each([
    ['an empty batch', []],
    ['JSON that is no JSON-RPC', { status: 'ok' }],
    ['a number', 42],
    ['null', null],
  ])('%s', async (_what, value) => {
    expect(await refused(json(value))).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'shape' } })
  })
})

describe('what can’t be read', () => {
  test('JSON that is broken off', async () => {
    const error = await refused(new Response('{"jsonrpc":"2.0","id":7,"res', { headers: jsonType }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'json' } })
    expect(error.cause).toBeInstanceOf(SyntaxError)
  })

  test('JSON that is not UTF-8', async () => {
    const bytes = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)
    const error = await refused(new Response(bytes, { headers: jsonType }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'encoding' } })
  })

  test('an event that is no JSON, when no reply follows', async () => {
    const error = await refused(events('{"jsonrpc":'))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'json' } })
  })

  test('but a server’s own keep-alive does not cost the reply', async () => {
    expect(await delivered(events('ping', reply))).toEqual([reply])
    const others = new Response(
      `event: ping\ndata: 1\n\n: x\n\nid: 4\ndata:\n\nretry: 5\n\ndata: ${JSON.stringify(reply)}\n\n`,
      {
        headers: eventStreamType,
      },
    )
    expect(await delivered(others)).toEqual([reply])
  })

  test.each([
    ['text/html; charset=utf-8', 'html'],
    ['text/plain', 'content-type'],
    ['application/octet-stream', 'content-type'],
  ])('a success of type %s', async (type, reason) => {
    const error = await refused(new Response('<!doctype html>', { headers: { 'content-type': type } }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason } })
  })

  test('a success without a type', async () => {
    const error = await refused(new Response(new Uint8Array([1])))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'content-type' } })
  })
})

describe('an HTTP error', () => {
  const rpcError = { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'unknown', data: { a: 1 } } }

  test.each([400, 404, 405, 422, 500, 502])('%d with a JSON-RPC error is that error', async (status) => {
    expect(await delivered(json(rpcError, { status }))).toEqual([{ ...rpcError, id: 7 }])
  })

  test('counts by its JSON, whatever type it is sent as', async () => {
    const response = new Response(JSON.stringify(rpcError), { status: 400, headers: { 'content-type': 'text/plain' } })
    expect(await delivered(response)).toEqual([{ ...rpcError, id: 7 }])
  })

  test.each([429, 503])('%d refuses for now, whatever its body says', async (status) => {
    expect(await refused(json(rpcError, { status, headers: { 'retry-after': '2' } }))).toMatchObject({
      code: 'ERR_MCP_HTTP',
      data: { status, retryAfterMs: 2_000 },
    })
  })

  test('401 wants credentials, whatever its body says', async () => {
    expect(await refused(json(rpcError, { status: 401 }))).toMatchObject({
      code: 'ERR_MCP_UNAUTHORIZED',
      data: { status: 401 },
    })
  })

  test.each([
    ['plain text', new Response('Bad Request', { status: 400 })],
    ['an OAuth error', json({ error: 'invalid_request', error_description: 'no' }, { status: 400 })],
    ['a JSON-RPC result', json(reply, { status: 400 })],
    ['nothing', new Response(null, { status: 400 })],
    ['bytes that are no text', new Response(Uint8Array.of(0xff), { status: 400 })],
    ['a body that is too long to look into', json({ ...rpcError, padding: 'x'.repeat(70_000) }, { status: 400 })],
  ])('with %s is itself', async (_what, response) => {
    expect(await refused(response)).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 400, reason: 'status' } })
  })
})

describe('a notification', () => {
  const notification: JsonRpcMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }

  test.each([200, 202, 204])('is done with %d', async (status) => {
    expect(await delivered(new Response(null, { status }), notification)).toEqual([])
  })

  test('is done whatever a success says', async () => {
    expect(await delivered(json(reply), notification)).toEqual([])
    expect(await delivered(new Response('<p>', { headers: { 'content-type': 'text/html' } }), notification)).toEqual([])
  })

  test.each([
    [401, 'ERR_MCP_UNAUTHORIZED'],
    [404, 'ERR_MCP_HTTP'],
    [500, 'ERR_MCP_HTTP'],
  ])('is refused with %d', async (status, code) => {
    expect(await refused(new Response(null, { status }), notification)).toMatchObject({ code, data: { status } })
  })
})
