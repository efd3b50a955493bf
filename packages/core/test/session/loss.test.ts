// What becomes of a connection, and of each call, when something is lost.
import { describe, expect, test } from 'vitest'
import type { ConnectionState } from '../../src/connection.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { arrival, legacyServer, methodsSent, modernServer, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

describe('an HTTP+SSE stream that ends', () => {
  const silent = { 'tools/call': () => undefined, 'prompts/list': () => undefined }
  test.each(['end', 'cut'] as const)(
    'by %s fails each call under way, its state says so, and the next call begins another',
    async (how) => {
      const server = sseServer(
        sseReplies({
          ...silent,
          'tools/list': (sent) => ({ jsonrpc: '2.0', id: sent.body?.id, result: { tools: [] } }),
        }),
      )
      const { opening, sent, timers } = open(server.answer, { config: { transport: 'sse' } })
      const connection = await opening
      const states: ConnectionState[] = []
      connection.listen({ state: true }, (event) => event.type === 'state' && states.push(event.state))
      const calls = [connection.request('tools/call', { name: 'a' }), connection.request('tools/call', { name: 'b' })]
      const listing = connection.request('prompts/list', {})
      await arrival({ sent }, 'prompts/list')
      server[how]()
      const [first, second, list] = await Promise.all([...calls, listing].map(mcpRejection))
      const lost = { reason: 'network', server: 'https://server.example/mcp' }
      expect(first).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { ...lost, tool: 'a', outcome: 'unknown' } })
      expect(second).toMatchObject({
        code: 'ERR_MCP_OUTCOME_UNKNOWN',
        data: { ...lost, tool: 'b', outcome: 'unknown' },
      })
      expect(list).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { ...lost, method: 'prompts/list' } })
      while (states.length === 0) await new Promise(setImmediate)
      expect(states).toMatchObject([{ status: 'recovering', error: { code: 'ERR_MCP_DISCONNECTED', data: lost } }])
      expect(connection.state).toBe(states[0])
      const before = sent.length
      expect(await connection.request('tools/list', {})).toEqual({ tools: [] })
      expect(methodsSent({ sent }).slice(before)).toEqual([
        'GET',
        'initialize',
        'notifications/initialized',
        'tools/list',
      ])
      expect(states.slice(1)).toMatchObject([{ status: 'ready', server: { transport: 'sse' } }])
      await connection.close()
      expect(timers.pending()).toBe(0)
    },
  )

  test('is no error when the app has closed the connection', async () => {
    const server = sseServer(sseReplies())
    const connection = await open(server.answer, { config: { transport: 'sse' } }).opening
    await connection.close()
    await server.left
    await new Promise(setImmediate)
    expect(connection.state).not.toHaveProperty('error')
  })
})

describe('a call that waits to be sent again', () => {
  const refusing = () => new Response(null, { status: 429, headers: { 'retry-after': '100' } })
  test.each([
    ['modern', modernServer],
    ['legacy', legacyServer],
  ] as const)('of a %s server ends with the connection: it did not run', async (_era, server) => {
    const { opening, timers, sent } = open(server({ 'tools/call': refusing }))
    const connection = await opening
    const call = mcpRejection(connection.request('tools/call', { name: 'a' }))
    await arrival({ sent }, 'tools/call')
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    await connection.close()
    expect(await call).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { tool: 'a', outcome: 'not-run' } })
    expect(timers.pending()).toBe(0)
    expect(sent.filter(({ body }) => body?.method === 'tools/call')).toHaveLength(1)
  })
})

describe('every error of a call tells its outcome', () => {
  const stream = (text: string, end: 'close' | 'break') => () =>
    new Response(byteSource([text], end).body, { headers: eventStreamType })
  const json = (text: string) => () => new Response(text, { headers: { 'content-type': 'application/json' } })
  const status =
    (code: number, headers = {}) =>
    () =>
      new Response(null, { status: code, headers })
  const rpc =
    (code: number, http = 200) =>
    (sent: Sent) =>
      rpcError(sent, code, 'no', undefined, { status: http })

  test.each<[string, (sent: Sent) => Response | Promise<Response>, string, 'not-run' | 'unknown']>([
    ...[400, 401, 402, 403, 404, 405, 406, 410, 413, 415, 422, 429].map(
      (code): [string, () => Response, string, 'not-run'] => [
        `HTTP ${code}`,
        status(code),
        code === 401 ? 'ERR_MCP_UNAUTHORIZED' : 'ERR_MCP_HTTP',
        'not-run',
      ],
    ),
    ...[408, 409, 500, 502, 503, 504].map((code): [string, () => Response, string, 'unknown'] => [
      `HTTP ${code}`,
      status(code),
      'ERR_MCP_HTTP',
      'unknown',
    ]),
    ['a redirect that keeps the request', status(307, { location: 'https://x.example' }), 'ERR_MCP_HTTP', 'not-run'],
    ['a redirect of what is done', status(303, { location: '/done' }), 'ERR_MCP_HTTP', 'unknown'],
    ['a refused connection', () => Promise.reject(connectionRefused()), 'ERR_MCP_DISCONNECTED', 'not-run'],
    ['a failed network', () => Promise.reject(new TypeError('Failed to fetch')), 'ERR_MCP_OUTCOME_UNKNOWN', 'unknown'],
    ['a cut stream', stream(': hi\n\n', 'break'), 'ERR_MCP_OUTCOME_UNKNOWN', 'unknown'],
    ['an ended stream', stream(': hi\n\n', 'close'), 'ERR_MCP_OUTCOME_UNKNOWN', 'unknown'],
    ['202', status(202), 'ERR_MCP_OUTCOME_UNKNOWN', 'unknown'],
    ['no JSON', json('{'), 'ERR_MCP_INVALID_RESPONSE', 'unknown'],
    ['no JSON-RPC', json('[]'), 'ERR_MCP_INVALID_RESPONSE', 'unknown'],
    ['a bare error', json('{"error":"expired"}'), 'ERR_MCP_INVALID_RESPONSE', 'unknown'],
    [
      'a page',
      () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
      'ERR_MCP_INVALID_RESPONSE',
      'unknown',
    ],
    ['too much', json(' '.repeat(20_000)), 'ERR_MCP_TOO_LARGE', 'unknown'],
    ['an unknown method', rpc(-32601, 404), 'ERR_MCP_JSONRPC', 'not-run'],
    ['a header mismatch', rpc(-32020, 400), 'ERR_MCP_JSONRPC', 'not-run'],
    ['an error of the tool’s', rpc(-32602), 'ERR_MCP_JSONRPC', 'unknown'],
    ['an internal error', rpc(-32603, 500), 'ERR_MCP_JSONRPC', 'unknown'],
  ])('%s', async (_what, answer, code, outcome) => {
    for (const server of [modernServer, legacyServer]) {
      const config = { maxResponseBytes: 10_000 }
      const { opening, timers } = open(server({ 'tools/call': answer }), { config })
      const connection = await opening
      const call = mcpRejection(connection.request('tools/call', { name: 'pay' }, { timeoutMs: 60_000 }))
      for (let second = 0; second < 10; second++) {
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
        timers.advance(1_000)
      }
      const error = await call
      expect(error).toMatchObject({
        code,
        data: { outcome, tool: 'pay', method: 'tools/call', server: 'https://server.example/mcp' },
      })
      await connection.close()
      expect(timers.pending()).toBe(0)
    }
  })
})
