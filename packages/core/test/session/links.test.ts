// A connection that outlives the sessions which its server loses.
import { describe, expect, test } from 'vitest'
import type { ConnectionEvent, ConnectionState, McpConnection } from '../../src/connection.js'
import { encode, eventStreamType } from '../support/byte-source.js'
import { arrival, legacyServer, methodsSent, modernServer, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'
import { sessionServer } from '../support/session-server.js'

failOnUnhandled()

const call = (connection: McpConnection, name = 'pay') => connection.request('tools/call', { name })
const done = (name = 'pay') => ({ content: [{ type: 'text', text: name }] })
const settle = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
}

function watch(connection: McpConnection) {
  const events: ConnectionEvent[] = []
  connection.listen({ state: true }, (event) => events.push(event))
  return {
    events,
    states: () => events.flatMap((event): ConnectionState[] => (event.type === 'state' ? [event.state] : [])),
  }
}

const refusals: [string, (sent: Sent) => Response][] = [
  ['404', () => new Response(null, { status: 404 })],
  [
    '404 with a page',
    () => new Response('<h1>Not found</h1>', { status: 404, headers: { 'content-type': 'text/html' } }),
  ],
  ['404 with a JSON-RPC error', (sent) => rpcError(sent, -32001, 'Session not found', undefined, { status: 404 })],
  [
    '400 with a JSON-RPC error that names the session, of no request',
    () =>
      Response.json(
        { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } },
        { status: 400 },
      ),
  ],
  ['400 with a text that names the session', () => new Response('Invalid or expired SESSION', { status: 400 })],
]

describe.each(refusals)('a session that the server refuses by %s', (_how, refuse) => {
  test('is replaced by one handshake for ten calls, and each runs once', async () => {
    const server = sessionServer({}, refuse)
    const { opening, sent } = open(server.answer)
    const connection = await opening
    const { events } = watch(connection)
    server.forget()
    const names = Array.from({ length: 10 }, (_, index) => `tool-${index}`)
    const before = sent.length
    expect(await Promise.all(names.map((name) => call(connection, name)))).toMatchObject(names.map(done))
    expect(server.sessions).toBe(2)
    expect([...server.runs.values()]).toEqual(names.map(() => 1))
    const initialize = sent.slice(before).filter(({ body }) => body?.method === 'initialize')
    expect(initialize).toHaveLength(1)
    expect(initialize[0]!.headers.has('mcp-session-id')).toBe(false)
    expect(events).toMatchObject([
      { type: 'state', state: { status: 'recovering', error: { code: 'ERR_MCP_HTTP', data: { reason: 'session' } } } },
      { type: 'state', state: { status: 'ready', server: { version: '2' } } },
      { type: 'session-renewed' },
    ])
    expect(connection.state).not.toHaveProperty('error')
    // The server has forgotten it: there is nothing to end.
    expect(methodsSent({ sent })).not.toContain('DELETE')
    await connection.close()
    expect(
      sent.filter(({ method }) => method === 'DELETE').map(({ headers }) => headers.get('mcp-session-id')),
    ).toEqual(['session-2'])
  })

  test('stays as it is when it is not to be replaced, and each call says so', async () => {
    const server = sessionServer({}, refuse)
    const { opening } = open(server.answer, { config: { reinitialize: false } })
    const connection = await opening
    server.forget()
    for (let time = 0; time < 2; time++)
      expect(await mcpRejection(call(connection))).toMatchObject({
        code: 'ERR_MCP_HTTP',
        data: { reason: 'session', outcome: 'not-run', tool: 'pay' },
      })
    expect(server.sessions).toBe(1)
    expect(connection.state.status).toBe('ready')
  })
})

describe('a 400 that is no session’s', () => {
  test.each<[string, (sent: Sent) => Response, object]>([
    ['names none', () => new Response('Bad Request', { status: 400 }), { code: 'ERR_MCP_HTTP', data: { status: 400 } }],
    [
      'blames the parameters',
      (sent) => rpcError(sent, -32602, 'session_date is required', undefined, { status: 400 }),
      { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32602 } },
    ],
  ])('since it %s is the call’s own error', async (_why, refuse, expected) => {
    const server = sessionServer({ 'tools/call': refuse })
    const { opening } = open(server.answer)
    const connection = await opening
    expect(await mcpRejection(call(connection))).toMatchObject(expected)
    expect([server.sessions, connection.state.status]).toEqual([1, 'ready'])
  })

  test('since it says what was not found is the call’s own error', async () => {
    const server = sessionServer({
      'resources/read': (sent) => rpcError(sent, -32002, 'Resource not found', undefined, { status: 404 }),
    })
    const { opening } = open(server.answer)
    const connection = await opening
    expect(await mcpRejection(connection.request('resources/read', { uri: 'a:b' }))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32002 },
    })
    expect([server.sessions, connection.state.status]).toEqual([1, 'ready'])
  })

  test('since the server has none is the call’s own error', async () => {
    const { opening, sent } = open((request) =>
      legacyServer({
        initialize: (sent) =>
          reply(sent, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'a', version: '1' } }),
        'tools/call': () => new Response('no session', { status: 400 }),
      })(request),
    )
    expect(await mcpRejection(call(await opening))).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 400 } })
    expect(methodsSent({ sent }).filter((method) => method === 'initialize')).toHaveLength(1)
  })
})

describe('the calls that wait for a new session', () => {
  test('fail each with its own error when there is none, not run, and the next one tries again', async () => {
    const server = sessionServer()
    let isDown = false
    const { opening } = open((sent) =>
      isDown && sent.body?.method === 'initialize' ? Promise.reject(connectionRefused()) : server.answer(sent),
    )
    const connection = await opening
    const { states } = watch(connection)
    server.forget()
    isDown = true
    const errors = await Promise.all(['a', 'b'].map((name) => mcpRejection(call(connection, name))))
    expect(errors).toMatchObject(
      ['a', 'b'].map((tool) => ({
        code: 'ERR_MCP_CONNECT',
        data: { tool, method: 'tools/call', outcome: 'not-run', server: 'https://server.example/mcp' },
      })),
    )
    expect(errors[0]).not.toBe(errors[1])
    expect(states().at(-1)).toMatchObject({ status: 'recovering', error: { code: 'ERR_MCP_CONNECT' } })
    isDown = false
    expect(await call(connection)).toMatchObject(done())
    expect(connection.state.status).toBe('ready')
  })

  test('end with the connection, not run', async () => {
    const server = sessionServer()
    let initializing = 0
    const { opening, sent, timers } = open((request) =>
      request.body?.method === 'initialize' && ++initializing > 1 ? new Promise(() => {}) : server.answer(request),
    )
    const connection = await opening
    server.forget()
    const waiting = mcpRejection(call(connection))
    while (initializing < 2) await new Promise(setImmediate)
    await connection.close()
    expect(await waiting).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { outcome: 'not-run', tool: 'pay' } })
    expect(timers.pending()).toBe(0)
    expect(sent.at(-1)!.signal.aborted).toBe(true)
    expect(connection.state).toEqual({ status: 'closed', server: expect.anything() })
  })

  test('keep their own deadline', async () => {
    const server = sessionServer()
    let initializing = 0
    const { opening, timers } = open((request) =>
      request.body?.method === 'initialize' && ++initializing > 1 ? new Promise(() => {}) : server.answer(request),
    )
    const connection = await opening
    server.forget()
    const waiting = mcpRejection(connection.request('tools/call', { name: 'pay' }, { timeoutMs: 2_000 }))
    while (initializing < 2) await new Promise(setImmediate)
    timers.advance(2_000)
    expect(await waiting).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { tool: 'pay' } })
  })
})

test('a session that is refused as soon as it is handed out is not asked for without end', async () => {
  const { opening, sent, timers } = open(
    legacyServer({
      'tools/call': () => new Response(null, { status: 404 }),
      GET: () => new Response(null, { status: 405 }),
    }),
  )
  const connection = await opening
  for (let time = 0; time < 20; time++)
    expect(await mcpRejection(call(connection))).toMatchObject({
      code: 'ERR_MCP_HTTP',
      data: { reason: 'session', outcome: 'not-run' },
    })
  const handshakes = () => methodsSent({ sent }).filter((method) => method === 'initialize').length
  expect(handshakes()).toBeLessThanOrEqual(4)
  expect((await mcpRejection(call(connection))).message).toMatch(/refuses each session/)
  const before = handshakes()
  timers.advance(30_000)
  await mcpRejection(call(connection))
  expect(handshakes()).toBeGreaterThan(before)
})

test('each call brings one new session at the most', async () => {
  const { opening, sent } = open(legacyServer({ 'tools/call': () => new Response(null, { status: 404 }) }))
  const connection = await opening
  await mcpRejection(call(connection))
  expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(2)
  expect(methodsSent({ sent }).filter((method) => method === 'initialize')).toHaveLength(2)
})

test('a bare error in a 200 fails the call at once, which may have run; the next call begins a new session', async () => {
  const server = sessionServer()
  let broken = true
  const { opening, sent } = open((request) =>
    broken && request.body?.method === 'tools/call'
      ? Response.json({ error: 'Session not found' })
      : server.answer(request),
  )
  const connection = await opening
  expect(await mcpRejection(call(connection))).toMatchObject({
    code: 'ERR_MCP_INVALID_RESPONSE',
    data: { outcome: 'unknown', tool: 'pay' },
  })
  expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(1)
  broken = false
  expect(await call(connection)).toMatchObject(done())
  expect(server.sessions).toBe(2)
})

test('a call under way on the old session gets its reply, and what the old session announces is no news', async () => {
  let push = (_message: object) => {}
  let tellLeft = () => {}
  const left = new Promise<void>((resolve) => {
    tellLeft = resolve
  })
  const old = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (message) => controller.enqueue(encode(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`))
    },
    cancel: tellLeft,
  })
  const slow = (request: Sent) =>
    request.body?.params?.name === 'slow'
      ? new Response(old, { headers: eventStreamType })
      : reply(request, { content: [{ type: 'text', text: 'pay' }] })
  const server = sessionServer({ 'tools/call': slow })
  const { opening, sent } = open(server.answer)
  const connection = await opening
  const changes: ConnectionEvent[] = []
  connection.listen({ lists: true }, (event) => event.type === 'list-changed' && changes.push(event))
  const slowCall = call(connection, 'slow')
  const { body } = await arrival({ sent }, 'tools/call')
  server.forget()
  expect(await call(connection)).toMatchObject(done())
  push({ method: 'notifications/tools/list_changed' })
  await settle()
  push({ id: body!.id, result: { content: [{ type: 'text', text: 'slow' }] } })
  expect(await slowCall).toMatchObject(done('slow'))
  expect(changes).toEqual([])
  await left
  expect(connection.state.status).toBe('ready')
})

describe('a modern server that refuses the revision in the middle', () => {
  const refused = (sent: Sent, supported: string[]) =>
    rpcError(sent, -32022, 'Unsupported protocol version', { supported, requested: '2026-07-28' }, { status: 400 })

  test('is asked anew what it speaks, and the call is sent once more', async () => {
    let calls = 0
    const answer = modernServer({
      'tools/call': (sent) =>
        ++calls === 1 ? refused(sent, ['2026-07-28']) : reply(sent, { content: [{ type: 'text', text: 'pay' }] }),
    })
    const { opening, sent } = open(answer)
    const connection = await opening
    expect(await call(connection)).toMatchObject(done())
    expect(methodsSent({ sent })).toEqual(['server/discover', 'tools/call', 'server/discover', 'tools/call'])
  })

  test('and now speaks an earlier one is spoken to in that one', async () => {
    const old = sessionServer()
    let isOld = false
    const modern = modernServer({
      'tools/call': (sent) => {
        isOld = true
        return refused(sent, ['2025-11-25'])
      },
    })
    const { opening } = open((sent) => (isOld ? old.answer(sent) : modern(sent)))
    const connection = await opening
    expect(await call(connection)).toMatchObject(done())
    expect(connection.state.server).toMatchObject({ era: 'legacy' })
  })

  test('again and again gets two calls and no more', async () => {
    const { opening, sent } = open(modernServer({ 'tools/call': (sent) => refused(sent, ['2026-07-28']) }))
    expect(await mcpRejection(call(await opening))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32022, outcome: 'not-run', tool: 'pay' },
    })
    expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(2)
  })
})

describe('a page that goes away', () => {
  test('ends the session by a request that outlives it, once', async () => {
    let leave = () => {}
    const server = sessionServer()
    const { opening, sent } = open(server.answer, {
      runtime: {
        leave(listener) {
          leave = listener
          return () => {}
        },
      },
    })
    const connection = await opening
    leave()
    const { headers, init } = await arrival({ sent }, 'DELETE')
    expect([headers.get('mcp-session-id'), init.keepalive]).toEqual(['session-1', true])
    await connection.close()
    expect(methodsSent({ sent }).filter((method) => method === 'DELETE')).toHaveLength(1)
  })

  test('says nothing to a server without sessions', async () => {
    let leave = () => {}
    const { opening, sent } = open(modernServer(), {
      runtime: {
        leave(listener) {
          leave = listener
          return () => {}
        },
      },
    })
    const connection = await opening
    const before = sent.length
    leave()
    await settle()
    expect(sent).toHaveLength(before)
    await connection.close()
  })
})
