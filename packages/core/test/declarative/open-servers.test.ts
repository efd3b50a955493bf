import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { openServers, readServers, type StdioServer } from '../../src/declarative/index.js'
import { ConnectError } from '../../src/errors.js'
import type { ServerSource } from '../../src/toolset/server-source.js'
import { createToolset } from '../../src/toolset/toolset.js'
import { createFakeServer, deferred, rejection } from '../fake-server.js'
import { namesOf } from '../fake-set.js'
import { createServersInMemory } from './servers-in-memory.js'

const file = `{ "mcpServers": {
  "files": { "command": "files", "args": ["/srv"], "env": { "A": "1" }, "cwd": "/" },
  "weather": { "url": "https://weather.example/mcp" },
  "gone": { "command": "dead" }
} }`

describe('the servers of a file', () => {
  test('are one set, commands among them; one that fails takes no other down', async () => {
    const { opening, opened } = createServersInMemory()
    const toolset = await openServers(readServers(file).servers, opening)
    expect(namesOf(toolset).sort()).toEqual(['files__read_file', 'files__write_file', 'weather__forecast'])
    expect(opened.sort()).toEqual(['dead', 'files', 'https://weather.example/mcp'])
    expect(toolset.servers.gone!.state).toMatchObject({
      status: 'closed',
      error: { code: 'ERR_MCP_CONNECT', data: { server: 'gone' } },
    })
    await toolset.close()
  })

  test('that are commands fail where there is nothing to start them, and the others do not', async () => {
    const { opening } = createServersInMemory()
    const toolset = await openServers(readServers(file).servers, { connectAll: opening.connectAll })
    expect(namesOf(toolset)).toEqual(['weather__forecast'])
    expect(toolset.servers.files!.state.error).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      message: expect.stringContaining('@x/core/stdio'),
      data: { server: 'files', key: 'stdio' },
    })
  })

  test('are started with what the file says of them, and with the hooks', async () => {
    const { opening } = createServersInMemory()
    const started: [StdioServer, unknown][] = []
    const elicit = async () => ({ action: 'decline' as const })
    const heard: string[] = []
    const toolset = await openServers(readServers(file).servers, {
      ...opening,
      elicit,
      onEvent: (event, server) => heard.push(`${server}: ${event.type}`),
      async stdio(server, options) {
        started.push([server, options.elicit])
        options.onEvent?.({ type: 'session-renewed' })
        return createClient(createFakeServer().connection)
      },
    })
    expect(heard).toEqual(['files: session-renewed', 'gone: session-renewed'])
    expect(started[0]).toEqual([{ name: 'files', command: 'files', args: ['/srv'], env: { A: '1' }, cwd: '/' }, elicit])
    await toolset.close()
  })

  test('with a file of variables are not started before somebody has read it', async () => {
    const { opening, opened } = createServersInMemory()
    const toolset = await openServers({ files: { command: 'files', envFile: '.env' } }, opening)
    expect(toolset.servers.files!.state.error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'envFile' } })
    expect(opened).toEqual([])
  })
})

describe('closing', () => {
  test('closes the commands too, and once', async () => {
    const { opening, files, weather } = createServersInMemory()
    const toolset = await openServers(readServers(file).servers, opening)
    await toolset.close()
    expect([files.closings, weather.closings]).toEqual([1, 1])
  })

  test('by removing one closes that one', async () => {
    const { opening, files, weather } = createServersInMemory()
    const toolset = await openServers(readServers(file).servers, opening)
    await toolset.remove('files')
    expect([files.closings, weather.closings]).toEqual([1, 0])
    expect(namesOf(toolset)).toEqual(['weather__forecast'])
    await toolset[Symbol.asyncDispose]()
    expect([files.closings, weather.closings]).toEqual([1, 1])
  })

  test('leaves clients open that were passed in', async () => {
    const { opening } = createServersInMemory()
    const own = createFakeServer('mine')
    const toolset = await openServers({ own: createClient(own.connection) }, opening)
    expect(namesOf(toolset)).toEqual(['own__mine'])
    await toolset.close()
    expect(own.closings).toBe(0)
  })

  test('tells a command that is being started to stop, and closes what comes all the same', async () => {
    const late = createFakeServer('late')
    const starting = deferred<void>()
    const signals: AbortSignal[] = []
    const toolset = createSlowSet()
    const opened = await openServers(
      { slow: { command: 'slow' } },
      {
        connectAll: async (servers) => toolset.start(servers),
        async stdio(_, { signal }) {
          signals.push(signal!)
          await starting.promise
          return createClient(late.connection)
        },
      },
    )
    expect(opened.servers.slow!.state.status).toBe('connecting')
    const closing = opened.close()
    await new Promise<void>((resolve) => signals[0]!.addEventListener('abort', () => resolve()))
    starting.resolve()
    await closing
    expect(late.closings).toBe(1)
  })

  test('happens where connecting fails', async () => {
    const { opening, files } = createServersInMemory()
    const reason = new Error('gone')
    const failing = openServers(
      { files: { command: 'files' } },
      {
        ...opening,
        connectAll: () => Promise.reject(reason),
      },
    )
    expect(await rejection(failing)).toBe(reason)
    expect(files.closings).toBe(1)
  })
})

test('a command that is ready later joins the set live', async () => {
  const late = createFakeServer('late')
  const starting = deferred<void>()
  const set = createSlowSet()
  const toolset = await openServers(
    { slow: { command: 'slow' } },
    {
      connectAll: async (servers) => set.start(servers),
      async stdio() {
        await starting.promise
        return createClient(late.connection)
      },
    },
  )
  expect(namesOf(toolset)).toEqual([])
  starting.resolve()
  await set.added
  expect(namesOf(toolset)).toEqual(['slow__late'])
  expect(toolset.servers.slow!.state.status).toBe('ready')
  expect((await toolset.call('slow__late')).content).toEqual([{ type: 'text', text: 'late ran' }])
  late.list = () => []
  late.emit({ type: 'list-changed', list: 'tools' })
  await toolset.refresh()
  expect(namesOf(toolset)).toEqual([])
  await toolset.close()
})

/** A set that is handed out before its servers are ready. */
function createSlowSet() {
  const toolset = createToolset(() => Promise.reject(new ConnectError('nothing to connect to')))
  const set = {
    added: Promise.resolve() as Promise<unknown>,
    start(servers: Record<string, ServerSource>) {
      set.added = Promise.allSettled(Object.entries(servers).map(([name, source]) => toolset.add(name, source)))
      return toolset
    },
  }
  return set
}
