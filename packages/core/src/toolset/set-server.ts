import { cleanText } from '../clean-text.js'
import type { McpClient } from '../client.js'
import type { ConnectOptions } from '../config.js'
import type { ConnectionState, Unsubscribe } from '../connection.js'
import { ConfigError, DisconnectedError, ToolNameError, toErrorData } from '../errors.js'
import type { Tool } from '../protocol.js'
import type { Approval } from './approval.js'
import { approvedArguments } from './approved-arguments.js'
import type { HeldTool, Pins } from './pins.js'
import type { Origin } from './server-source.js'
import { type ServerTools, selectTools, type ToolHandle, type ToolSelection } from './tools.js'

export interface ServerState extends Omit<ServerTools, 'handles'> {
  state: ConnectionState
  client?: McpClient
  /** What the server tells models about itself, without what people can't see. */
  instructions?: string
  /** With `pins`: what is not as it was accepted; also in `leftOut`. */
  held: HeldTool[]
}

/** One server of a set, from connecting until it leaves. */
export interface SetServer {
  /** As it is now. */
  readonly state: ServerState
  /** The tools that may be called, by their names on the server. */
  readonly handles: ReadonlyMap<string, ToolHandle>
  /** @throws What connecting throws, or listing; {@link DisconnectedError} when the server has left meanwhile. */
  connect(): Promise<void>
  /** Lists the tools anew. Keeps the old list where the new one can't be had, and says so in the state. */
  relist(refresh?: boolean): Promise<void>
  authorize(): Promise<void>
  /** Ends it all, of what the set has opened the connection too. */
  leave(): Promise<void>
  /** Ends what the set's own signal ends. */
  abort(reason: unknown): void
}

export interface SetServerOptions {
  name: string
  origin: Origin
  hooks: ConnectOptions
  selection: ToolSelection
  /** Loads what asks before each call. */
  approval: (() => Promise<Approval>) | undefined
  /** Loads what compares tools with what was accepted. */
  pins: (() => Promise<Pins>) | undefined
  onChange(): void
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const leftError = (server: string, tool?: string) =>
  new DisconnectedError(`The server "${server}" has left this tool set`, {
    data: { server, ...(tool !== undefined && { tool, method: 'tools/call', outcome: 'not-run' as const }) },
  })

export function createSetServer(options: SetServerOptions): SetServer {
  const { name, origin, hooks, selection, approval, pins, onChange } = options
  const ending = new AbortController()
  const listeners: Unsubscribe[] = []
  let client = origin.given
  let state: ConnectionState = client?.state ?? { status: 'connecting' }
  let shownTools: Omit<ServerTools, 'handles'> & { held: HeldTool[] } = { leftOut: [], missing: [], held: [] }
  let handles: ReadonlyMap<string, ToolHandle> = new Map()
  let hasLeft = false
  /** Numbers the listings; a slow one must not overwrite a later one. */
  let begun = 0
  let latest: { listing: number; tools: Tool[] } = { listing: 0, tools: [] }
  /** Lists the tools of a server that has let somebody in. */
  let relisting: Promise<void> | undefined
  /** Comparing with the pins and accepting take turns: what was accepted must not be held by an earlier look. */
  let turn: Promise<unknown> = Promise.resolve()

  function changed(): void {
    if (!hasLeft) onChange()
  }

  function inTurn<Value>(run: () => Promise<Value>): Promise<Value> {
    const mine = turn.then(run)
    turn = mine.catch(() => {})
    return mine
  }

  async function list(refresh = false): Promise<void> {
    const listing = ++begun
    const tools = await client!.listTools({ signal: ending.signal, refresh })
    if (listing < latest.listing) return
    latest = { listing, tools }
    if (pins) await inTurn(() => showPinned(pins))
    else show(select())
    state = client!.state
  }

  const select = () => selectTools(name, latest.tools, origin.config, selection, (tool) => executeOf(tool.name))

  function show({ handles: chosen, ...rest }: ServerTools, held: HeldTool[] = []): void {
    handles = new Map(chosen.map((handle) => [handle.tool.name, handle]))
    shownTools = { ...rest, held }
  }

  async function showPinned(load: () => Promise<Pins>): Promise<void> {
    const selected = select()
    const keep = (reasonOf: (tool: string) => string | undefined): ServerTools => {
      const refused = selected.handles.flatMap(({ tool }) => {
        const reason = reasonOf(tool.name)
        return reason === undefined ? [] : [{ name: tool.name, reason }]
      })
      const out = new Set(refused.map((tool) => tool.name))
      return {
        ...selected,
        handles: selected.handles.filter(({ tool }) => !out.has(tool.name)),
        leftOut: [...selected.leftOut, ...refused],
      }
    }
    try {
      const wanted = selected.handles.map(({ tool }) => tool)
      const used = await load()
      const { held, reasons } = await used.check(name, latest.tools, wanted)
      const accept = (one: (typeof held)[number]) => async () => {
        await inTurn(async () => {
          await used.accept(name, one).catch((cause) => {
            throw pinsError(cause)
          })
          await showPinned(load)
        }).finally(changed)
      }
      // Not copied by spreading: what differs is worked out when somebody looks.
      const heldTools = held.map(
        (one) => Object.defineProperty(one, 'accept', { value: accept(one), enumerable: true }) as HeldTool,
      )
      show(
        keep((tool) => reasons.get(tool)),
        heldTools,
      )
    } catch (error) {
      // What can't be compared is not offered, and not the list from before either: its tools may have changed.
      show(keep(() => 'the pin store failed'))
      const failure = pinsError(error)
      state = { ...client!.state, error: toErrorData(failure) }
      throw failure
    }
  }

  const pinsError = (cause: unknown) =>
    new ConfigError(
      `The pin store failed, so no tool of the server "${name}" can be compared with it: ${textOf(cause)}`,
      {
        cause,
        data: { server: name, key: 'pins' },
      },
    )

  /** The tool as the set has it now; who kept an earlier handle gets no more than anybody else. */
  function usable(tool: string): ToolHandle {
    if (hasLeft) throw leftError(name, tool)
    const handle = handles.get(tool)
    if (handle) return handle
    const reason = shownTools.leftOut.find((one) => one.name === tool)?.reason ?? 'the server offers it no more'
    throw new ToolNameError(`The tool "${tool}" on the server "${name}" is not in this tool set: ${reason}`, {
      data: { server: name, tool, method: 'tools/call', outcome: 'not-run' },
    })
  }

  function executeOf(tool: string): ToolHandle['execute'] {
    return async (args, callOptions) => {
      const handle = usable(tool)
      if (!approval) return client!.callTool(tool, args, callOptions)
      const signals = [callOptions?.signal, ending.signal]
      const asked = approvedArguments({ approval, handle, args, signals, now: () => usable(tool) })
      const approved = await asked.catch((error) => {
        // Which call it was that its server has left from under.
        throw error === ending.signal.reason && hasLeft ? leftError(name, tool) : error
      })
      // A server that was passed in is still there when it has left the set.
      usable(tool)
      return client!.callTool(tool, approved, callOptions)
    }
  }

  async function relist(refresh = false): Promise<void> {
    if (!client) return
    try {
      await list(refresh)
    } catch (error) {
      state = { ...client.state, error: toErrorData(error) }
    }
    changed()
  }

  function follow(followed: McpClient): void {
    client = followed
    state = followed.state
    listeners.push(
      followed.on('state', ({ state: next }) => {
        const letIn = state.status === 'unauthorized' && next.status === 'ready'
        state = next
        changed()
        if (letIn) relisting = relist()
      }),
      followed.on('list-changed', ({ list: which }) => {
        if (which === 'tools') void relist()
      }),
    )
  }

  async function connect(): Promise<void> {
    try {
      const opened = await origin.open({ ...hooks, signal: ending.signal })
      if (hasLeft) {
        if (!origin.given) await opened.close()
        throw leftError(name)
      }
      follow(opened)
      // Before anybody has signed in there is nothing to list, and no failure either.
      const isSignedOut = () => opened.state.status === 'unauthorized'
      if (!isSignedOut())
        await list().catch((error) => {
          if (!isSignedOut()) throw error
        })
      if (hasLeft) throw leftError(name)
    } catch (error) {
      state = { ...(client ? client.state : { ...state, status: 'closed' }), error: toErrorData(error) }
      throw error
    } finally {
      changed()
    }
  }

  return {
    get state() {
      const { instructions } = state.server ?? {}
      return {
        state,
        ...(client && { client }),
        ...(instructions !== undefined && { instructions: cleanText(instructions) }),
        ...shownTools,
      }
    },
    get handles() {
      return handles
    },
    connect,
    relist,
    async authorize() {
      if (!client) throw new DisconnectedError(`The server "${name}" is not connected`, { data: { server: name } })
      // In the same turn: the click is for the hook to use.
      await client.authorize()
      await relisting
    },
    async leave() {
      hasLeft = true
      for (const stop of listeners) stop()
      // In this order: an abort would close the connection as well, but nobody could wait for it.
      const ended = origin.given ? undefined : client?.close()
      ending.abort(leftError(name))
      await ended
    },
    abort: (reason) => ending.abort(reason),
  }
}
