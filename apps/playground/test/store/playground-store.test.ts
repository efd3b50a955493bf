import { ConnectError, type ConnectOptions, type McpClient, type ServerConfig, type Tool } from '@x/web'
import { describe, expect, test } from 'vitest'
import { createPlaygroundStore } from '../../src/store/playground-store.js'
import { emptySettings } from '../../src/store/settings.js'
import { type ClientScript, createScriptedClient } from './scripted-client.js'

const tool = (name: string): Tool => ({ name, inputSchema: { type: 'object' } })
const url = 'https://mcp.example/mcp'

function createStore(connect: (config: ServerConfig, options: ConnectOptions) => Promise<McpClient>, chosen?: string) {
  const remembered: (string | undefined)[] = []
  let time = 1_000
  const ports = {
    connect,
    pageUrl: 'https://play.example/',
    fetch: () => Promise.reject(new Error('was fetched')),
    rememberUrl: (last: string | undefined) => void remembered.push(last),
    now: () => (time += 5),
  }
  const store = createPlaygroundStore(ports, { ...emptySettings, url, auth: 'bearer', token: 's3cret' }, chosen)
  return { store, remembered }
}

async function connected(script: ClientScript = {}, chosen?: string) {
  const scripted = createScriptedClient(script)
  const { store } = createStore(async () => scripted.client, chosen)
  await store.actions.connect()
  return { store, ...scripted }
}

/** Resolves when the store says so. */
function until(store: Awaited<ReturnType<typeof connected>>['store'], holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (holds()) resolve()
    const stop = store.subscribe(() => {
      if (!holds()) return
      stop()
      resolve()
    })
  })
}

describe('connecting', () => {
  test('opens what the settings name, and reads its lists', async () => {
    const configs: ServerConfig[] = []
    const { client } = createScriptedClient({ tools: async () => [tool('echo')] })
    const { store, remembered } = createStore(async (config) => {
      configs.push(config)
      return client
    })
    await store.actions.connect()
    expect(configs).toEqual([{ url, auth: { type: 'bearer', token: 's3cret' } }])
    expect(store.getState().connection).toMatchObject({ phase: 'open', url, state: { status: 'ready' } })
    expect(store.getState().lists.tools).toMatchObject({ status: 'ready', items: [tool('echo')] })
    expect(store.getState().lists.prompts.status).toBe('idle')
    expect(remembered).toEqual([url])
  })

  test('chooses the tool that the link names, once it is listed', async () => {
    const { store } = await connected({ tools: async () => [tool('a'), tool('b')] }, 'b')
    expect(store.getState().selection.tools).toBe('b')
  })

  test('keeps what failed, and can be tried again', async () => {
    let refuse = true
    const { client } = createScriptedClient()
    const { store } = createStore(async () => {
      if (refuse) throw new ConnectError('nobody there', { data: { attempts: [] } })
      return client
    })
    await store.actions.connect()
    expect(store.getState().connection).toMatchObject({ phase: 'failed', error: { code: 'ERR_MCP_CONNECT' } })
    refuse = false
    await store.actions.connect()
    expect(store.getState().connection.phase).toBe('open')
  })

  test('shows a server that wants credentials as a failure, and lets go of it', async () => {
    const error = { name: 'UnauthorizedError', message: 'a token is needed', code: 'ERR_MCP_UNAUTHORIZED' as const }
    const { store, closed } = await connected({ state: { status: 'unauthorized', error } })
    expect(store.getState().connection).toMatchObject({ phase: 'failed', error })
    expect(closed()).toBe(1)
  })

  test('that was cancelled leaves nothing behind, even if it succeeds afterwards', async () => {
    const { client, closed } = createScriptedClient()
    let finish = (_client: McpClient) => {}
    let signal: AbortSignal | undefined
    const { store } = createStore((_config, options) => {
      signal = options.signal
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    const connecting = store.actions.connect()
    store.actions.disconnect()
    expect(signal?.aborted).toBe(true)
    finish(client)
    await connecting
    expect(store.getState().connection.phase).toBe('idle')
    expect(closed()).toBe(1)
  })

  test('without a URL says what is missing and sends nothing', async () => {
    const { store } = createStore(() => Promise.reject(new Error('was called')))
    store.actions.edit({ url: '' })
    await store.actions.connect()
    expect(store.getState().problems.url).toMatch(/URL/)
    expect(store.getState().connection.phase).toBe('idle')
  })

  test('to the demo server sends it no credentials', async () => {
    const configs: ServerConfig[] = []
    const { client } = createScriptedClient()
    const { store } = createStore(async (config) => {
      configs.push(config)
      return client
    })
    await store.actions.connectToDemo()
    expect(configs).toEqual([{ url: 'https://play.example/demo/mcp' }])
  })
})

describe('an open connection', () => {
  test('reads a list again when it has changed', async () => {
    let tools = [tool('a')]
    const { store, emit } = await connected({ tools: async () => tools })
    tools = [tool('a'), tool('b')]
    emit({ type: 'list-changed', list: 'tools' })
    await until(store, () => store.getState().lists.tools.items.length === 2)
    expect(store.getState().lists.tools.items.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('forgets a chosen tool that is gone', async () => {
    let tools = [tool('a')]
    const { store, emit } = await connected({ tools: async () => tools })
    store.actions.choose('tools', 'a')
    tools = []
    emit({ type: 'list-changed', list: 'tools' })
    await until(store, () => store.getState().selection.tools === undefined)
    expect(store.getState().selection).toEqual({})
  })

  test('keeps a failure to list beside the list', async () => {
    const { store } = await connected({ tools: () => Promise.reject(new Error('no list')) })
    expect(store.getState().lists.tools).toMatchObject({ status: 'failed', error: { message: 'no list' } })
    expect(store.getState().connection.phase).toBe('open')
  })

  test('that is closed lets go of everything but the settings', async () => {
    const { store, closed } = await connected({ tools: async () => [tool('a')] })
    await store.actions.callTool('a', {})
    store.actions.disconnect()
    expect(store.getState()).toMatchObject({ connection: { phase: 'idle' }, runs: [], events: [] })
    expect(store.getState().lists.tools.items).toEqual([])
    expect(store.getState().settings.url).toBe(url)
    expect(closed()).toBe(1)
  })
})
