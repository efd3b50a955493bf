import { describe, expect, test } from 'vitest'
import { resolveConfig } from '../../src/config.js'
import type { ProtocolVersion } from '../../src/protocol.js'
import { type Attempts, negotiate } from '../../src/session/negotiate.js'
import { type TestEndpoint, testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const identity = { clientInfo: { name: 'test', version: '1' }, capabilities: {} }
const modernResult = { supportedVersions: ['2026-07-28'], capabilities: {}, resultType: 'complete', ttlMs: 0 }

const result = (value: object) => () => Response.json({ jsonrpc: '2.0', id: 'discover', result: value })
const rpcError = (status: number, code: number, data?: unknown) => () =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message: 'no', data } }, { status })
const plain =
  (status: number, type = 'text/plain') =>
  () =>
    new Response('no', { status, headers: { 'content-type': type } })

/** Asks a server; tells the verdict or the error, and the attempts. */
function ask(
  answer: ((sent: Sent) => Response | Promise<Response>) | TestEndpoint,
  protocolVersion: 'auto' | ProtocolVersion = 'auto',
  signal = new AbortController().signal,
) {
  const endpoint = typeof answer === 'function' ? testEndpoint(answer) : answer
  const attempts: Attempts = []
  const config = resolveConfig({ url: endpoint.url, protocolVersion })
  return { endpoint, attempts, verdict: negotiate(endpoint, config, identity, attempts, signal) }
}

/** Answers the first request by the first, and so on. */
function inTurn(...answers: (() => Response)[]) {
  const left = [...answers]
  return () => left.shift()!()
}

test('the question is one server/discover, with the modern headers and _meta', async () => {
  const { endpoint, verdict } = ask(result(modernResult))
  await verdict
  expect(endpoint.sent).toHaveLength(1)
  expect(endpoint.sent[0]!.body).toEqual({
    jsonrpc: '2.0',
    id: 'discover',
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': identity.clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  expect(Object.fromEntries(endpoint.sent[0]!.headers)).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'server/discover',
  })
})

describe('modern is a server that', () => {
  test('lists the revision', async () => {
    const { attempts, verdict } = ask(result({ ...modernResult, supportedVersions: ['2025-11-25', '2026-07-28'] }))
    expect(await verdict).toMatchObject({ era: 'modern', discover: { capabilities: {} } })
    expect(attempts).toEqual([])
  })

  test('answers by an event stream', async () => {
    const body = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'discover', result: modernResult })}\n\n`
    const { verdict } = ask(() => new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    expect(await verdict).toMatchObject({ era: 'modern' })
  })

  test('refuses the very revision that it names, asked once more', async () => {
    const refusal = rpcError(400, -32022, { supported: ['2026-07-28'], requested: '2026-07-28' })
    const { endpoint, verdict } = ask(inTurn(refusal, result(modernResult)))
    expect(await verdict).toMatchObject({ era: 'modern' })
    expect(endpoint.sent).toHaveLength(2)
  })
})

describe('legacy is, with the attempt recorded, a server that', () => {
  test.each<[string, () => Response | Promise<Response>, number | undefined]>([
    ['does not know the method', rpcError(200, -32601), 200],
    ['does not know the method, by 404', rpcError(404, -32601), 404],
    ['wants a session', rpcError(400, -32000), 400],
    ['answers 400 in plain text', plain(400), 400],
    ['answers 404', plain(404), 404],
    ['answers 405', plain(405), 405],
    ['answers 406', plain(406), 406],
    ['answers with a page', plain(200, 'text/html'), undefined],
    ['answers with JSON of its own', () => Response.json({ ok: true }), undefined],
    ['accepts it and says nothing', () => new Response(null, { status: 202 }), 202],
    ['lists earlier revisions only', result({ ...modernResult, supportedVersions: ['2025-06-18'] }), 200],
    ['lists nothing', result({}), 200],
    ['lists no list', result({ supportedVersions: '2026-07-28' }), 200],
    ['names earlier revisions', rpcError(400, -32022, { supported: ['2025-11-25', '2025-06-18'] }), 400],
    ['names no revision', rpcError(400, -32022), 400],
  ])('%s', async (_what, answer, status) => {
    const { endpoint, attempts, verdict } = ask(answer)
    expect(await verdict).toMatchObject({ era: 'legacy' })
    expect(await verdict).not.toHaveProperty('unseen')
    expect(attempts).toMatchObject([
      { transport: 'streamable-http', era: 'modern', reason: expect.stringMatching(/./) },
    ])
    expect(attempts[0]?.status).toBe(status)
    expect(endpoint.sent).toHaveLength(1)
  })

  test.each<[string, () => Response, string | undefined]>([
    [
      'an answer',
      result({ ...modernResult, supportedVersions: ['2024-11-05', '2025-06-18', '2023-01-01'] }),
      '2025-06-18',
    ],
    ['a refusal', rpcError(400, -32022, { supported: ['2025-03-26'] }), '2025-03-26'],
    ['nothing', rpcError(400, -32000), undefined],
  ])('names by %s the revision that it is to be offered', async (_what, answer, offer) => {
    expect(await ask(answer).verdict).toEqual({ era: 'legacy', ...(offer && { offer }) })
  })

  test('refuses the revision that it names, twice', async () => {
    const refusal = rpcError(400, -32022, { supported: ['2026-07-28', '2025-11-25'] })
    const { endpoint, verdict } = ask(inTurn(refusal, refusal))
    expect(await verdict).toMatchObject({ era: 'legacy' })
    expect(endpoint.sent).toHaveLength(2)
  })

  test('gave no answer that could be read: a browser may have refused the headers alone', async () => {
    const { attempts, verdict } = ask(() => Promise.reject(connectionRefused()))
    expect(await verdict).toEqual({ era: 'legacy', unseen: true })
    expect(attempts).toMatchObject([{ era: 'modern', reason: expect.stringContaining('ECONNREFUSED') }])
  })
})

describe('nothing of the era is said, and thrown is', () => {
  test.each<[string, () => Response, string, object]>([
    ['401', plain(401), 'ERR_MCP_UNAUTHORIZED', { status: 401 }],
    ['401 with a JSON-RPC error', rpcError(401, -32000), 'ERR_MCP_UNAUTHORIZED', { status: 401 }],
    ['403', plain(403), 'ERR_MCP_HTTP', { status: 403 }],
    ['429', plain(429), 'ERR_MCP_HTTP', { status: 429 }],
    ['500', plain(500), 'ERR_MCP_HTTP', { status: 500 }],
    ['503', plain(503, 'text/html'), 'ERR_MCP_HTTP', { status: 503 }],
    [
      '403 with a JSON-RPC error, as for a wrong Origin',
      rpcError(403, -32000),
      'ERR_MCP_JSONRPC',
      { status: 403, rpcCode: -32000 },
    ],
    ['500 with a JSON-RPC error', rpcError(500, -32603), 'ERR_MCP_JSONRPC', { status: 500, rpcCode: -32603 }],
    [
      '302',
      () => new Response(null, { status: 302, headers: { location: '/' } }),
      'ERR_MCP_HTTP',
      { reason: 'redirect' },
    ],
    ['a header mismatch', rpcError(400, -32020, { a: 1 }), 'ERR_MCP_JSONRPC', { rpcCode: -32020, rpcData: { a: 1 } }],
    ['a missing capability', rpcError(400, -32021), 'ERR_MCP_JSONRPC', { rpcCode: -32021 }],
  ])('%s', async (_what, answer, code, data) => {
    const { endpoint, attempts, verdict } = ask(answer)
    expect(await mcpRejection(verdict)).toMatchObject({ code, data })
    expect(endpoint.sent).toHaveLength(1)
    expect(attempts, 'that attempt is recorded where connecting fails').toEqual([])
  })

  test('the refusal of the only revision that it names, twice', async () => {
    const refusal = rpcError(400, -32022, { supported: ['2026-07-28'], requested: '2026-07-28' })
    const { verdict } = ask(inTurn(refusal, refusal))
    expect(await mcpRejection(verdict)).toMatchObject({ code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32022 } })
  })

  test('an answer past the size limit', async () => {
    const endpoint = testEndpoint(result({ ...modernResult, instructions: 'x'.repeat(2_000) }), {
      maxResponseBytes: 1_000,
    })
    expect(await mcpRejection(ask(endpoint).verdict)).toMatchObject({ code: 'ERR_MCP_TOO_LARGE' })
  })

  test('the caller’s reason', async () => {
    const reason = { why: 'enough' }
    const { endpoint, verdict } = ask(result(modernResult), 'auto', AbortSignal.abort(reason))
    expect(await rejection(verdict)).toBe(reason)
    expect(endpoint.sent).toEqual([])
  })
})

test.each([
  ['lists', result({ ...modernResult, supportedVersions: ['2031-01-01', '2030-01-01'] })],
  ['names', rpcError(400, -32022, { supported: ['2031-01-01', '2030-01-01'] })],
])('a server that %s later revisions only has none in common', async (_what, answer) => {
  const error = await mcpRejection(ask(answer).verdict)
  expect(error.code).toBe('ERR_MCP_PROTOCOL_VERSION')
  expect(error.message).toContain('2031-01-01, 2030-01-01')
  expect(error.message).toContain('2026-07-28')
})

describe('a revision that is configured', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const)('%s asks nothing', async (version) => {
    const { endpoint, verdict } = ask(result(modernResult), version)
    expect(await verdict).toEqual({ era: 'legacy' })
    expect(endpoint.sent).toEqual([])
  })

  test('2026-07-28 is taken of a modern server', async () => {
    expect(await ask(result(modernResult), '2026-07-28').verdict).toMatchObject({ era: 'modern' })
  })

  test.each([
    ['404', plain(404)],
    ['an unknown method', rpcError(200, -32601)],
    ['earlier revisions', result({ supportedVersions: ['2025-06-18'] })],
    ['a refusal', rpcError(400, -32022, { supported: ['2025-06-18'] })],
  ])('2026-07-28 is not to be had of a server that answers with %s', async (_what, answer) => {
    const { endpoint, verdict } = ask(answer, '2026-07-28')
    expect(await mcpRejection(verdict)).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
    expect(endpoint.sent).toHaveLength(1)
  })

  test('2026-07-28 says nothing of a server that is not there', async () => {
    const error = await mcpRejection(ask(() => Promise.reject(connectionRefused()), '2026-07-28').verdict)
    expect(error).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { reason: 'network' } })
  })
})
