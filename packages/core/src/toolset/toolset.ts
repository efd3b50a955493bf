import type { ConnectOptions } from '../config.js'
import type { ConnectionEvent, RequestOptions, Unsubscribe } from '../connection.js'
import { ConfigError, DisconnectedError, reportError, ToolNameError } from '../errors.js'
import type { CallToolResult, JsonObject } from '../protocol.js'
import type { ApprovalAnswer, PendingCall } from './approval.js'
import { estimatedTokensOf } from './estimated-tokens.js'
import type { PinStore } from './pins.js'
import { searchTools } from './search.js'
import { type Open, type ServerSource, type SetTimer, toOrigin } from './server-source.js'
import { createSetServer, type ServerState, type SetServer } from './set-server.js'
import { aliasOf, type ToolHandle, type ToolSelection } from './tools.js'

export interface ConnectAllOptions extends Omit<ConnectOptions, 'onEvent'>, ToolSelection {
  /**
   * Milliseconds after which the set is handed out while servers still connect; they join live. At least 0; `Infinity`
   * waits for every server. Default 3 000.
   */
  settleMs?: number
  /** @param server - The server that it is from. Clients that were passed in tell their own. */
  onEvent?(event: ConnectionEvent, server: string): void
  /**
   * Asked before each call that is made through the set, of the app's own functions too. Its time counts against no deadline.
   * One that throws, or answers anything else, denies the call.
   */
  approve?(call: PendingCall): Promise<ApprovalAnswer>
  /** Holds back tools that are not as they were when they were first seen, or last accepted: see {@link ServerState.held}. */
  pins?: PinStore
}

/** The tools of many servers as one live list. */
export interface Toolset extends AsyncDisposable {
  /** A new array at each change. */
  readonly tools: readonly ToolHandle[]
  /**
   * Roughly how many tokens a model reads with each request for being offered all of `tools`: their names, descriptions
   * and input schemas. Where that is too much, offer what `search` finds.
   *
   * @see {@link estimateTokens}
   */
  readonly estimatedTokens: number
  /** One dead server never hides the others: its `state.error` says why it is missing. */
  readonly servers: Readonly<Record<string, ServerState>>
  /** @throws {ToolNameError} `ERR_MCP_TOOL_NAME` naming both, and saying why where that is known. */
  tool(server: string, name: string): ToolHandle
  /**
   * Calls a tool by its name in the set.
   *
   * @throws {ToolNameError} `ERR_MCP_TOOL_NAME`, with the reason where the set has left that tool out.
   * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` when its server has left.
   * @throws Otherwise as {@link ToolHandle.execute}.
   */
  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  /**
   * The tools that fit a query best, best first: by the words of their names, titles, descriptions and arguments, of which
   * those of a query may be the beginnings. For sets that are too large to be shown to a model whole.
   *
   * @param options.limit - Integer >= 1. Default 10.
   */
  search(query: string, options?: { limit?: number }): ToolHandle[]
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

/** Tools of servers that have left, whose names are remembered. */
const maxDeparted = 1_000

/**
 * An empty set, to which servers are added.
 *
 * @param setTimer - For calls of the app's own functions that have a deadline; without it they have none.
 */
export function createToolset(open: Open, options: ConnectAllOptions = {}, setTimer?: SetTimer): Toolset {
  // Only what is a server's crosses to where the connection lives.
  const { settleMs: _, filter, prefix, appTools, approve, pins, onEvent, ...hooks } = options
  const { signal } = hooks
  const selection: ToolSelection = {
    ...(filter && { filter }),
    ...(prefix !== undefined && { prefix }),
    ...(appTools !== undefined && { appTools }),
  }
  const shared = {
    selection,
    // Each loaded when it is needed: a page that has neither doesn't pay for them.
    approval:
      approve &&
      once(async () => (await import('./approval.js')).createApproval(approve.bind(options), reportError, pins)),
    pins: pins && once(async () => (await import('./pins.js')).createPins(pins)),
  }
  const members = new Map<string, SetServer>()
  const subscribers = new Set<() => void>()
  /** Which server each of these names was of, so that a call of one can say that it has left. */
  const departed = new Map<string, string>()
  let byName: ReadonlyMap<string, ToolHandle> = new Map()
  let tools: readonly ToolHandle[] = []
  let servers: Readonly<Record<string, ServerState>> = {}
  let closed = false

  const abortAll = () => {
    for (const member of members.values()) member.abort(signal?.reason)
  }
  // One listener for all servers: Node warns of a leak at the eleventh.
  signal?.addEventListener('abort', abortAll)

  function changed(): void {
    const named = new Map<string, ToolHandle>()
    servers = Object.fromEntries([...members].map(([name, { state }]) => [name, state]))
    for (const member of members.values()) {
      if (member.state.state.status === 'closed') continue
      // Two names can be made to have one hash. A provider would refuse the whole list; the server that came first keeps it.
      for (const handle of member.handles.values()) if (!named.has(handle.name)) named.set(handle.name, handle)
    }
    byName = named
    tools = [...named.values()]
    for (const subscriber of [...subscribers]) {
      try {
        subscriber()
      } catch (error) {
        reportError(error)
      }
    }
  }

  async function add(name: string, source: ServerSource): Promise<void> {
    if (closed) throw new DisconnectedError('This tool set is closed', { data: { server: name } })
    if (members.has(name))
      throw new ConfigError(`The tool set has a server "${name}" already`, { data: { server: name, key: name } })
    checkPrefix(options, members.size + 1)
    signal?.throwIfAborted()
    const member = createSetServer({
      ...shared,
      name,
      origin: toOrigin(name, source, open, setTimer),
      hooks: { ...hooks, ...(onEvent && { onEvent: (event) => options.onEvent!(event, name) }) },
      onChange: changed,
    })
    members.set(name, member)
    for (const [alias, server] of departed) if (server === name) departed.delete(alias)
    changed()
    await member.connect()
  }

  async function remove(name: string): Promise<void> {
    const member = members.get(name)
    if (!member) return
    members.delete(name)
    for (const handle of member.handles.values()) departed.set(handle.name, name)
    for (const alias of departed.keys()) if (departed.size > maxDeparted) departed.delete(alias)
    const left = member.leave()
    changed()
    await left
  }

  async function close(): Promise<void> {
    closed = true
    signal?.removeEventListener('abort', abortAll)
    const all = [...members.values()]
    members.clear()
    const left = all.map((member) => member.leave())
    if (all.length > 0) changed()
    await Promise.all(left)
  }

  const closedFor = (data: ConstructorParameters<typeof DisconnectedError>[1]) =>
    new DisconnectedError('This tool set is closed', data)

  function tool(server: string, name: string): ToolHandle {
    const data = { tool: name, server, outcome: 'not-run' as const }
    if (closed) throw closedFor({ data })
    const member = members.get(server)
    const handle = member?.handles.get(name)
    if (handle && byName.get(handle.name) === handle) return handle
    throw new ToolNameError(`There is no tool "${name}" on the server "${server}"${whyMissing(member?.state, name)}`, {
      data,
    })
  }

  async function call(name: string, args?: JsonObject, callOptions?: RequestOptions): Promise<CallToolResult> {
    const data = { tool: name, outcome: 'not-run' as const }
    if (closed) throw closedFor({ data })
    const handle = byName.get(name)
    if (handle) return handle.execute(args, callOptions)
    const server = departed.get(name)
    if (server !== undefined)
      throw new DisconnectedError(`The server "${server}" of the tool "${name}" has left this tool set`, {
        data: { ...data, server, method: 'tools/call' },
      })
    for (const [owner, { state, handles }] of members) {
      // Of a server whose connection has ended: the call says so.
      for (const kept of handles.values()) if (kept.name === name) return kept.execute(args, callOptions)
      const out = state.leftOut.find((one) => aliasOf(owner, one.name, prefix) === name)
      if (!out) continue
      throw new ToolNameError(`The tool "${name}" is not in this tool set: ${out.reason}`, {
        data: { ...data, server: owner },
      })
    }
    throw new ToolNameError(`There is no tool "${name}" in this tool set`, { data })
  }

  return {
    get tools() {
      return tools
    },
    get estimatedTokens() {
      return estimatedTokensOf(tools)
    },
    get servers() {
      return servers
    },
    tool,
    call,
    search: (query, searchOptions) => searchTools(tools, query, searchOptions),
    add,
    remove,
    async refresh() {
      const connected = [...members.values()].filter(({ state }) => state.state.status !== 'closed')
      await Promise.all(connected.map((member) => member.relist(true)))
    },
    async authorize(server) {
      const member = members.get(server)
      if (!member) throw new DisconnectedError(`The server "${server}" is not connected`, { data: { server } })
      await member.authorize()
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

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** @throws {ConfigError} `ERR_MCP_CONFIG` where names without prefix would have to tell servers apart. */
export function checkPrefix({ prefix }: ToolSelection, servers: number): void {
  if (prefix === false && servers > 1)
    throw new ConfigError('"prefix: false" takes one server only: the tools of several need the prefix', {
      data: { key: 'prefix' },
    })
}

function whyMissing(server: ServerState | undefined, tool: string): string {
  if (!server) return ': no such server is in this tool set'
  const reason = server.leftOut.find(({ name }) => name === tool)?.reason
  if (reason) return `: left out, ${reason}`
  const { status, error } = server.state
  return status === 'ready' ? '' : `, which is ${status}${error ? ` (${error.message})` : ''}`
}
