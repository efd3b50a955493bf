import { describe, expect, test } from 'vitest'
import type { ConnectionEvent, ConnectionState } from '../../src/connection.js'
import { legacyServer, methodsSent, modernServer, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open, url } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const plain = (status: number) => () => new Response('no', { status })

describe('a connection', () => {
  test('to a modern server takes one question', async () => {
    const parts = open(modernServer())
    const { state, close } = await parts.opening
    expect(state).toEqual({
      status: 'ready',
      server: {
        ...serverInfo,
        era: 'modern',
        protocolVersion: '2026-07-28',
        transport: 'streamable-http',
        capabilities: { tools: {} },
        instructions: 'Be kind.',
      },
    })
    await close()
    expect(methodsSent(parts)).toEqual(['server/discover'])
    expect(parts.timers.pending()).toBe(0)
  })

  test('to a legacy server takes the question, the handshake, and the session’s end', async () => {
    const parts = open(legacyServer())
    const { state, close } = await parts.opening
    expect(state.server).toMatchObject({ ...serverInfo, era: 'legacy', protocolVersion: '2025-11-25' })
    await close()
    expect(methodsSent(parts)).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'DELETE'])
    expect(parts.timers.pending()).toBe(0)
  })

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const)(
    'of revision %s, as configured, offers that one alone',
    async (protocolVersion) => {
      const parts = open(legacyServer(), { config: { protocolVersion } })
      const { state } = await parts.opening
      expect(state.server).toMatchObject({ era: 'legacy', protocolVersion })
      expect(parts.sent[0]!.body).toMatchObject({ method: 'initialize', params: { protocolVersion } })
      expect(parts.sent[1]!.headers.get('mcp-protocol-version')).toBe(protocolVersion)
    },
  )

  test('of revision 2026-07-28, as configured, is modern', async () => {
    const { opening } = open(modernServer(), { config: { protocolVersion: '2026-07-28' } })
    expect((await opening).state.server).toMatchObject({ era: 'modern' })
  })

  test('to a modern server that does not say its name is one all the same', async () => {
    const discover = (sent: Sent) => reply(sent, { supportedVersions: ['2026-07-28'], capabilities: {} })
    const { opening } = open(modernServer({ 'server/discover': discover }))
    expect((await opening).state.server).toMatchObject({ name: '', version: '', era: 'modern' })
  })
})

/** A failed connect: its error, and the states that were told. */
async function failure(answer: (sent: Sent) => Response | Promise<Response>, config = {}) {
  const states: ConnectionState[] = []
  const onEvent = (event: ConnectionEvent) => event.type === 'state' && states.push(event.state)
  const { opening, timers } = open(answer, { config, hooks: { onEvent } })
  const error = await mcpRejection(opening)
  expect(timers.pending(), 'timers left').toBe(0)
  expect(states).toMatchObject([{ status: 'closed', error: { code: error.code, message: error.message } }])
  expect(error.data.server).toBe(url)
  return error
}

describe('a failed connect tells each attempt once', () => {
  const eras = (attempts: { transport?: string; era?: string; status?: number }[] = []) =>
    attempts.map(({ transport, era, status }) => [transport === 'sse' ? transport : era, status])

  test.each<[string, (sent: Sent) => Response | Promise<Response>, string, unknown]>([
    ['401', plain(401), 'ERR_MCP_UNAUTHORIZED', [['modern', 401]]],
    ['403', plain(403), 'ERR_MCP_HTTP', [['modern', 403]]],
    ['500', plain(500), 'ERR_MCP_HTTP', [['modern', 500]]],
    [
      '404',
      plain(404),
      'ERR_MCP_HTTP',
      [
        ['modern', 404],
        ['legacy', 404],
        ['sse', 404],
      ],
    ],
    [
      'a page',
      () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
      'ERR_MCP_INVALID_RESPONSE',
      [
        ['modern', undefined],
        ['legacy', undefined],
      ],
    ],
    [
      'nothing',
      () => Promise.reject(connectionRefused()),
      'ERR_MCP_CONNECT',
      [
        ['modern', undefined],
        ['legacy', undefined],
      ],
    ],
    [
      'credentials wanted by the handshake alone',
      legacyServer({ initialize: plain(401) }),
      'ERR_MCP_UNAUTHORIZED',
      [
        ['modern', 400],
        ['legacy', 401],
      ],
    ],
    [
      'credentials wanted after the handshake',
      legacyServer({ 'notifications/initialized': plain(401) }),
      'ERR_MCP_UNAUTHORIZED',
      [
        ['modern', 400],
        ['legacy', 401],
      ],
    ],
    [
      'a handshake refused by a JSON-RPC error',
      legacyServer({ initialize: (sent) => rpcError(sent, -32603, 'broken') }),
      'ERR_MCP_JSONRPC',
      [
        ['modern', 400],
        ['legacy', undefined],
      ],
    ],
  ])('%s', async (_what, answer, code, attempts) => {
    const error = await failure(answer)
    expect(error.code).toBe(code)
    expect(eras(error.data.attempts)).toEqual(attempts)
    expect(error.data.attempts?.every(({ reason }) => reason !== '')).toBe(true)
  })

  test.each<[string, (sent: Sent) => Response]>([
    ['server/discover', plain(401)],
    ['initialize', legacyServer({ initialize: plain(401) }) as (sent: Sent) => Response],
    [
      'notifications/initialized',
      legacyServer({ 'notifications/initialized': plain(401) }) as (sent: Sent) => Response,
    ],
  ])('the error says that %s failed', async (method, answer) => {
    expect((await failure(answer)).data.method).toBe(method)
  })

  test('a server that is not there says what to check, and keeps the cause', async () => {
    const error = await failure(() => Promise.reject(connectionRefused()))
    expect(error.message).toContain('ECONNREFUSED')
    expect(error.message).toContain('check the URL')
    expect(error.cause).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  })

  test('a server that is not there is none whatever the revision', async () => {
    for (const protocolVersion of ['2026-07-28', '2025-06-18'] as const) {
      const error = await failure(() => Promise.reject(connectionRefused()), { protocolVersion })
      expect(error.code).toBe('ERR_MCP_CONNECT')
      expect(eras(error.data.attempts)).toEqual([[protocolVersion === '2026-07-28' ? 'modern' : 'legacy', undefined]])
    }
  })

  test('no revision in common', async () => {
    const initialize = (sent: Sent) => reply(sent, { protocolVersion: '1999-01-01', capabilities: {}, serverInfo })
    const error = await failure(legacyServer({ initialize }))
    expect(error).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
    expect(error.message).toContain('1999-01-01')
    expect(eras(error.data.attempts)).toEqual([
      ['modern', 400],
      ['legacy', undefined],
    ])
  })

  test('another revision than the configured one', async () => {
    const initialize = (sent: Sent) => reply(sent, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo })
    const error = await failure(legacyServer({ initialize }), { protocolVersion: '2025-06-18' })
    expect(error).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
    const modern = await failure(legacyServer(), { protocolVersion: '2026-07-28' })
    expect(modern).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
    expect(eras(modern.data.attempts)).toEqual([['modern', undefined]])
  })

  test('a discovery with capabilities of another kind', async () => {
    const value = { supportedVersions: ['2026-07-28'], capabilities: { tools: true } }
    const error = await failure(modernServer({ 'server/discover': (sent) => reply(sent, value) }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'shape' } })
    expect(error.message).toContain('server/discover')
  })

  test.each([
    ['no revision', { capabilities: {}, serverInfo }],
    ['a revision that is no string', { protocolVersion: 5, capabilities: {}, serverInfo }],
    ['capabilities that are none', { protocolVersion: '2025-11-25', capabilities: 'all', serverInfo }],
  ])('a handshake with %s', async (_what, result) => {
    const error = await failure(legacyServer({ initialize: (sent) => reply(sent, result) }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE' })
  })
})

test('a session that a failed handshake began is ended', async () => {
  const parts = open(legacyServer({ 'notifications/initialized': plain(500) }))
  await mcpRejection(parts.opening)
  await new Promise(setImmediate)
  const ended = parts.sent.at(-1)!
  expect([ended.method, ended.headers.get('mcp-session-id')]).toEqual(['DELETE', 'session-1'])
})
