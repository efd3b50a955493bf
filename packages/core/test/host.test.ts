import { describe, expect, test } from 'vitest'
import type { ConnectOptions, ServerConfig } from '../src/config.js'
import type { McpConnection } from '../src/connection.js'
import { ConnectError } from '../src/errors.js'
import { createHostFrom } from '../src/host.js'
import type { Toolset } from '../src/toolset/toolset.js'
import { createFakeServer, deferred, type FakeServer, rejection } from './fake-server.js'

type Answer = FakeServer | ((options: ConnectOptions) => Promise<McpConnection>)

/** A host whose clock stands still until `elapse`. */
function createTestHost(servers: Record<string, Answer>) {
  const opened: { config: ServerConfig; options: ConnectOptions; name: string | undefined }[] = []
  const timers = new Map<() => void, number>()
  const host = createHostFrom({
    async open(config, options, name) {
      opened.push({ config, options, name })
      const server = servers[new URL(config.url).hostname]
      if (!server) throw new ConnectError('No server answers there')
      return typeof server === 'function' ? server(options) : server.connection
    },
    signOut: async () => {},
    close: async () => {},
    setTimer(ms, run) {
      timers.set(run, ms)
      return () => void timers.delete(run)
    },
  })
  return { host, opened, timers, elapse: () => [...timers.keys()].map((run) => run()) }
}

const url = (host: string) => `https://${host}/mcp`
const namesOf = (toolset: Toolset) => toolset.tools.map(({ name }) => name)

describe('connect', () => {
  test.each([
    ['a string', 'https://a/mcp'],
    ['a URL', new URL('https://a/mcp')],
    ['a configuration', { url: 'https://a/mcp' }],
  ])('takes %s', async (_, server) => {
    const { host, opened } = createTestHost({ a: createFakeServer('x') })
    const client = await host.connect(server, { token: async () => 't' })
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['x'])
    expect(opened).toMatchObject([{ config: { url: 'https://a/mcp' }, options: { token: expect.any(Function) } }])
    expect(opened[0]?.name).toBeUndefined()
  })

  test('open gives the port alone, under a name', async () => {
    const a = createFakeServer()
    const { host, opened } = createTestHost({ a })
    expect(await host.open({ url: url('a') }, {}, 'files')).toBe(a.connection)
    expect(opened[0]?.name).toBe('files')
  })
})

describe('connectAll', () => {
  test('resolves when every server is ready or has failed, and sets no time then', async () => {
    const { host, timers } = createTestHost({ a: createFakeServer('x'), b: createFakeServer('y') })
    const toolset = await host.connectAll({ a: url('a'), dead: url('nobody'), b: { url: url('b') } })
    expect(namesOf(toolset)).toEqual(['a__x', 'b__y'])
    expect(toolset.servers.dead?.state).toMatchObject({ status: 'closed', error: { code: 'ERR_MCP_CONNECT' } })
    expect(timers.size).toBe(0)
  })

  test('opens all at once', async () => {
    const { host, opened } = createTestHost({ a: () => new Promise(() => {}), b: () => new Promise(() => {}) })
    void host.connectAll({ a: url('a'), b: url('b') })
    expect(opened).toHaveLength(2)
  })

  test('hands the set out after settleMs; a straggler joins live and is told', async () => {
    const opening = deferred<McpConnection>()
    const listed = deferred()
    const { host, timers, elapse } = createTestHost({ fast: createFakeServer('x'), slow: () => opening.promise })
    const filter = () => {
      listed.resolve()
      return true
    }
    const connected = host.connectAll({ slow: url('slow'), fast: url('fast') }, { settleMs: 250, filter })
    expect([...timers.values()]).toEqual([250])
    await listed.promise
    elapse()
    const toolset = await connected
    expect(namesOf(toolset)).toEqual(['fast__x'])
    expect(toolset.servers.slow?.state).toEqual({ status: 'connecting' })

    const joined = new Promise<void>((resolve) => {
      toolset.subscribe(() => toolset.servers.slow?.state.status === 'ready' && toolset.tools.length > 1 && resolve())
    })
    opening.resolve(createFakeServer('late').connection)
    await joined
    // In the order in which they were named, not in which they came.
    expect(namesOf(toolset)).toEqual(['slow__late', 'fast__x'])
  })

  test('waits 3 s by default', async () => {
    const { host, timers } = createTestHost({ a: () => new Promise(() => {}) })
    void host.connectAll({ a: url('a') })
    expect([...timers.values()]).toEqual([3_000])
  })

  test('settleMs: 0 waits for nobody, Infinity for all', async () => {
    const { host, timers } = createTestHost({ a: () => new Promise(() => {}) })
    void host.connectAll({ a: url('a') }, { settleMs: 0 })
    void host.connectAll({ a: url('a') }, { settleMs: Number.POSITIVE_INFINITY })
    // The longest that setTimeout takes: 2^31 would fire at once.
    expect([...timers.values()]).toEqual([0, 2 ** 31 - 1])
  })

  test.each([-1, Number.NaN, 'soon' as unknown as number])('settleMs: %s is a ConfigError', async (settleMs) => {
    const { host, opened } = createTestHost({ a: createFakeServer('x') })
    const error = await rejection(host.connectAll({ a: url('a') }, { settleMs }))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'settleMs' } })
    expect(opened).toEqual([])
  })

  test('prefix: false with two servers is a ConfigError before anything is opened', async () => {
    const { host, opened } = createTestHost({ a: createFakeServer('x') })
    const error = await rejection(host.connectAll({ a: url('a'), b: url('a') }, { prefix: false }))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'prefix' } })
    expect(opened).toEqual([])
    expect(namesOf(await host.connectAll({ a: url('a') }, { prefix: false }))).toEqual(['x'])
  })

  test('no servers are an empty set', async () => {
    const toolset = await createTestHost({}).host.connectAll({})
    expect([toolset.tools, toolset.servers]).toEqual([[], {}])
  })

  test('a server may be called __proto__, as JSON can', async () => {
    const { host } = createTestHost({ a: createFakeServer('x') })
    const toolset = await host.connectAll(JSON.parse(`{"__proto__":${JSON.stringify(url('a'))}}`))
    expect(Object.keys(toolset.servers)).toEqual(['__proto__'])
    expect(toolset.tools).toHaveLength(1)
    expect(({} as { state?: unknown }).state).toBeUndefined()
  })

  test('a client of one host joins another’s set', async () => {
    const a = createFakeServer('x')
    const client = await createTestHost({ a }).host.connect(url('a'))
    const toolset = await createTestHost({}).host.connectAll({ mine: client })
    await toolset.close()
    expect(a.closings).toBe(0)
  })

  test('whose signal has fired opens nothing and rejects with its reason', async () => {
    const { host, opened } = createTestHost({ a: createFakeServer('x') })
    const reason = { why: 'too late' }
    expect(await rejection(host.connectAll({ a: url('a') }, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(opened).toEqual([])
  })

  test('whose signal fires meanwhile closes what was opened and rejects with its reason', async () => {
    const a = createFakeServer('x')
    const abort = new AbortController()
    const aborted = (options: ConnectOptions) =>
      new Promise<McpConnection>((_, reject) => {
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason))
      })
    const { host, timers } = createTestHost({ a, slow: aborted })
    const connected = rejection(host.connectAll({ a: url('a'), slow: url('slow') }, { signal: abort.signal }))
    const reason = { why: 'changed my mind' }
    abort.abort(reason)
    expect(await connected).toBe(reason)
    expect(a.closings).toBe(1)
    expect(timers.size).toBe(0)
  })
})
