import { describe, expect, test } from 'vitest'
import { type Answer, call, done, legacy, list, modern, remembering, status } from '../support/changing-server.js'
import { arrival, methodsSent, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused } from '../support/scripted-fetch.js'

failOnUnhandled()

describe('a modern server, remembered', () => {
  test('is asked before a tool is called that way, once for all', async () => {
    const server = await remembering(modern())
    const { opening, sent } = server.connect()
    const connection = await opening
    expect(methodsSent({ sent })).toEqual([])
    expect(await Promise.all([call(connection, 'a'), call(connection, 'b')])).toMatchObject([done('a'), done('b')])
    expect(await call(connection, 'c')).toMatchObject(done('c'))
    expect(methodsSent({ sent })).toEqual(['server/discover', 'tools/call', 'tools/call', 'tools/call'])
    expect(connection.state.status).toBe('ready')
    await connection.close()
  })

  test('is not asked once a list has come', async () => {
    const server = await remembering(modern())
    const { opening, sent } = server.connect()
    await list(await opening)
    await call(await opening)
    expect(methodsSent({ sent })).toEqual(['tools/list', 'tools/call'])
    await (await opening).close()
  })

  test.each<[string, Answer, object, string[]]>([
    ['that it does not know', (sent) => rpcError(sent, -32601, 'no', undefined, { status: 404 }), { prompts: [] }, []],
    [
      'that it fails',
      (sent) => rpcError(sent, -32603, 'broken'),
      { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32603, method: 'prompts/list' } },
      [],
    ],
    [
      // No modern server says so: each time it may have become another.
      'by a bare 404',
      status(404),
      { code: 'ERR_MCP_HTTP', data: { status: 404, method: 'prompts/list' } },
      ['server/discover'],
    ],
  ])('that is asked for a list %s is asked whether it is modern, and stays', async (_what, answer, expected, again) => {
    const server = await remembering(modern())
    server.become(modern({ 'prompts/list': answer }))
    const { opening, sent, events } = server.connect()
    const connection = await opening
    expect(await connection.request('prompts/list', {}).catch((error) => error)).toMatchObject(expected)
    await connection.request('prompts/list', {}).catch(() => {})
    expect(methodsSent({ sent })).toEqual(['prompts/list', 'server/discover', 'prompts/list', ...again])
    expect(events.flatMap((event) => (event.type === 'state' ? [event.state.status] : []))).toEqual(['ready'])
    await connection.close()
  })

  test.each([401, 403, 500])('that answers %d is not doubted', async (code) => {
    const server = await remembering(modern())
    server.become(status(code))
    const { opening, sent } = server.connect()
    expect((await mcpRejection(list(await opening))).data).toMatchObject({ status: code, method: 'tools/list' })
    expect(methodsSent({ sent })).toEqual(['tools/list'])
    await (await opening).close()
    server.become(modern())
    const again = server.connect()
    await list(await again.opening)
    expect(methodsSent(again), 'it is still remembered').toEqual(['tools/list'])
    await (await again.opening).close()
  })

  test.each([401, 403, 500])('that answers %d when it is asked before a call did not run it', async (code) => {
    const server = await remembering(modern())
    server.become(status(code))
    const { opening, sent } = server.connect()
    const error = await mcpRejection(call(await opening))
    expect(error.data).toMatchObject({ status: code, method: 'tools/call', tool: 'a', outcome: 'not-run' })
    expect(methodsSent({ sent })).toEqual(['server/discover'])
    await (await opening).close()
  })

  test.each(['list', 'call'] as const)('that is gone is a ConnectError to the first %s', async (kind) => {
    const server = await remembering(modern())
    server.become(() => Promise.reject(connectionRefused()))
    const { opening } = server.connect()
    const connection = await opening
    const error = await mcpRejection(kind === 'list' ? list(connection) : call(connection))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONNECT', data: { outcome: 'not-run' } })
    expect(error.data.attempts).toMatchObject([{ era: 'modern' }, { era: 'legacy' }])
    expect(connection.state.status).toBe('recovering')
    server.become(legacy())
    expect(await call(connection)).toMatchObject(done())
    await connection.close()
  })

  test('whose question one caller leaves answers the other', async () => {
    const server = await remembering(modern())
    let asked = 0
    const discover: Answer = (sent) => {
      asked++
      return asked === 1 ? new Promise<never>(() => {}) : modern()(sent)
    }
    server.become(modern({ 'server/discover': discover }))
    const { opening, timers } = server.connect()
    const connection = await opening
    const abort = new AbortController()
    const left = rejection(connection.request('tools/call', { name: 'a' }, { signal: abort.signal }))
    const stays = call(connection, 'b')
    while (asked === 0) await new Promise(setImmediate)
    abort.abort('enough')
    expect(await left).toBe('enough')
    expect(await stays).toMatchObject(done('b'))
    await connection.close()
    expect(timers.pending()).toBe(0)
  })

  test('that is closed while it is asked ends the call', async () => {
    const server = await remembering(modern())
    server.become(() => new Promise<never>(() => {}))
    const parts = server.connect()
    const connection = await parts.opening
    const failing = mcpRejection(call(connection))
    await arrival(parts, 'server/discover')
    await connection.close()
    expect(await failing).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { tool: 'a', outcome: 'not-run' } })
    expect(parts.timers.pending()).toBe(0)
  })

  test('and pinned, that no longer speaks the revision, says so', async () => {
    const config = { protocolVersion: '2026-07-28' } as const
    const server = await remembering(modern(), { config })
    server.become(legacy())
    const { opening, sent } = server.connect({ config })
    expect(await mcpRejection(call(await opening))).toMatchObject({
      code: 'ERR_MCP_PROTOCOL_VERSION',
      data: { outcome: 'not-run' },
    })
    expect(methodsSent({ sent })).not.toContain('tools/call')
    await (await opening).close()
    expect(await mcpRejection(server.connect({ config }).opening)).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
  })
})
