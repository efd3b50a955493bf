import { describe, expect, test } from 'vitest'
import type { ServerConfig } from '../../src/config.js'
import { createHost } from '../../src/index.js'
import { browserFetch, type CorsPolicy } from '../support/browser-fetch.js'
import { legacyServer, modernServer, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import { connectionRefused, type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

/** Connects from a page of another origin. */
const fromPage = (
  answer: (sent: Sent) => Response | Promise<Response>,
  policy: CorsPolicy,
  config: Partial<ServerConfig> = {},
) => open(answer, { config, wrap: (fetch) => browserFetch(fetch, policy) })

const modernHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
const legacyHeaders = ['content-type', 'mcp-protocol-version', 'mcp-session-id']

/** A modern server that knows no `initialize`, as revision 2026-07-28 has it. */
const modernOnly = modernServer({
  initialize: (sent) => rpcError(sent, -32022, 'no', { supported: ['2026-07-28'], requested: 'x' }, { status: 400 }),
})

describe('from a page of another origin', () => {
  test.each<[string, (sent: Sent) => Response | Promise<Response>, CorsPolicy, string]>([
    ['modern', modernOnly, { origin: true, allowHeaders: modernHeaders }, 'modern'],
    [
      'legacy',
      legacyServer(),
      { origin: true, allowHeaders: legacyHeaders, exposeHeaders: ['mcp-session-id'] },
      'legacy',
    ],
  ])('a %s server with the CORS headers of its revision connects', async (_what, answer, policy, era) => {
    expect((await fromPage(answer, policy).opening).state.server?.era).toBe(era)
  })

  test.each<[string, (sent: Sent) => Response | Promise<Response>]>([
    ['modern', modernOnly],
    ['legacy', legacyServer()],
  ])('a %s server without CORS is one that is there, and the message is the line to add', async (_what, answer) => {
    const error = await mcpRejection(fromPage(answer, {}).opening)
    expect(error).toMatchObject({
      code: 'ERR_MCP_CORS',
      data: { missing: 'Access-Control-Allow-Origin', reason: 'origin', server: 'https://server.example/mcp' },
    })
    expect(error.data.attempts).toHaveLength(2)
  })

  test('a server whose preflight forbids the credentials’ header is told all the names to allow', async () => {
    const auth = { type: 'api-key', header: 'X-Api-Key', value: 's3cret' } as const
    const policy = { origin: true, allowHeaders: [...modernHeaders, ...legacyHeaders] }
    const error = await mcpRejection(fromPage(modernOnly, policy, { auth, headers: { 'X-Team': 'a' } }).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_CORS', data: { missing: 'Access-Control-Allow-Headers' } })
    expect(error.message).toContain(
      '"Access-Control-Allow-Headers: content-type, x-team, x-api-key, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name"',
    )
    expect(error.message).not.toContain('s3cret')
  })

  // It can read the refusal of `initialize`, which is not the cause of anything.
  test('a modern server whose preflight forbids the modern headers alone is no server that speaks no revision', async () => {
    const error = await mcpRejection(fromPage(modernOnly, { origin: true, allowHeaders: legacyHeaders }).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_CORS', data: { missing: 'Access-Control-Allow-Headers' } })
    expect(error.message).toContain('mcp-method')
    expect(error.data.attempts).toMatchObject([{ era: 'modern' }, { era: 'legacy' }])
  })

  test('a server that refuses the handshake, and of which nothing else can be read, is told its own words', async () => {
    const policy = { origin: ['POST'], allowHeaders: legacyHeaders }
    const error = await mcpRejection(fromPage(modernOnly, policy).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32022 } })
  })

  test('a legacy server whose preflight forbids the modern headers connects all the same', async () => {
    const policy = { origin: true, allowHeaders: legacyHeaders, exposeHeaders: ['mcp-session-id'] }
    const { state } = await fromPage(legacyServer(), policy).opening
    expect(state.server?.era).toBe('legacy')
  })

  test('a server of HTTP+SSE whose preflight forbids the modern headers connects all the same', async () => {
    const server = sseServer(sseReplies())
    const answer = (sent: Sent) =>
      sent.method === 'POST' && sent.url.endsWith('/mcp') ? new Response(null, { status: 404 }) : server.answer(sent)
    const policy = { origin: true, allowHeaders: legacyHeaders }
    const connection = await fromPage(answer, policy).opening
    expect(connection.state.server).toMatchObject({ era: 'legacy', transport: 'sse' })
    await connection.close()
  })

  test('a wrong path whose answer to GET can’t be read is a wrong path, not a CORS problem', async () => {
    const answer = () => new Response(null, { status: 404 })
    const policy = { origin: ['POST'], allowHeaders: [...modernHeaders, ...legacyHeaders] }
    const error = await mcpRejection(fromPage(answer, policy).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 404 } })
    expect(error.data.attempts).toMatchObject([{ era: 'modern' }, { era: 'legacy' }, { transport: 'sse' }])
  })

  test('a legacy server, remembered, is asked nothing that its preflight forbids', async () => {
    const policy = { origin: true, allowHeaders: legacyHeaders, exposeHeaders: ['mcp-session-id'] }
    const server = scriptedFetch(legacyServer())
    const blocked: string[] = []
    const seen = browserFetch(server.fetch, policy)
    const host = createHost({
      fetch: (input, init) =>
        seen(input, init).catch((error) => {
          blocked.push(String(new Headers(init?.headers).get('mcp-method')))
          throw error
        }),
    })
    for (let time = 0; time < 2; time++) await (await host.connect('https://server.example/mcp')).close()
    expect(blocked).toEqual(['server/discover'])
  })

  test('a legacy server whose preflight forbids the session’s header has a CORS problem, though initialize passed', async () => {
    const policy = { origin: true, allowHeaders: ['content-type'], exposeHeaders: ['mcp-session-id'] }
    const error = await mcpRejection(fromPage(legacyServer(), policy).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_CORS', data: { missing: 'Access-Control-Allow-Headers' } })
  })

  describe('a legacy server that does not expose its session’s header', () => {
    const policy = { origin: true, allowHeaders: legacyHeaders }
    const lacksSession = ({ headers }: Sent) =>
      new Response(null, { status: headers.has('mcp-session-id') ? 202 : 400 })

    test('is told to, once it misses the session', async () => {
      const error = await mcpRejection(
        fromPage(legacyServer({ 'notifications/initialized': lacksSession }), policy).opening,
      )
      expect(error).toMatchObject({
        code: 'ERR_MCP_CORS',
        data: { missing: 'Access-Control-Expose-Headers', reason: 'expose' },
      })
      expect(error.message).toContain('"Access-Control-Expose-Headers: Mcp-Session-Id"')
    })

    test('may do without one', async () => {
      expect((await fromPage(legacyServer(), policy).opening).state.status).toBe('ready')
    })

    test('is not told so where the session could be read', async () => {
      const refusing = legacyServer({ 'notifications/initialized': () => new Response(null, { status: 400 }) })
      const exposing = { ...policy, exposeHeaders: ['mcp-session-id'] }
      expect(await mcpRejection(fromPage(refusing, exposing).opening)).toMatchObject({ code: 'ERR_MCP_HTTP' })
    })

    test('may fail for another reason', async () => {
      const broken = legacyServer({ 'notifications/initialized': () => new Response(null, { status: 500 }) })
      expect(await mcpRejection(fromPage(broken, policy).opening)).toMatchObject({ code: 'ERR_MCP_HTTP' })
    })
  })

  test('a server that is not there is no CORS problem', async () => {
    const error = await mcpRejection(fromPage(() => Promise.reject(connectionRefused()), {}).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_CONNECT', data: { reason: 'network' } })
  })

  test('a redirect, which a browser hides, is refused as one', async () => {
    const answer = () => new Response(null, { status: 308, headers: { location: 'https://server.example/mcp/' } })
    const error = await mcpRejection(fromPage(answer, { origin: true, allowHeaders: modernHeaders }).opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'redirect' } })
  })

  test('the looking is done with by the deadline', async () => {
    const answer = (sent: Sent) =>
      sent.method === 'HEAD' ? new Promise<never>(() => {}) : Promise.reject(connectionRefused())
    const parts = fromPage(answer, {}, { connectTimeoutMs: 1_000 })
    const failing = mcpRejection(parts.opening)
    while (!parts.sent.some(({ method }) => method === 'HEAD')) await new Promise(setImmediate)
    parts.timers.advance(1_000)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_CONNECT' })
    expect(parts.timers.pending()).toBe(0)
  })
})

test('elsewhere a refusal after the handshake is itself: nothing is hidden there', async () => {
  const initialize = (sent: Sent) =>
    reply(sent, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } })
  const refusing = legacyServer({ initialize, 'notifications/initialized': () => new Response(null, { status: 400 }) })
  expect(await mcpRejection(open(refusing).opening)).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 400 } })
})

test('elsewhere a server that cuts connections is looked at once, and is no CORS problem', async () => {
  const parts = open((sent) => (sent.method === 'HEAD' ? new Response() : Promise.reject(new TypeError('terminated'))))
  expect(await mcpRejection(parts.opening)).toMatchObject({ code: 'ERR_MCP_CONNECT' })
  expect(parts.sent.filter(({ method }) => method !== 'POST')).toHaveLength(1)
})
