import { describe, expect, test } from 'vitest'
import type { McpError } from '../../src/errors.js'
import type { Finding } from '../../src/protocol.js'
import type { JsonRpcMessage } from '../../src/transport/json-rpc.js'
import { createSse } from '../../src/transport/sse.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'
import { sseServer } from '../support/sse-server.js'

failOnUnhandled()

type Message = Parameters<ReturnType<typeof createSse>['send']>[0]
const request = (id: number, more = {}) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: more }) as Message
const reply = (id: unknown) => ({ jsonrpc: '2.0', id, result: { ok: true } })
const event = (message: unknown) => `data: ${JSON.stringify(message)}\n\n`
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

/** A transport and its server. */
function setUp(respond: Parameters<typeof sseServer>[0] = () => undefined, more = {}) {
  const stray: unknown[] = []
  const server = sseServer(respond)
  const endpoint = testEndpoint(server.answer, more)
  const findings: Finding[] = []
  const transport = createSse(endpoint, {
    report: (finding) => findings.push(finding),
    onStrayProgress: (params) => stray.push(params),
  })
  const messages: unknown[] = []
  transport.onmessage = (message) => messages.push(message)
  let closes = 0
  transport.onclose = () => closes++
  const losses: McpError[] = []
  transport.onLost((error) => losses.push(error))
  const posts = () => endpoint.sent.filter(({ method }) => method === 'POST')
  return { server, endpoint, transport, messages, stray, findings, losses, posts, closes: () => closes }
}

describe('a request', () => {
  test('is POSTed where the stream says, with the credentials, and its reply comes by the stream', async () => {
    const { transport, endpoint, posts, messages } = setUp(({ body }) => reply(body?.id), {
      headers: async () => ({ authorization: 'Bearer x' }),
      credentials: 'include',
    })
    await transport.start()
    transport.setProtocolVersion!('2024-11-05')
    await transport.send(request(1))
    expect(messages).toEqual([reply(1)])
    expect(posts()[0]).toMatchObject({ url: 'https://server.example/messages', init: { credentials: 'include' } })
    for (const { headers } of endpoint.sent) expect(headers.get('authorization')).toBe('Bearer x')
    // A CORS list that was made for this transport does not have it.
    expect(posts()[0]!.headers.has('mcp-protocol-version')).toBe(false)
    await transport.close()
    expect(endpoint.timers.pending()).toBe(0)
  })

  test.each([
    ['as text', (id: number) => reply(String(id))],
    ['null, where only one waits, of an error', () => ({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } })],
    ['in a batch', (id: number) => [{ jsonrpc: '2.0', method: 'notifications/x' }, reply(id)]],
    ['without a version', (id: number) => ({ id, result: {} })],
  ])('whose reply has its id %s is done', async (_how, toReply) => {
    const { transport, messages } = setUp(({ body }) => toReply(body?.id ?? 0))
    await transport.start()
    await transport.send(request(1))
    expect(messages.at(-1)).toMatchObject({ jsonrpc: '2.0', id: 1 })
    await transport.close()
  })

  test('gets no other’s reply, and no second one', async () => {
    const { transport, server, messages } = setUp()
    await transport.start()
    const sending = [transport.send(request(1)), transport.send(request(2))]
    await settle()
    server.push(event(reply(3)) + event(reply(2)) + event(reply(2)) + event(reply(1)))
    await Promise.all(sending)
    expect(messages).toEqual([reply(2), reply(1)])
    await transport.close()
  })

  test('is done with its reply, though its POST is never answered', async () => {
    const { transport, server, endpoint, messages } = setUp(() => new Promise<never>(() => {}))
    await transport.start()
    const sending = transport.send(request(1))
    await settle()
    server.push(event(reply(1)))
    await settle()
    expect(messages).toEqual([reply(1)])
    endpoint.timers.advance(1_000)
    await sending
    expect(endpoint.timers.pending()).toBe(0)
    await transport.close()
  })

  test('whose reply is none fails', async () => {
    const { transport } = setUp(({ body }) => ({ jsonrpc: '2.0', id: body?.id, result: 5 }))
    await transport.start()
    expect(await mcpRejection(transport.send(request(1)))).toMatchObject({ data: { reason: 'shape' } })
    await transport.close()
  })

  test.each<[string, () => Response, object]>([
    ['401', () => new Response(null, { status: 401 }), { code: 'ERR_MCP_UNAUTHORIZED' }],
    ['400', () => new Response('no', { status: 400 }), { code: 'ERR_MCP_HTTP', data: { status: 400 } }],
    ['a redirect elsewhere', () => Response.redirect('https://other.example'), { data: { reason: 'redirect' } }],
  ])('whose POST is refused by %s fails, and the next one works', async (_how, answer, expected) => {
    let refuses = true
    const { transport } = setUp(({ body }) => (refuses ? answer() : reply(body?.id)))
    await transport.start()
    const error = await mcpRejection(transport.send(request(1)))
    expect(error).toMatchObject(expected)
    expect(error.data.method).toBe('tools/call')
    refuses = false
    await transport.send(request(2))
    await transport.close()
  })

  test('whose POST is refused by a JSON-RPC error gets that', async () => {
    const error = { code: -32601, message: 'unknown' }
    const { transport, messages } = setUp(() => Response.json({ id: null, error }, { status: 404 }))
    await transport.start()
    await transport.send(request(1))
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, error }])
    await transport.close()
  })
})

describe('the stream’s end', () => {
  test.each(['end', 'cut'] as const)('by %s: each call has an error of its own, then it is told', async (how) => {
    const { transport, server, losses } = setUp(({ body }) =>
      body?.id === 2 ? new Promise<never>(() => {}) : undefined,
    )
    await transport.start()
    const order: string[] = []
    transport.onLost(() => order.push('lost'))
    const failing = [1, 2].map((id) =>
      mcpRejection(transport.send(request(id))).then((error) => {
        order.push('failed')
        return error
      }),
    )
    await settle()
    server[how]()
    const [first, second] = await Promise.all(failing)
    for (const error of [first, second])
      expect(error).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { reason: 'network', method: 'tools/call' } })
    expect(first).not.toBe(second)
    expect(first!.data).not.toBe(second!.data)
    await settle()
    expect(order).toEqual(['failed', 'failed', 'lost'])
    expect(losses).toMatchObject([{ code: 'ERR_MCP_DISCONNECTED' }])
    // Nothing is sent any more.
    expect(await mcpRejection(transport.send(request(3)))).toMatchObject({ data: { outcome: 'not-run' } })
    await transport.close()
  })

  test('is also an event past the size limit', async () => {
    const { transport, server, losses } = setUp(() => undefined, { maxResponseBytes: 1_000 })
    await transport.start()
    const failing = mcpRejection(transport.send(request(1)))
    await settle()
    server.push(`data: ${'x'.repeat(2_000)}`)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_TOO_LARGE', data: { limit: 1_000 } })
    await server.left
    await settle()
    expect(losses).toMatchObject([{ code: 'ERR_MCP_TOO_LARGE' }])
  })

  test('that close() makes is no loss: every call fails, the stream is let go', async () => {
    const { transport, server, losses, closes } = setUp()
    await transport.start()
    const failing = mcpRejection(transport.send(request(1)))
    await settle()
    await Promise.all([transport.close(), transport.close()])
    expect(await failing).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await server.left
    await settle()
    expect([losses, closes()]).toEqual([[], 1])
  })
})

test('a reply that can’t be read ends the only call that waits, and is told', async () => {
  const { transport, server, findings } = setUp()
  await transport.start()
  const failing = mcpRejection(transport.send(request(1)))
  await settle()
  server.push('data: ping\n\ndata: {"jsonrpc":"2.0",\n\n')
  expect(await failing).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'json' } })
  expect(findings).toMatchObject([{ code: 'unreadable-message' }])
  const others = [transport.send(request(2)), transport.send(request(3))]
  await settle()
  server.push(`data: {"jsonrpc"\n\n${event(reply(2))}${event(reply(3))}`)
  await Promise.all(others)
  await transport.close()
})

test('progress passes while its call waits for it; what comes later goes another way, unless it says nothing', async () => {
  const { transport, server, messages, stray } = setUp()
  await transport.start()
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }
  const sending = transport.send(request(1, { _meta: { progressToken: 1 } }))
  await settle()
  server.push(event(progress) + event(reply(1)) + event(progress) + event({ ...progress, params: undefined }))
  await sending
  await settle()
  expect(messages).toEqual([progress, reply(1)])
  expect(stray).toEqual([progress.params])
  await transport.close()
})

describe('a cancellation', () => {
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as Message

  test('ends the request that it names, once the server knows', async () => {
    const { transport, posts, endpoint } = setUp()
    await transport.start()
    const failing = rejection(transport.send(request(1)))
    await settle()
    await transport.send(cancelled)
    await failing
    expect(posts()).toHaveLength(2)
    expect(endpoint.timers.pending()).toBe(0)
    await transport.close()
  })

  test('waits two seconds for the server, no more', async () => {
    const { transport, endpoint } = setUp(({ body }) => (body?.id === 1 ? undefined : new Promise<never>(() => {})))
    await transport.start()
    const failing = [rejection(transport.send(request(1))), rejection(transport.send(cancelled))]
    await settle()
    endpoint.timers.advance(2_000)
    await Promise.all(failing)
    expect(endpoint.timers.pending()).toBe(0)
    await transport.close()
  })
})

describe('opening', () => {
  const opening = (answer: (sent: Sent) => Response | Promise<Response>, more = {}) =>
    mcpRejection(createSse(testEndpoint(answer, more)).start())
  const streaming = (...chunks: string[]) => new Response(byteSource(chunks).body, { headers: eventStreamType })

  test.each<[string, () => Response, object]>([
    ['401', () => new Response(null, { status: 401 }), { code: 'ERR_MCP_UNAUTHORIZED' }],
    ['404', () => new Response(null, { status: 404 }), { code: 'ERR_MCP_HTTP', data: { status: 404 } }],
    ['a page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } }), { data: { reason: 'html' } }],
    ['a stream that ends', () => streaming(': hi\n\n'), { data: { reason: 'no-endpoint' } }],
    ['an address that is none', () => streaming('event: endpoint\ndata: http://\n\n'), { data: { reason: 'shape' } }],
    [
      'another origin',
      () => streaming('event: endpoint\ndata: //evil.example/x\n\n'),
      { data: { reason: 'foreign-endpoint' } },
    ],
  ])('fails by %s', async (_what, answer, expected) => {
    expect(await opening(answer)).toMatchObject(expected)
  })

  test('fails by a first event past the size limit', async () => {
    const answer = () => streaming(`event: endpoint\ndata: /${'x'.repeat(2_000)}`)
    expect(await opening(answer, { maxResponseBytes: 1_000 })).toMatchObject({ code: 'ERR_MCP_TOO_LARGE' })
  })

  test('is ended by close(), whatever it waits for', async () => {
    const stalled = byteSource([': hi\n\n'], 'stall')
    for (const answer of [
      () => new Promise<never>(() => {}),
      () => new Response(stalled.body, { headers: eventStreamType }),
    ]) {
      const transport = createSse(testEndpoint(answer))
      const failing = rejection(transport.start())
      await settle()
      await transport.close()
      expect(await failing).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    }
    await stalled.cancelled
  })

  test('takes an address with a user name without it: fetch refuses one', async () => {
    const messages: JsonRpcMessage[] = []
    const server = sseServer(({ body }) => reply(body?.id), 'https://user:s3cret@server.example/m')
    const endpoint = testEndpoint(server.answer)
    const transport = createSse(endpoint)
    transport.onmessage = (message) => messages.push(message as JsonRpcMessage)
    await transport.start()
    await transport.send(request(1))
    expect(endpoint.sent[1]!.url).toBe('https://server.example/m')
    await transport.close()
  })
})

test('of messages that can’t be read, 20 are told', async () => {
  const { transport, server, findings } = setUp()
  await transport.start()
  const calls = [transport.send(request(1)), transport.send(request(2))]
  await settle()
  server.push(`${'data: {"jsonrpc"\n\n'.repeat(100)}${event(reply(1))}${event(reply(2))}`)
  await Promise.all(calls)
  expect(findings).toHaveLength(20)
  await transport.close()
})
