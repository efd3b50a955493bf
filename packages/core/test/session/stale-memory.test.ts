// What is remembered of a server that has changed since: nobody is told of it, and nothing runs twice.
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/protocol.js'
import {
  type Answer,
  call,
  changing,
  done,
  legacy,
  list,
  modern,
  old,
  remembering,
  status,
  strictLegacy,
} from '../support/changing-server.js'
import { arrival, methodsSent, modernServer, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

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

describe.each(['legacy', 'strict legacy', 'HTTP+SSE'])(
  'a modern server that becomes %s in the middle of a connection',
  (after) => {
    const [is, server] = kinds[after]!

    test('is spoken to as it is from the next list on', async () => {
      const changed = changing(modern())
      const { opening, sent } = changed.connect()
      const connection = await opening
      await call(connection)
      changed.become(is())
      expect(await list(connection)).toEqual({ tools: [] })
      expect(connection.state).toMatchObject({ status: 'ready', server })
      expect(await call(connection, 'b')).toMatchObject({ content: [{ type: 'text' }] })
      expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(2)
      await connection.close()
    })

    test('refuses one call, which is not sent again, and runs the next', async () => {
      const changed = changing(modern())
      const { opening, sent } = changed.connect()
      const connection = await opening
      await call(connection)
      changed.become(is())
      await mcpRejection(call(connection, 'b'))
      expect(await call(connection, 'c')).toMatchObject({ content: [{ type: 'text' }] })
      expect(connection.state).toMatchObject({ status: 'ready', server })
      expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(3)
      await connection.close()
    })
  },
)

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
  // The list is read again for those who listen: the tools may be others now.
  expect(posted.slice(2)).toEqual([
    'tools/call',
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/list',
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

test('a server that may not be remembered any more is forgotten', async () => {
  const server = await remembering(legacy())
  server.become(modernServer())
  const methods: string[][] = []
  for (let time = 0; time < 2; time++) {
    const parts = server.connect()
    await (await parts.opening).close()
    methods.push(methodsSent(parts))
  }
  expect(methods).toEqual([['initialize', 'server/discover'], ['server/discover']])
})

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
    const { opening, sent } = open(make(), { runtime: { memory } })
    const connection = await opening
    expect(await list(connection)).toEqual({ tools: [] })
    expect(await call(connection)).toMatchObject(done())
    expect(connection.state).toMatchObject({ status: 'ready', server: expected })
    expect(methodsSent({ sent }).filter((method) => method === 'tools/call')).toHaveLength(1)
    await connection.close()
  })

  test('that fails', async () => {
    const fail = () => Promise.reject(new Error('locked'))
    const { opening, sent } = open(legacy(), { runtime: { memory: { get: fail, set: fail, delete: fail } } })
    await list(await opening)
    expect(methodsSent({ sent })).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/list'])
    await (await opening).close()
  })
})
