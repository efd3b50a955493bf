import { createClient, type McpClient } from '../client.js'
import { type ConnectOptions, type ServerConfig, toServerConfig } from '../config.js'
import type { ConnectionState, McpConnection, RequestOptions, Unsubscribe } from '../connection.js'
import { ConfigError, DisconnectedError, reportError, ToolNameError, toErrorData } from '../errors.js'
import type { CallToolResult, JsonObject, Tool } from '../protocol.js'
import { type ServerTools, selectTools, type ToolHandle, type ToolSelection } from './tools.js'

/** A server of a tool set: an address, a configuration, or a client that is open already. */
export type ServerSource = string | URL | ServerConfig | McpClient

export interface ConnectAllOptions extends ConnectOptions, ToolSelection {
  /**
   * Milliseconds after which the set is handed out while servers still connect; they join live. At least 0; `Infinity`
   * waits for every server. Default 3 000.
   */
  settleMs?: number
}

export interface ServerState extends Omit<ServerTools, 'handles'> {
  state: ConnectionState
  client?: McpClient
}

/** The tools of many servers as one live list. */
export interface Toolset extends AsyncDisposable {
  /** A new array at each change. */
  readonly tools: readonly ToolHandle[]
  /** One dead server never hides the others: its `state.error` says why it is missing. */
  readonly servers: Readonly<Record<string, ServerState>>
  /** @throws {ToolNameError} `ERR_MCP_TOOL_NAME` naming both, and saying why where that is known. */
  tool(server: string, name: string): ToolHandle
  /**
   * Calls a tool by its name in the set.
   *
   * @throws {ToolNameError} `ERR_MCP_TOOL_NAME`; otherwise as {@link McpClient.callTool}.
   */
  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  /**
   * Connects one more server. One that fails stays in the set, with its error, until it is removed.
   *
   * @throws {ConfigError} `ERR_MCP_CONFIG` for a name that is taken, and for a second server with `prefix: false`.
   * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` when the set was closed, or the server removed meanwhile.
   * @throws What `connect` throws.
   */
  add(name: string, server: ServerSource): Promise<void>
  /** Takes a server out, and closes its connection unless it was passed in. Nothing happens where there is none. */
  remove(name: string): Promise<void>
  /** Lists every connected server's tools anew; what fails is in that server's `state.error`. */
  refresh(): Promise<void>
  /**
   * Signs in to a server; to be called from a click. Its tools are in the list when this resolves.
   *
   * @throws As {@link McpConnection.authorize}; {@link DisconnectedError} `ERR_MCP_DISCONNECTED` for a server that isn't there.
   */
  authorize(server: string): Promise<void>
  /** Takes every server out: closes what the set opened or was opening, not clients that were passed in. */
  close(): Promise<void>
  /** With `tools` as snapshot, fits `useSyncExternalStore`. */
  subscribe(listener: () => void): Unsubscribe
}

type Open = (config: ServerConfig, options: ConnectOptions, name: string) => Promise<McpConnection>

interface Entry extends ServerState {
  config: ServerConfig | undefined
  handles: ToolHandle[]
  /** Ends connecting, and what the set listens to. */
  abort: AbortController
  listeners: Unsubscribe[]
  /** Lists the tools of a server that has let somebody in. */
  relisting?: Promise<void>
  /** Numbers the listings; a slow one must not overwrite a later one. */
  begun: number
  shown: number
}

/** An empty set, to which servers are added. */
export function createToolset(open: Open, options: ConnectAllOptions = {}): Toolset {
  const { signal } = options
  const entries = new Map<string, Entry>()
  const subscribers = new Set<() => void>()
  let tools: readonly ToolHandle[] = []
  let servers: Readonly<Record<string, ServerState>> = {}
  let closed = false
  const isIn = (name: string, entry: Entry) => entries.get(name) === entry

  const abortAll = () => {
    for (const { abort } of entries.values()) abort.abort(signal?.reason)
  }
  // One listener for all servers: Node warns of a leak at the eleventh.
  signal?.addEventListener('abort', abortAll)

  function changed(): void {
    tools = [...entries.values()].flatMap(({ state, handles }) => (state.status === 'closed' ? [] : handles))
    servers = Object.fromEntries(
      [...entries].map(([name, { state, client, leftOut, missing }]) => [
        name,
        { state, ...(client && { client }), leftOut, missing },
      ]),
    )
    for (const subscriber of [...subscribers]) {
      try {
        subscriber()
      } catch (error) {
        reportError(error)
      }
    }
  }

  async function list(name: string, entry: Entry, client: McpClient, refresh = false): Promise<void> {
    const listing = ++entry.begun
    const offered = await client.listTools({ signal: entry.abort.signal, refresh })
    if (listing < entry.shown) return
    const execute = (tool: Tool): ToolHandle['execute'] => {
      return async (args, callOptions) => {
        if (isIn(name, entry)) return client.callTool(tool.name, args, callOptions)
        throw new DisconnectedError(`The server "${name}" has left this tool set`, {
          data: { server: name, tool: tool.name, method: 'tools/call', outcome: 'not-run' },
        })
      }
    }
    const selected = selectTools(name, offered, entry.config ?? {}, options, execute)
    Object.assign(entry, selected, { state: client.state, shown: listing })
  }

  /** Keeps the old list where the new one can't be had, and says so in the server's state. */
  async function relist(name: string, entry: Entry, client: McpClient, refresh = false): Promise<void> {
    try {
      await list(name, entry, client, refresh)
    } catch (error) {
      entry.state = { ...client.state, error: toErrorData(error) }
    }
    if (isIn(name, entry)) changed()
  }

  async function add(name: string, source: ServerSource): Promise<void> {
    if (closed) throw new DisconnectedError('This tool set is closed', { data: { server: name } })
    if (entries.has(name))
      throw new ConfigError(`The tool set has a server "${name}" already`, { data: { server: name, key: name } })
    checkPrefix(options, entries.size + 1)
    signal?.throwIfAborted()
    const given = isClient(source) ? source : undefined
    const entry: Entry = {
      state: given?.state ?? { status: 'connecting' },
      config: given ? undefined : toServerConfig(source as Exclude<ServerSource, McpClient>),
      handles: [],
      leftOut: [],
      missing: [],
      abort: new AbortController(),
      listeners: [],
      begun: 0,
      shown: 0,
      ...(given && { client: given }),
    }
    entries.set(name, entry)
    changed()
    try {
      const client = given ?? createClient(await open(entry.config!, { ...options, signal: entry.abort.signal }, name))
      if (!isIn(name, entry)) {
        if (!given) await client.close()
        throw left(name)
      }
      follow(name, entry, client)
      // Before anybody has signed in there is nothing to list, and no failure either.
      const isSignedOut = () => client.state.status === 'unauthorized'
      if (!isSignedOut())
        await list(name, entry, client).catch((error) => {
          if (!isSignedOut()) throw error
        })
      if (!isIn(name, entry)) throw left(name)
    } catch (error) {
      const state = entry.client ? entry.client.state : { ...entry.state, status: 'closed' as const }
      entry.state = { ...state, error: toErrorData(error) }
      throw error
    } finally {
      if (isIn(name, entry)) changed()
    }
  }

  function follow(name: string, entry: Entry, client: McpClient): void {
    entry.client = client
    entry.state = client.state
    entry.listeners.push(
      client.on('state', ({ state }) => {
        const letIn = entry.state.status === 'unauthorized' && state.status === 'ready'
        entry.state = state
        changed()
        if (letIn) entry.relisting = relist(name, entry, client)
      }),
      client.on('list-changed', ({ list: which }) => {
        if (which === 'tools') void relist(name, entry, client)
      }),
    )
  }

  /** Lets go of an entry that has left the set. */
  async function release(name: string, { client, config, abort, listeners }: Entry): Promise<void> {
    for (const stop of listeners) stop()
    // In this order: an abort would close the connection as well, but nobody could wait for it.
    const ended = config && client?.close()
    abort.abort(left(name))
    await ended
  }

  async function remove(name: string): Promise<void> {
    const entry = entries.get(name)
    if (!entry) return
    entries.delete(name)
    changed()
    await release(name, entry)
  }

  async function close(): Promise<void> {
    closed = true
    signal?.removeEventListener('abort', abortAll)
    const all = [...entries]
    entries.clear()
    if (all.length > 0) changed()
    await Promise.all(all.map(([name, entry]) => release(name, entry)))
  }

  function find(matches: (handle: ToolHandle) => boolean, name: string, server?: string): ToolHandle {
    const data = { tool: name, outcome: 'not-run' as const, ...(server !== undefined && { server }) }
    if (closed) throw new DisconnectedError('This tool set is closed', { data })
    const handle = tools.find(matches)
    if (handle) return handle
    const where = server === undefined ? 'in this tool set' : `on the server "${server}"${whyMissing(server, name)}`
    throw new ToolNameError(`There is no tool "${name}" ${where}`, { data })
  }

  function whyMissing(server: string, name: string): string {
    const entry = entries.get(server)
    if (!entry) return ': no such server is in this tool set'
    const reason = entry.leftOut.find((tool) => tool.name === name)?.reason
    if (reason) return `: left out, ${reason}`
    const { status, error } = entry.state
    return status === 'ready' ? '' : `, which is ${status}${error ? ` (${error.message})` : ''}`
  }

  return {
    get tools() {
      return tools
    },
    get servers() {
      return servers
    },
    tool: (server, name) => find((handle) => handle.server === server && handle.tool.name === name, name, server),
    call: async (name, args, callOptions) => find((handle) => handle.name === name, name).execute(args, callOptions),
    add,
    remove,
    async refresh() {
      const connected = [...entries].filter(([, { state }]) => state.status !== 'closed')
      await Promise.all(connected.map(([name, entry]) => entry.client && relist(name, entry, entry.client, true)))
    },
    async authorize(server) {
      const entry = entries.get(server)
      if (!entry?.client) throw new DisconnectedError(`The server "${server}" is not connected`, { data: { server } })
      // In the same turn: the click is for the hook to use.
      await entry.client.authorize()
      await entry.relisting
    },
    close,
    [Symbol.asyncDispose]: close,
    subscribe(listener) {
      // A function of its own: the same one may subscribe twice.
      const subscriber = () => listener()
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
  }
}

/** @throws {ConfigError} `ERR_MCP_CONFIG` where names without prefix would have to tell servers apart. */
export function checkPrefix({ prefix }: ToolSelection, servers: number): void {
  if (prefix === false && servers > 1)
    throw new ConfigError('"prefix: false" takes one server only: the tools of several need the prefix', {
      data: { key: 'prefix' },
    })
}

const left = (server: string) =>
  new DisconnectedError(`The server "${server}" has left this tool set`, { data: { server } })

function isClient(source: ServerSource): source is McpClient {
  return typeof source === 'object' && 'request' in source
}
