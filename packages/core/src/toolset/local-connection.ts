import { onAbort, untilAborted } from '../abort.js'
import type { ConnectionState, McpConnection, RequestOptions } from '../connection.js'
import { closedError, DisconnectedError, JsonRpcError, reportError, TimeoutError, ToolNameError } from '../errors.js'
import type { CallToolResult, JsonObject, Method, Methods, Tool } from '../protocol.js'
import { textResult, toLocalResult } from './local-result.js'

/** A function of the app with the tool that it is. */
export interface LocalFunction {
  definition: Tool
  execute(args: JsonObject, context: { signal: AbortSignal }): unknown
}

/**
 * The app's functions behind the port, so that a tool set knows one kind of server only.
 *
 * @param setTimer - For calls with a deadline; without it they have none. There is none by default.
 */
export function createLocalConnection(
  functions: readonly LocalFunction[],
  server: string,
  setTimer?: (ms: number, run: () => void) => () => void,
): McpConnection {
  const byName = new Map(functions.map((local) => [local.definition.name, local]))
  const listeners = new Set<(state: ConnectionState) => void>()
  const closing = new AbortController()
  let state: ConnectionState = { status: 'ready' }

  async function call(name: string, args: JsonObject, options: RequestOptions): Promise<CallToolResult> {
    const data = { server, tool: name, method: 'tools/call' }
    const local = byName.get(name)
    if (!local)
      throw new ToolNameError(`There is no tool "${name}" on the server "${server}"`, {
        data: { ...data, outcome: 'not-run' },
      })
    options.signal?.throwIfAborted()
    const ending = new AbortController()
    const stops = [options.signal, closing.signal].map((signal) => onAbort(signal, () => ending.abort(signal?.reason)))
    // Nothing tells of progress, so that the shorter of both is the deadline.
    const limit = Math.min(...[options.timeoutMs, options.idleTimeoutMs].map((ms) => ms ?? Number.POSITIVE_INFINITY))
    const late = () => {
      const message = `The tool "${name}" of "${server}" gave no result within ${limit} ms; it may still run`
      ending.abort(new TimeoutError(message, { data: { ...data, limit, outcome: 'unknown' } }))
    }
    if (setTimer && limit < Number.POSITIVE_INFINITY) stops.push(setTimer(limit, late))
    const { signal } = ending
    try {
      // A copy: what the caller holds is the caller's.
      const run = async () => toLocalResult(await local.execute(JSON.parse(JSON.stringify(args)), { signal }))
      return await untilAborted(signal, run())
    } catch (error) {
      if (signal.aborted) throw signal.reason
      return { ...textResult(messageOf(error)), isError: true }
    } finally {
      for (const stop of stops) stop()
    }
  }

  async function answer(method: Method, params: object, options: RequestOptions = {}): Promise<unknown> {
    if (state.status === 'closed') throw closedError(server, method, params)
    switch (method) {
      case 'tools/list':
        return { tools: functions.map(({ definition }) => structuredClone(definition)) }
      case 'tools/call': {
        const { name, arguments: args = {} } = params as Methods['tools/call']['params']
        return call(name, args, options)
      }
      case 'resources/list':
        return { resources: [] }
      case 'resources/templates/list':
        return { resourceTemplates: [] }
      case 'prompts/list':
        return { prompts: [] }
      case 'ping':
        return {}
      default:
        throw new JsonRpcError(`The app's own functions know no ${method}`, {
          data: { server, method, rpcCode: -32601 },
        })
    }
  }

  return {
    get state() {
      return state
    },
    request: (method, params, options) => answer(method, params, options) as never,
    listen(filter, listener) {
      const heard = (next: ConnectionState) => listener({ type: 'state', state: next })
      if (filter.state) listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    authorize: async () => {},
    async close() {
      if (state.status === 'closed') return
      state = { status: 'closed' }
      const message = `The connection to ${server} was closed while the tool ran`
      closing.abort(new DisconnectedError(message, { data: { server, method: 'tools/call', outcome: 'unknown' } }))
      for (const heard of [...listeners]) {
        try {
          heard(state)
        } catch (error) {
          reportError(error)
        }
      }
    },
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message || 'The tool failed without saying why'
}
