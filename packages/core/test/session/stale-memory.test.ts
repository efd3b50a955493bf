// What is remembered of a server that has changed since: nobody is told of it, and nothing runs twice.
import { describe, expect, test } from 'vitest'
import type { KeyValueStore } from '../../src/config.js'
import type { ConnectionEvent, McpConnection } from '../../src/connection.js'
import { createMemoryStore } from '../../src/memory-store.js'
import type { Json } from '../../src/protocol.js'
import { arrival, legacyServer, methodsSent, modernServer, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open, url } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

type Answer = (sent: Sent) => Response | Promise<Response>

const status = (code: number) => () => new Response('no', { status: code })

const modern = (own: Record<string, Answer> = {}): Answer =>
  modernServer({
    'server/discover': (sent) =>
      reply(sent, {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 3_600_000,
        _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      }),
    initialize: (sent) => rpcError(sent, -32601, 'Method not found', undefined, { status: 404 }),
    ...own,
  })

/** Counts sessions, and wants the right one. */
function legacy(own: Record<string, Answer> = {}): Answer {
  const session = (answer: Answer): Answer => {
    return (sent) =>
      sent.headers.get('mcp-session-id') === 'session-1'
        ? answer(sent)
        : rpcError(sent, -32000, 'Bad Request: no session', undefined, { status: 400 })
  }
  return legacyServer({
    'tools/list': session((sent) => reply(sent, { tools: [] })),
    'tools/call': session((sent) =>
      reply(sent, { content: [{ type: 'text', text: String(sent.body?.params?.name) }] }),
    ),
    ...own,
  })
}

/** What such a server is since 2026-07-28: it refuses the revision by its header. */
const strictLegacy = (): Answer => {
  const server = legacy()
  return (sent) =>
    sent.headers.get('mcp-protocol-version') === '2026-07-28'
      ? rpcError(sent, -32000, 'Bad Request: Unsupported protocol version', undefined, { status: 400 })
      : server(sent)
}

function old(): Answer {
  const server = sseServer(
    sseReplies({ 'tools/list': (sent) => ({ jsonrpc: '2.0', id: sent.body?.id, result: { tools: [] } }) }),
  )
  return (sent) =>
    sent.method === 'POST' && sent.url === url ? new Response('no', { status: 404 }) : server.answer(sent)
}

/** A server that can be replaced by another at the same URL, and what it is connected to with. */
function changing(first: Answer) {
  let now = first
  const memory = createMemoryStore()
  let writes = 0
  const store: KeyValueStore = {
    ...memory,
    async set(key, value) {
      await memory.set(key, value)
      writes++
    },
  }
  return {
    store,
    become(next: Answer) {
      now = next
    },
    async written(count: number) {
      while (writes < count) await new Promise(setImmediate)
    },
    connect(options: Parameters<typeof open>[1] = {}) {
      const events: ConnectionEvent[] = []
      const onEvent = (event: ConnectionEvent) => events.push(event)
      const parts = open((sent) => now(sent), { memory: store, ...options, hooks: { onEvent, ...options.hooks } })
      return { ...parts, events }
    },
  }
}

/** Has connected once, so that the server is remembered. */
async function remembering(first: Answer, config: Parameters<typeof open>[1] = {}) {
  const server = changing(first)
  const { opening } = server.connect(config)
  await (await opening).close()
  await server.written(1)
  return server
}

const list = (connection: McpConnection) => connection.request('tools/list', {})
const call = (connection: McpConnection, name = 'a') => connection.request('tools/call', { name })
const done = (name = 'a') => ({ content: [{ type: 'text', text: name }] })

const ofLegacy = { era: 'legacy', transport: 'streamable-http' }
const kinds: Record<string, [make: () => Answer, server: object]> = {
  modern: [modern, { era: 'modern', transport: 'streamable-http' }],
  legacy: [legacy, ofLegacy],
  'strict legacy': [strictLegacy, ofLegacy],
  'HTTP+SSE': [old, { era: 'legacy', transport: 'sse' }],
}
const changes = Object.keys(kinds).flatMap((before) =>
  Object.keys(kinds).flatMap((after) => (before === after ? [] : [[before, after] as const])),
)

describe.each(changes)('a server that was %s and is %s', (before, after) => {
  const [was] = kinds[before]!
  const [is, server] = kinds[after]!

  test('lists its tools, calls one once, and is remembered as it is', async () => {
    const changed = await remembering(was())
    changed.become(is())
    const { opening, sent, timers } = changed.connect()
    const connection = await opening
    expect(await list(connection)).toEqual({ tools: [] })
    expect(connection.state).toMatchObject({ status: 'ready', server })
    expect(connection.state).not.toHaveProperty('error')
    expect(await call(connection)).toMatchObject({ content: [{ type: 'text' }] })
    expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(1)
    await connection.close()
    expect(timers.pending()).toBe(0)
    // What did not change is not written anew, lest it be remembered for ever.
    await changed.written(server === kinds[before]![1] ? 1 : 2)
    const again = changed.connect()
    await list(await again.opening)
    expect((await again.opening).state).toMatchObject({ status: 'ready', server })
    expect(methodsSent(again)).not.toContain('server/discover')
    await (await again.opening).close()
  })

  test('calls a tool once, though it is the first request', async () => {
    const changed = await remembering(was())
    changed.become(is())
    const { opening, sent } = changed.connect()
    const connection = await opening
    expect(await call(connection)).toMatchObject({ content: [{ type: 'text' }] })
    expect(connection.state).toMatchObject({ status: 'ready', server })
    expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(1)
    await connection.close()
  })

  test('serves ten requests at once by one new handshake', async () => {
    const changed = await remembering(was())
    changed.become(is())
    const { opening, sent } = changed.connect()
    const connection = await opening
    const results = Array.from({ length: 10 }, (_, index) => (index % 2 ? list(connection) : call(connection)))
    await Promise.all(results)
    const calls = methodsSent({ sent }).filter((method) => method === 'tools/call')
    expect(calls).toHaveLength(5)
    expect(methodsSent({ sent }).filter((method) => method === 'notifications/initialized').length).toBe(
      after === 'modern' ? 0 : 1,
    )
    await connection.close()
  })
})

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

  test.each<[string, Answer, object]>([
    ['that it does not know', (sent) => rpcError(sent, -32601, 'no', undefined, { status: 404 }), { prompts: [] }],
    [
      'that it fails',
      (sent) => rpcError(sent, -32603, 'broken'),
      { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32603, method: 'prompts/list' } },
    ],
    ['by 404', status(404), { code: 'ERR_MCP_HTTP', data: { status: 404, method: 'prompts/list' } }],
  ])('that is asked for a list %s is asked whether it is modern, and stays', async (_what, answer, expected) => {
    const server = await remembering(modern())
    server.become(modern({ 'prompts/list': answer }))
    const { opening, sent, events } = server.connect()
    const connection = await opening
    expect(await connection.request('prompts/list', {}).catch((error) => error)).toMatchObject(expected)
    await connection.request('prompts/list', {}).catch(() => {})
    expect(methodsSent({ sent })).toEqual(['prompts/list', 'server/discover', 'prompts/list'])
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

test('a refusal of the revision in the middle of a connection leads to a question, not to the memory', async () => {
  const server = changing(modern())
  const { opening, sent } = server.connect()
  const connection = await opening
  await list(connection)
  await server.written(1)
  const refuse: Answer = (sent) =>
    rpcError(sent, -32022, 'no', { supported: ['2025-11-25'], requested: '2026-07-28' }, { status: 400 })
  const behind = legacy({ 'server/discover': refuse })
  server.become((sent) => (sent.headers.get('mcp-protocol-version') === '2026-07-28' ? refuse(sent) : behind(sent)))
  expect(await call(connection)).toMatchObject(done())
  expect(connection.state).toMatchObject({ status: 'ready', server: { era: 'legacy' } })
  const posted = methodsSent({ sent: sent.filter(({ method }) => method === 'POST') })
  expect(posted.slice(2)).toEqual([
    'tools/call',
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/call',
  ])
  await connection.close()
})

test('a server that answers nothing as it was the last time leaves time to ask anew', async () => {
  const server = await remembering(old())
  const behind = legacy()
  server.become((sent) =>
    sent.method === 'GET'
      ? new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
      : behind(sent),
  )
  const parts = server.connect({ config: { connectTimeoutMs: 10_000 } })
  await arrival(parts, 'GET')
  // The stream is there, but nothing comes by it.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  parts.timers.advance(5_000)
  expect((await parts.opening).state.server).toMatchObject({ era: 'legacy', transport: 'streamable-http' })
  await (await parts.opening).close()
  expect(parts.timers.pending()).toBe(0)
})

test.each([401, 403, 500])(
  'a legacy server that answers %d is not asked anew, and is still remembered',
  async (code) => {
    const server = await remembering(legacy())
    server.become(status(code))
    const { opening, sent } = server.connect()
    const error = await mcpRejection(opening)
    expect(error.data).toMatchObject({ status: code, attempts: [{ era: 'legacy', status: code }] })
    expect(methodsSent({ sent })).toEqual(['initialize'])
    server.become(legacy())
    const again = server.connect()
    await (await again.opening).close()
    expect(methodsSent(again).slice(0, 2)).toEqual(['initialize', 'notifications/initialized'])
  },
)

test('a failed connect tells what was tried first, too', async () => {
  const server = await remembering(legacy())
  server.become(status(404))
  const error = await mcpRejection(server.connect().opening)
  expect(error.data.attempts?.map(({ transport, era, status }) => [transport, era, status])).toEqual([
    ['streamable-http', 'legacy', 404],
    ['sse', 'legacy', 404],
    ['streamable-http', 'modern', 404],
    ['streamable-http', 'legacy', 404],
    ['sse', 'legacy', 404],
  ])
})

describe('a memory harms nothing', () => {
  const wrong: Record<string, Json> = {
    'a modern server': {
      era: 'modern',
      discover: { supportedVersions: ['2026-07-28'], capabilities: 'all', ttlMs: 1_000 },
      at: 0,
      until: 1_000,
    },
    'HTTP+SSE': { era: 'legacy', transport: 'sse', at: 0, until: 1_000 },
    nonsense: { era: 7 },
  }
  test.each(
    Object.keys(wrong).flatMap((what) => ['modern', 'legacy', 'strict legacy'].map((kind) => [what, kind] as const)),
  )('that gives %s each time, and forgets nothing, of one that is %s', async (what, kind) => {
    const [make, expected] = kinds[kind]!
    const memory = { get: async () => wrong[what], set: async () => {}, delete: async () => {} }
    const { opening, sent } = open(make(), { memory })
    const connection = await opening
    expect(await list(connection)).toEqual({ tools: [] })
    expect(await call(connection)).toMatchObject(done())
    expect(connection.state).toMatchObject({ status: 'ready', server: expected })
    expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(1)
    await connection.close()
  })

  test('that fails', async () => {
    const fail = () => Promise.reject(new Error('locked'))
    const { opening, sent } = open(legacy(), { memory: { get: fail, set: fail, delete: fail } })
    await list(await opening)
    expect(methodsSent({ sent })).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/list'])
    await (await opening).close()
  })
})
