import { createClient, type McpClient } from './client.js'
import { type ConnectOptions, type ServerConfig, toServerConfig } from './config.js'
import type { ConnectionState, McpConnection, RequestOptions, Unsubscribe } from './connection.js'
import { ConfigError, DisconnectedError, ToolNameError, toErrorData } from './errors.js'
import type { CallToolResult, Finding, JsonObject, Tool } from './protocol.js'
import { plainAlias, toolAlias } from './schema/alias.js'

/** A server of a tool set: an address, a configuration, or a client that is open already. */
export type ServerSource = string | URL | ServerConfig | McpClient

export interface ConnectAllOptions extends ConnectOptions {
  /** Milliseconds after which the set is handed out while servers still connect; they join live. Default 3 000. */
  settleMs?: number
  /** Which tools the set has. */
  filter?(tool: Tool, server: string): boolean
  /** Whether names begin with the server's; false only with one server. Default true. */
  prefix?: boolean
}

/** One tool of a set. */
export interface ToolHandle {
  /** Legal for every model provider, and unique in the set. */
  readonly name: string
  readonly server: string
  readonly title: string
  readonly description: string
  /** The tool as the server sent it. */
  readonly tool: Tool
  readonly findings: Finding[]
  readonly hints: ToolHints
  execute(args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
}

/** What may be relied on; all false unless the server is `trusted`, but the warnings. */
export interface ToolHints {
  readOnly: boolean
  parallel: boolean
  retry: boolean
  destructive: boolean
  openWorld: boolean
}

export interface ServerState {
  state: ConnectionState
  client?: McpClient
  /** Tools that the server offers and the set does not have. */
  leftOut: { name: string; reason: string }[]
  /** Tools that `tools.allow` names and the server does not offer. */
  missing: string[]
}

/** The tools of many servers as one live list. */
export interface Toolset extends AsyncDisposable {
  /** A new array at each change. */
  readonly tools: readonly ToolHandle[]
  /** One dead server never hides the others: its `state.error` says why it is missing. */
  readonly servers: Readonly<Record<string, ServerState>>
  /** @throws {ToolNameError} `ERR_MCP_TOOL_NAME` naming both. */
  tool(server: string, name: string): ToolHandle
  /**
   * Calls a tool by its name in the set.
   *
   * @throws {ToolNameError} `ERR_MCP_TOOL_NAME`; otherwise as {@link McpClient.callTool}.
   */
  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  /** Connects one more server. @throws What `connect` throws; the server stays, with its error, until removed. */
  add(name: string, server: ServerSource): Promise<void>
  remove(name: string): Promise<void>
  /** Lists every connected server's tools anew. */
  refresh(): Promise<void>
  authorize(server: string): Promise<void>
  /** Closes what it opened, not clients that were passed in. */
  close(): Promise<void>
  /** With `tools` as snapshot, fits `useSyncExternalStore`. */
  subscribe(listener: () => void): Unsubscribe
}

type Open = (config: ServerConfig, options: ConnectOptions, name: string) => Promise<McpConnection>

interface Entry extends ServerState {
  config?: ServerConfig
  owned: boolean
  tools: Tool[]
}

/** An empty set, to which servers are added. */
export function createToolset(open: Open, options: ConnectAllOptions = {}): Toolset {
  const entries = new Map<string, Entry>()
  const listeners = new Set<() => void>()
  let tools: readonly ToolHandle[] = []
  let servers: Readonly<Record<string, ServerState>> = {}
  let closed = false

  function changed(): void {
    const handles: ToolHandle[] = []
    for (const [server, entry] of entries) {
      if (entry.state.status === 'closed') continue
      for (const tool of entry.tools) handles.push(toHandle(server, entry, tool))
    }
    tools = handles
    servers = Object.fromEntries(
      [...entries].map(([name, { state, client, leftOut, missing }]) => [
        name,
        { state, ...(client && { client }), leftOut, missing },
      ]),
    )
    for (const listener of [...listeners]) listener()
  }

  function toHandle(server: string, entry: Entry, tool: Tool): ToolHandle {
    const { annotations = {} } = tool
    const trusted = entry.config?.trusted === true
    const readOnly = trusted && annotations.readOnlyHint === true
    return {
      name: options.prefix === false ? plainAlias(tool.name) : toolAlias(server, tool.name),
      server,
      title: tool.title ?? annotations.title ?? tool.name,
      description: tool.description ?? '',
      tool,
      findings: [],
      hints: {
        readOnly,
        parallel: readOnly,
        retry: readOnly || (trusted && annotations.idempotentHint === true),
        // Warnings: absent means yes (the specification's defaults), and nobody has to be trusted to say so.
        destructive: !readOnly && annotations.destructiveHint !== false,
        openWorld: annotations.openWorldHint !== false,
      },
      execute: async (args, callOptions) => {
        if (entries.get(server) !== entry || !entry.client)
          throw new DisconnectedError(`The server "${server}" has left this tool set`, {
            data: { server, tool: tool.name, method: 'tools/call', outcome: 'not-run' },
          })
        return entry.client.callTool(tool.name, args, callOptions)
      },
    }
  }

  async function list(name: string, entry: Entry): Promise<void> {
    const offered = await entry.client!.listTools(options.signal && { signal: options.signal })
    const { allow, deny } = entry.config?.tools ?? {}
    const reasonFor = (tool: Tool): string | undefined => {
      if (allow && !allow.includes(tool.name)) return 'not in tools.allow'
      if (deny?.includes(tool.name)) return 'in tools.deny'
      return options.filter && !options.filter(tool, name) ? 'refused by the filter' : undefined
    }
    entry.tools = offered.filter((tool) => !reasonFor(tool))
    entry.leftOut = offered.flatMap((tool) => {
      const reason = reasonFor(tool)
      return reason ? [{ name: tool.name, reason }] : []
    })
    entry.missing = (allow ?? []).filter((wanted) => !offered.some((tool) => tool.name === wanted))
  }

  async function add(name: string, source: ServerSource): Promise<void> {
    if (closed) throw new DisconnectedError('This tool set is closed')
    if (entries.has(name))
      throw new ConfigError(`The tool set has a server "${name}" already`, { data: { server: name, key: name } })
    if (options.prefix === false && entries.size > 0)
      throw new ConfigError('"prefix: false" takes one server only: the tools of several need the prefix', {
        data: { key: 'prefix' },
      })
    const given = isClient(source) ? source : undefined
    const config = given ? undefined : toServerConfig(source as string | URL | ServerConfig)
    const entry: Entry = {
      state: given?.state ?? { status: 'connecting' },
      owned: !given,
      tools: [],
      leftOut: [],
      missing: [],
      ...(config && { config }),
      ...(given && { client: given }),
    }
    entries.set(name, entry)
    changed()
    try {
      entry.client ??= createClient(await open(config!, options, name))
      const { client } = entry
      if (entries.get(name) !== entry) return await client.close()
      entry.state = client.state
      client.on('state', ({ state }) => {
        entry.state = state
        if (entries.get(name) === entry) changed()
      })
      client.on('list-changed', ({ list: which }) => {
        if (which === 'tools') void relist(name, entry)
      })
      await list(name, entry)
    } catch (error) {
      entry.state = {
        ...entry.state,
        ...(entry.client ? {} : { status: 'closed' as const }),
        error: toErrorData(error),
      }
      throw error
    } finally {
      if (entries.get(name) === entry) changed()
    }
  }

  /** Keeps the old list where the new one can't be had, and says so in the server's state. */
  async function relist(name: string, entry: Entry): Promise<void> {
    try {
      await list(name, entry)
    } catch (error) {
      entry.state = { ...entry.state, error: toErrorData(error) }
    }
    if (entries.get(name) === entry) changed()
  }

  async function remove(name: string): Promise<void> {
    const entry = entries.get(name)
    entries.delete(name)
    changed()
    if (entry?.owned) await entry.client?.close()
  }

  const find = (name: string, matches: (handle: ToolHandle) => boolean, server?: string): ToolHandle => {
    if (closed) throw new DisconnectedError('This tool set is closed', { data: { tool: name, outcome: 'not-run' } })
    const handle = tools.find(matches)
    if (handle) return handle
    throw new ToolNameError(
      `There is no tool "${name}"${server === undefined ? ' in this tool set' : ` on the server "${server}"`}`,
      {
        data: { tool: name, outcome: 'not-run', ...(server !== undefined && { server }) },
      },
    )
  }

  async function close(): Promise<void> {
    closed = true
    await Promise.all([...entries.values()].map(async ({ owned, client }) => owned && client?.close()))
  }

  return {
    get tools() {
      return tools
    },
    get servers() {
      return servers
    },
    tool: (server, name) => find(name, (handle) => handle.server === server && handle.tool.name === name, server),
    call: async (name, args, callOptions) => find(name, (handle) => handle.name === name).execute(args, callOptions),
    add,
    remove,
    refresh: async () => {
      await Promise.all([...entries].map(([name, entry]) => entry.client && relist(name, entry)))
    },
    authorize: async (server) => {
      const client = entries.get(server)?.client
      if (!client) throw new DisconnectedError(`The server "${server}" is not connected`, { data: { server } })
      await client.authorize()
    },
    close,
    [Symbol.asyncDispose]: close,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function isClient(source: ServerSource): source is McpClient {
  return typeof source === 'object' && 'request' in source
}
