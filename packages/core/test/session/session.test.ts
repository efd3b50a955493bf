import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ConnectionEvent, WireEvent } from '../../src/connection.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { arrival, legacyServer, methodsSent, modernServer, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()
afterEach(() => {
  vi.restoreAllMocks()
})

type Own = Parameters<typeof modernServer>[0]
const eras: [string, (own?: Own) => (sent: Sent) => Response | Promise<Response>][] = [
  ['modern', modernServer],
  ['legacy', legacyServer],
]
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const streaming = (...chunks: string[]) => new Response(byteSource(chunks).body, { headers: eventStreamType })
const progressTokenOf = (body: Sent['body']) => (body!.params!._meta as { progressToken?: number }).progressToken
const result = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] }

describe.each(eras)('a call of a %s server', (era, server) => {
  test('gives its result', async () => {
    const connection = await open(server()).opening
    expect(await connection.request('tools/call', { name: 'echo' })).toMatchObject({
      content: [{ type: 'text', text: 'echo' }],
      findings: [],
    })
  })

  test('gets the progress before its result, also out of one chunk', async () => {
    const call = ({ body }: Sent) => {
      const progressToken = progressTokenOf(body)
      const progress = [1, 2, 3].map((step) =>
        event({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: step, total: 3 },
        }),
      )
      return streaming(progress.join('') + event({ jsonrpc: '2.0', id: body?.id, result }))
    }
    const connection = await open(server({ 'tools/call': call })).opening
    const seen: unknown[] = []
    const calling = connection.request(
      'tools/call',
      { name: 'x' },
      { onProgress: ({ progress }) => seen.push(progress) },
    )
    await calling.then(() => seen.push('result'))
    expect(seen).toEqual([1, 2, 3, 'result'])
  })

  test('carries _meta of the configuration, and of the call over it', async () => {
    const parts = open(server(), { config: { meta: { 'example.com/a': 1, 'example.com/b': 1 } } })
    const connection = await parts.opening
    await connection.request('tools/call', { name: 'x' }, { meta: { 'example.com/b': 2 } })
    const { body } = await arrival(parts, 'tools/call')
    expect(body?.params?._meta).toMatchObject({ 'example.com/a': 1, 'example.com/b': 2 })
  })

  test('that is aborted rejects with the reason, closes its stream, and tells a legacy server', async () => {
    const source = byteSource([': open\n\n'], 'stall')
    const parts = open(server({ 'tools/call': () => new Response(source.body, { headers: eventStreamType }) }))
    const connection = await parts.opening
    const abort = new AbortController()
    const reason = new Error('s3cret')
    const calling = rejection(connection.request('tools/call', { name: 'x' }, { signal: abort.signal }))
    const { body } = await arrival(parts, 'tools/call')
    abort.abort(reason)
    expect(await calling).toBe(reason)
    await source.cancelled
    const told = parts.sent.filter((sent) => sent.body?.method === 'notifications/cancelled')
    expect(told.map((sent) => sent.body?.params?.requestId)).toEqual(era === 'legacy' ? [body?.id] : [])
    expect(JSON.stringify(told.map((sent) => sent.body))).not.toContain('s3cret')
  })

  test('that takes too long is a TimeoutError, and the next one works', async () => {
    let hangs = true
    const call = (sent: Sent) => (hangs ? new Promise<Response>(() => {}) : reply(sent, result))
    const parts = open(server({ 'tools/call': call }))
    const connection = await parts.opening
    const calling = mcpRejection(connection.request('tools/call', { name: 'x' }))
    await arrival(parts, 'tools/call')
    parts.timers.advance(300_000)
    expect(await calling).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 300_000, outcome: 'unknown' } })
    hangs = false
    expect(await connection.request('tools/call', { name: 'x' })).toMatchObject({ content: [{ text: 'done' }] })
  })

  // The engine would pass over such a reply, and the call wait for its deadline.
  test.each([
    ['a null beside it', { jsonrpc: '2.0', result, error: null }],
    ['_meta null', { jsonrpc: '2.0', result: { ...result, _meta: null } }],
    ['no jsonrpc', { result }],
    ['its id as a string', { jsonrpc: '2.0', result, id: 'string' }],
    ['null as its id', { jsonrpc: '2.0', result, id: null }],
    ['fields of its own', { jsonrpc: '2.0', result, took: 5 }],
  ])('whose reply has %s gets it', async (_what, value) => {
    const call = ({ body }: Sent) => {
      const id = 'id' in value && value.id === 'string' ? String(body?.id) : body?.id
      return Response.json({ id, ...value, ...('id' in value && value.id === 'string' && { id }) })
    }
    const connection = await open(server({ 'tools/call': call })).opening
    expect(await connection.request('tools/call', { name: 'x' })).toMatchObject({ content: [{ text: 'done' }] })
  })

  test.each<[string, (sent: Sent) => Response, string, { reason?: string; [key: string]: unknown }]>([
    [
      'a result that is null',
      ({ body }) => Response.json({ jsonrpc: '2.0', id: body?.id, result: null }),
      'ERR_MCP_INVALID_RESPONSE',
      { reason: 'shape' },
    ],
    [
      'a bare error',
      () => Response.json({ error: 'session expired' }),
      'ERR_MCP_INVALID_RESPONSE',
      { reason: 'bare-error' },
    ],
    ['a stream without a reply', () => streaming(': nothing\n\n'), 'ERR_MCP_OUTCOME_UNKNOWN', { reason: 'no-reply' }],
    ['202', () => new Response(null, { status: 202 }), 'ERR_MCP_OUTCOME_UNKNOWN', { reason: 'no-reply' }],
    [
      'a broken stream',
      () => new Response(byteSource([': a\n'], 'break').body, { headers: eventStreamType }),
      'ERR_MCP_OUTCOME_UNKNOWN',
      { reason: 'network' },
    ],
    ['401', () => new Response(null, { status: 401 }), 'ERR_MCP_UNAUTHORIZED', { outcome: 'not-run' }],
    ['500', () => new Response(null, { status: 500 }), 'ERR_MCP_HTTP', { status: 500 }],
    [
      'a JSON-RPC error in a 400',
      (sent) => rpcError(sent, -32600, 'no', undefined, { status: 400 }),
      'ERR_MCP_JSONRPC',
      { rpcCode: -32600, outcome: 'not-run' },
    ],
  ])('that is answered with %s fails at once, and the next one works', async (_what, answer, code, data) => {
    let broken = true
    const connection = await open(server({ 'tools/call': (sent) => (broken ? answer(sent) : reply(sent, result)) }))
      .opening
    const error = await mcpRejection(connection.request('tools/call', { name: 'pay' }))
    expect(error).toMatchObject({
      code,
      data: { outcome: 'unknown', ...data, server: 'https://server.example/mcp', method: 'tools/call', tool: 'pay' },
    })
    // A legacy server may say so that it has lost the session: the next request begins another.
    const isSuspect = code === 'ERR_MCP_INVALID_RESPONSE' && data.reason === 'bare-error' && server === legacyServer
    expect(connection.state.status).toBe(isSuspect ? 'recovering' : 'ready')
    broken = false
    expect(await connection.request('tools/call', { name: 'pay' })).toMatchObject({ content: [{ text: 'done' }] })
  })

  test('gets its own reply, never the one that another’s response carries', async () => {
    let first: Sent | undefined
    let answerFirst = (_response: Response) => {}
    const call = (sent: Sent) => {
      if (first) {
        const { body } = first
        return Response.json([
          { jsonrpc: '2.0', id: body?.id, result: { ...result, content: [{ type: 'text', text: 'stray' }] } },
          { jsonrpc: '2.0', id: sent.body?.id, result },
        ])
      }
      first = sent
      return new Promise<Response>((resolve) => {
        answerFirst = resolve
      })
    }
    const parts = open(server({ 'tools/call': call }))
    const connection = await parts.opening
    const one = connection.request('tools/call', { name: 'one' })
    await arrival(parts, 'tools/call')
    expect(await connection.request('tools/call', { name: 'two' })).toMatchObject({ content: [{ text: 'done' }] })
    answerFirst(reply(first!, { content: [{ type: 'text', text: 'own' }] }))
    expect(await one).toMatchObject({ content: [{ text: 'own' }] })
  })

  test('with arguments that JSON can’t hold is refused, and nothing is sent', async () => {
    const parts = open(server())
    const connection = await parts.opening
    const before = parts.sent.length
    const error = await mcpRejection(connection.request('tools/call', { name: 'x', arguments: { big: 1n as never } }))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'params', tool: 'x', outcome: 'not-run' } })
    expect(parts.sent).toHaveLength(before)
  })

  test('leaves no timer and no listener, a hundred of them at once on one signal', async () => {
    const { signal } = new AbortController()
    const parts = open(server())
    const connection = await parts.opening
    const calls = Array.from({ length: 100 }, () => connection.request('tools/call', { name: 'x' }, { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await Promise.all(calls)
    await new Promise(setImmediate)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(parts.timers.pending()).toBe(0)
  })
})

test('a 404 of a legacy session that is not to be replaced says so, and that no tool ran', async () => {
  const gone = () => new Response('Session not found', { status: 404 })
  const connection = await open(legacyServer({ 'tools/call': gone }), { config: { reinitialize: false } }).opening
  const error = await mcpRejection(connection.request('tools/call', { name: 'x' }))
  expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 404, reason: 'session', outcome: 'not-run' } })
})

test('a legacy server’s own requests are answered: ping by a result, others by an error', async () => {
  const call = ({ body }: Sent) =>
    streaming(
      event({ jsonrpc: '2.0', id: 'p', method: 'ping' }),
      event({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }),
      event({ jsonrpc: '2.0', id: body?.id, result }),
    )
  const parts = open(legacyServer({ 'tools/call': call, POST: () => new Response(null, { status: 202 }) }))
  const connection = await parts.opening
  await connection.request('tools/call', { name: 'x' })
  await new Promise(setImmediate)
  const answers = parts.sent.flatMap(({ body }) => (body && body.method === undefined ? [body] : []))
  expect(answers).toMatchObject([
    { id: 'p', result: {} },
    { id: 'q', error: { code: -32601 } },
  ])
})

test('authorize() says that this server has no sign-in, and after close() that it is closed', async () => {
  const connection = await open(modernServer()).opening
  expect(await mcpRejection(connection.authorize())).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'auth' } })
  await connection.close()
  expect(await mcpRejection(connection.authorize())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
})

describe('a listener that throws harms no one', () => {
  const fault = new Error('in the app')
  const thrower = () => {
    throw fault
  }

  test('of progress, of the wire, of states', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
    const call = ({ body }: Sent) => {
      const progressToken = progressTokenOf(body)
      return streaming(
        event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } }),
        event({ jsonrpc: '2.0', id: body?.id, result }),
      )
    }
    const { opening } = open(legacyServer({ 'tools/call': call }), { hooks: { onEvent: thrower } })
    const connection = await opening
    const heard: ConnectionEvent[] = []
    connection.listen({ wire: 'bodies', state: true }, thrower)
    connection.listen({ state: true }, (heardEvent) => heard.push(heardEvent))
    expect(await connection.request('tools/call', { name: 'x' }, { onProgress: thrower })).toMatchObject({
      content: [{ text: 'done' }],
    })
    await connection.close()
    expect(heard).toMatchObject([{ type: 'state', state: { status: 'closed' } }])
    expect(shown.mock.calls.length).toBeGreaterThan(3)
    expect(shown.mock.calls.every(([error]) => error === fault)).toBe(true)
  })
})

test('wire events hold what is sent and received, and no credential', async () => {
  const secret = 's3cret'
  const parts = open(legacyServer(), {
    config: {
      url: `https://server.example/mcp?key=${secret}`,
      headers: { cookie: secret },
      auth: { type: 'bearer', token: secret },
    },
  })
  const connection = await parts.opening
  const events: WireEvent[] = []
  connection.listen({ wire: 'bodies' }, (heard) => heard.type === 'wire' && events.push(heard))
  await connection.request('tools/call', { name: 'x' })
  await connection.close()
  expect(parts.sent.at(-1)!.headers.get('authorization')).toBe(`Bearer ${secret}`)
  expect(events.map(({ phase, httpMethod }) => `${httpMethod} ${phase}`)).toEqual([
    'POST request',
    'POST response',
    'POST message',
    'POST end',
    'DELETE request',
    'DELETE response',
    'DELETE end',
  ])
  expect(JSON.stringify(events)).not.toContain(secret)
  expect(JSON.stringify(events)).not.toContain('session-1')
  expect(methodsSent(parts)).toContain('tools/call')
})
