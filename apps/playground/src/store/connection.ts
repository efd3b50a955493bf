import type { ConnectionEvent, ErrorData, McpClient } from '@x/web'
import { toErrorData } from './caught.js'
import { isBehindGateway } from './gateway-url.js'
import type { ListActions } from './lists.js'
import type { StoreCore } from './playground-store.js'
import type { RunActions } from './runs.js'
import { demoUrl, rememberedUrl, type Settings, toServerConfig } from './settings.js'
import { keptEvents, nothingConnected } from './state.js'

export interface ConnectionActions {
  /** Connects to what the settings name; resolves when it is open, or has failed or been cancelled. */
  connect(): Promise<void>
  /** Connects to this endpoint without the credentials that were typed. */
  connectTo(url: string): Promise<void>
  connectToDemo(): Promise<void>
  /** Closes the connection, or gives up one that is being made. */
  disconnect(): void
}

export function createConnectionActions(core: StoreCore, lists: ListActions, runs: RunActions): ConnectionActions {
  const { get, set, ports } = core
  let attempt: AbortController | undefined
  let eventId = 0

  async function connect(): Promise<void> {
    const { config, problems } = toServerConfig(get().settings, ports.pageUrl)
    if (problems) {
      set({ problems })
      return
    }
    // The page's own gateway gets its token also where a link, or the last visit, named the endpoint.
    if (core.gatewayToken !== undefined && !config.auth && isBehindGateway(config.url, ports.pageUrl))
      config.auth = { type: 'bearer', token: core.gatewayToken }
    leave()
    const controller = new AbortController()
    attempt = controller
    set({ ...nothingConnected, problems: {}, connection: { phase: 'connecting', url: config.url } })
    ports.rememberUrl(rememberedUrl(config.url))
    try {
      const client = await ports.connect(config, {
        signal: controller.signal,
        onEvent: (event) => record(event, controller),
      })
      if (attempt !== controller) {
        await client.close()
        return
      }
      await open(client, config.url)
    } catch (error) {
      if (attempt === controller) set({ connection: { phase: 'failed', url: config.url, error: toErrorData(error) } })
    }
  }

  /** Lets go of the connection that there is, or that is being made. */
  function leave(): void {
    const { client } = core
    core.client = undefined
    runs.cancelAll()
    // A farewell that fails changes nothing.
    if (client) client.close().catch(() => {})
    else attempt?.abort()
    attempt = undefined
  }

  async function open(client: McpClient, url: string): Promise<void> {
    // A server that wants credentials is a connection without a use here: say what is missing instead.
    if (client.state.status === 'unauthorized' || client.state.status === 'closed') {
      const error = client.state.error ?? unexplained(client.state.status)
      await client.close()
      set({ connection: { phase: 'failed', url, error } })
      return
    }
    core.client = client
    set({ connection: { phase: 'open', url, state: client.state } })
    client.listen({ state: true, lists: true, log: 'debug' }, (event) => {
      if (core.client !== client) return
      if (event.type === 'state') set({ connection: { phase: 'open', url, state: event.state } })
      if (event.type === 'list-changed') void lists.load(event.list)
    })
    await lists.loadAll()
  }

  function record(event: ConnectionEvent, controller: AbortController): void {
    if (attempt !== controller || event.type === 'wire') return
    eventId += 1
    const entry = { id: eventId, at: ports.now(), event }
    set({ events: [...get().events, entry].slice(-keptEvents) })
  }

  async function connectTo(url: string): Promise<void> {
    const settings: Settings = { ...get().settings, url, auth: 'none' }
    set({ settings })
    await connect()
  }

  return {
    connect,
    connectTo,
    connectToDemo: () => connectTo(demoUrl(ports.pageUrl)),
    disconnect: () => {
      leave()
      set({ ...nothingConnected, connection: { phase: 'idle' } })
    },
  }
}

function unexplained(status: string): ErrorData {
  return { name: 'Error', message: `The connection is ${status}, and the server did not say why.` }
}
