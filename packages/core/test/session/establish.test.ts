import { describe, expect, test } from 'vitest'
import type { ConnectionEvent } from '../../src/connection.js'
import { legacyServer, methodsSent, modernServer, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

type Answer = (sent: Sent) => Response | Promise<Response>

/** A server of HTTP+SSE alone: what is POSTed to the stream's own address it refuses. */
function oldServer(refusal: () => Response): Answer {
  const server = sseServer(sseReplies())
  return (sent) => (sent.method === 'POST' && sent.url.endsWith('/mcp') ? refusal() : server.answer(sent))
}

const status = (code: number, body: string | null = null) => new Response(body, { status: code })

describe('HTTP+SSE is spoken', () => {
  test.each([400, 404, 405])('where initialize is answered with %d', async (code) => {
    const { opening, sent } = open(oldServer(() => status(code, 'no')))
    const connection = await opening
    expect(connection.state.server).toEqual({
      ...serverInfo,
      name: 'old',
      version: '1',
      era: 'legacy',
      protocolVersion: '2024-11-05',
      transport: 'sse',
      capabilities: { tools: {} },
    })
    expect(await connection.request('tools/call', { name: 'x' })).toMatchObject({ content: [{ text: 'tools/call' }] })
    expect(methodsSent({ sent })).toEqual([
      'server/discover',
      'initialize',
      'GET',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
    await connection.close()
  })

  test('at once where it is configured, and by no other way', async () => {
    const { opening, sent } = open(
      oldServer(() => status(200)),
      { config: { transport: 'sse' } },
    )
    await (await opening).close()
    expect(methodsSent({ sent })).toEqual(['GET', 'initialize', 'notifications/initialized'])
    const other = open(legacyServer(), { config: { transport: 'sse' } })
    const error = await mcpRejection(other.opening)
    expect(error.data.attempts).toMatchObject([{ transport: 'sse', era: 'legacy', status: 404 }])
    expect(methodsSent(other)).toEqual(['GET'])
  })
})

describe('over HTTP+SSE', () => {
  /** Has the transport's own revision alone, and refuses others in this way. */
  const strict = (refuse: (sent: Sent) => object | Response) => {
    const replies = sseReplies()
    const server = sseServer((sent) =>
      sent.body?.method === 'initialize' && sent.body.params?.protocolVersion !== '2024-11-05'
        ? refuse(sent)
        : replies(sent),
    )
    return server.answer
  }
  const refusals: [string, (sent: Sent) => object | Response][] = [
    ['400', () => status(400)],
    ['400 in words', () => status(400, 'Unsupported protocol version')],
    [
      'an error on the stream',
      ({ body }) => ({
        jsonrpc: '2.0',
        id: body?.id,
        error: { code: -32602, message: 'no', data: { supported: ['2024-11-05'] } },
      }),
    ],
  ]

  test.each(refusals)('a revision refused by %s is followed by the one that has it', async (_what, refuse) => {
    const { opening, sent } = open(strict(refuse), { config: { transport: 'sse' } })
    const connection = await opening
    expect(connection.state.server).toMatchObject({ protocolVersion: '2024-11-05', transport: 'sse' })
    const offers = sent.flatMap(({ body }) => (body?.method === 'initialize' ? [body.params?.protocolVersion] : []))
    expect(offers).toEqual(['2025-11-25', '2024-11-05'])
    await connection.close()
  })

  test.each(refusals)('a configured revision refused by %s is not', async (_what, refuse) => {
    const config = { transport: 'sse', protocolVersion: '2025-03-26' } as const
    const parts = open(strict(refuse), { config })
    await mcpRejection(parts.opening)
    expect(methodsSent(parts)).toEqual(['GET', 'initialize'])
  })
})

describe('HTTP+SSE is not tried', () => {
  const initialize = (answer: Answer) => legacyServer({ initialize: answer })
  test.each<[string, Answer, object]>([
    ['401', initialize(() => status(401)), {}],
    ['403', initialize(() => status(403)), {}],
    ['500', initialize(() => status(500)), {}],
    ['a JSON-RPC error in a 400', initialize((sent) => rpcError(sent, -32602, 'no', undefined, { status: 400 })), {}],
    ['a JSON-RPC error in a 404', initialize((sent) => rpcError(sent, -32601, 'no', undefined, { status: 404 })), {}],
    ['404 after initialize', legacyServer({ 'notifications/initialized': () => status(404) }), {}],
    ['404 where Streamable HTTP is configured', () => status(404), { transport: 'streamable-http' }],
    ['404 where revision 2026-07-28 is configured', () => status(404), { protocolVersion: '2026-07-28' }],
  ])('after %s', async (_what, answer, config) => {
    const { opening, sent } = open(answer, { config })
    await mcpRejection(opening)
    expect(sent.filter(({ method }) => method === 'GET')).toEqual([])
  })
})

describe('the error of a server that has neither', () => {
  test.each<[string, () => Response, object]>([
    ['404 to both is the first', () => status(404), { code: 'ERR_MCP_HTTP', data: { status: 405 } }],
    ['a page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } }), { code: 'ERR_MCP_HTTP' }],
    ['401 to the GET is that', () => status(401), { code: 'ERR_MCP_UNAUTHORIZED' }],
    [
      'an address elsewhere is that',
      () =>
        new Response('event: endpoint\ndata: https://evil.example\n\n', {
          headers: { 'content-type': 'text/event-stream' },
        }),
      { code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'foreign-endpoint' } },
    ],
  ])('%s, and tells all attempts', async (_what, onGet, expected) => {
    const error = await mcpRejection(open(({ method }) => (method === 'GET' ? onGet() : status(405))).opening)
    expect(error).toMatchObject(expected)
    expect(error.data.attempts?.map(({ transport, era }) => [transport, era])).toEqual([
      ['streamable-http', 'modern'],
      ['streamable-http', 'legacy'],
      ['sse', 'legacy'],
    ])
  })
})

test.each([
  ['the stream', () => new Promise<never>(() => {})],
  ['the endpoint', sseServer(sseReplies(), null).answer],
])('an abort, and the deadline, end a connect by HTTP+SSE that waits for %s', async (_what, answer) => {
  for (const end of ['abort', 'deadline'] as const) {
    const abort = new AbortController()
    const { opening, timers, sent } = open(answer, { config: { transport: 'sse' }, hooks: { signal: abort.signal } })
    const failing = rejection(opening)
    while (sent.length === 0) await new Promise(setImmediate)
    if (end === 'abort') abort.abort('enough')
    else timers.advance(30_000)
    const error = await failing
    if (end === 'abort') expect(error).toBe('enough')
    expect(timers.pending()).toBe(0)
  }
})

describe('a refusal for now is waited out while connecting', () => {
  test.each([
    ['server/discover', modernServer],
    ['initialize', legacyServer],
    ['notifications/initialized', legacyServer],
  ] as const)('to %s', async (method, server) => {
    let asked = 0
    const behind = server()
    const { opening, timers } = open((sent) => {
      if (sent.body?.method !== method || asked++ > 0) return behind(sent)
      return new Response(null, { status: 429, headers: { 'retry-after': '5' } })
    })
    while (asked === 0) await new Promise(setImmediate)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(asked).toBe(1)
    timers.advance(5_000)
    expect((await opening).state.status).toBe('ready')
  })

  test('but not past connectTimeoutMs', async () => {
    const answer = () => new Response(null, { status: 429, headers: { 'retry-after': '5' } })
    const { opening, timers } = open(answer, { config: { connectTimeoutMs: 5_000 } })
    expect(await mcpRejection(opening)).toMatchObject({ code: 'ERR_MCP_HTTP', data: { retryAfterMs: 5_000 } })
    expect(timers.pending()).toBe(0)
  })
})

test('what is mended in a handshake is told', async () => {
  const events: ConnectionEvent[] = []
  const initialize = (sent: Sent) => reply(sent, { protocolVersion: '2025-11-25', capabilities: { tools: null } })
  const { opening } = open(legacyServer({ initialize }), { hooks: { onEvent: (event) => events.push(event) } })
  expect((await opening).state.server).toMatchObject({ name: '', version: '', capabilities: {} })
  expect(events.filter(({ type }) => type === 'finding').length).toBe(3)
})
