import type { ConnectOptions, McpClient, ServerConfig } from '@x/web'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type CompletionActions, createCompletionActions } from './completions.js'
import { type ConnectionActions, createConnectionActions } from './connection.js'
import { createGatewayActions, type GatewayActions } from './gateway.js'
import { createListActions, type ListActions } from './lists.js'
import { createRunActions, type RunActions } from './runs.js'
import type { Settings } from './settings.js'
import { nothingConnected, type PlaygroundState } from './state.js'
import { createTypingActions, type TypingActions } from './typing.js'

/** What the store needs of the page. */
export interface PlaygroundPorts {
  connect(config: ServerConfig, options: ConnectOptions): Promise<McpClient>
  /** The page's URL; relative endpoints and the demo server's are under it. */
  pageUrl: string
  fetch: typeof fetch
  rememberUrl(url: string | undefined): void
  /** Milliseconds since the epoch. */
  now(): number
}

export type PlaygroundStore = StoreApi<PlaygroundState> & { actions: Actions }
export interface Actions extends ConnectionActions, GatewayActions, RunActions, TypingActions, CompletionActions {
  /** Reads a list of the server again. */
  reload: ListActions['load']
}

/** The parts of the store that its actions share. */
export interface StoreCore {
  get(): PlaygroundState
  set(change: Partial<PlaygroundState>): void
  ports: PlaygroundPorts
  /** The open connection. */
  client: McpClient | undefined
  /** Of the gateway beside the page. Not in the state, which views may show and copy. */
  gatewayToken: string | undefined
}

/**
 * The playground below its views: what is known, and what can be done. It knows no framework.
 *
 * @param settings - What the connect form begins with.
 * @param tool - The tool to choose once the tools are listed.
 */
export function createPlaygroundStore(ports: PlaygroundPorts, settings: Settings, tool?: string): PlaygroundStore {
  const store = createStore<PlaygroundState>(() => ({
    ...nothingConnected,
    settings,
    problems: {},
    connection: { phase: 'idle' },
    gateway: { status: 'absent' },
  }))
  const core: StoreCore = {
    get: store.getState,
    set: (change) => store.setState(change),
    ports,
    client: undefined,
    gatewayToken: undefined,
  }
  const lists = createListActions(core, tool)
  const runs = createRunActions(core)
  const connection = createConnectionActions(core, lists, runs)
  const actions: Actions = {
    ...connection,
    ...createGatewayActions(core, connection),
    ...runs,
    ...createTypingActions(core),
    ...createCompletionActions(core),
    reload: lists.load,
  }
  return Object.assign(store, { actions })
}
