import { type JsonObject, McpError, type Progress, type Tool, type ToolHandle, ToolNameError } from '@x/core'
import { withDetails } from '@x/core/client'
import { isAllowed } from './authorization.js'
import type { Exchange } from './exchange.js'
import { Refusal } from './refusal.js'
import { rpcError } from './rpc-error.js'
import { createUpstreams, type Upstreams } from './upstreams.js'
import { encodeCallToolResult, withoutReserved } from './wire-result.js'

type Params = Record<string, unknown>
type ProgressToken = string | number

export interface CallContext {
  /** Fires when the caller leaves. */
  signal: AbortSignal
  progress(token: ProgressToken, progress: Progress): Promise<void>
}

const invalidParams = -32602

/** The tools of all upstreams, for one request. */
export function createCatalogue(exchange: Exchange) {
  const { gateway, waitUntil } = exchange
  const { servers, limits, onFailure } = gateway
  const names = Object.keys(servers)

  async function withUpstreams<Result>(signal: AbortSignal, run: (upstreams: Upstreams) => Promise<Result>) {
    const upstreams = createUpstreams(servers, signal)
    try {
      return await run(upstreams)
    } finally {
      // After the response: an upstream that is slow to end its session keeps nobody waiting.
      waitUntil(upstreams.close())
    }
  }

  const list = ({ cursor }: Params, signal: AbortSignal): Promise<{ tools: Tool[] }> =>
    withUpstreams(signal, async ({ connect, toolset }) => {
      if (cursor !== undefined) throw rpcError(invalidParams, 'The list has one page, so there is no such cursor')
      for (const [server, error] of await connect(names, limits.settleMs)) {
        if (onFailure === 'closed') throw error
        gateway.report({ type: 'failed', in: 'upstream', server, error })
      }
      const listed = async ({ server, tool, name }: ToolHandle) => {
        if (!(await isAllowed(exchange, { server, method: 'tools/list', tool: tool.name }))) return []
        // How it runs is between the gateway and its server: here it is called like any other.
        const { execution: _, ...described } = tool
        return [{ ...described, name }]
      }
      return { tools: (await Promise.all(toolset.tools.map(listed))).flat() }
    })

  const call = (params: Params, { signal, progress }: CallContext): Promise<{ result: JsonObject; tool: Tool }> =>
    withUpstreams(signal, async (upstreams) => {
      const {
        name,
        arguments: args,
        _meta: meta = {},
      } = params as { name?: unknown; arguments?: JsonObject; _meta?: JsonObject }
      if (typeof name !== 'string') throw rpcError(invalidParams, '"name" must be a string')
      const { server, tool, execute } = await find(upstreams, name)
      if (!(await isAllowed(exchange, { server, method: 'tools/call', tool: tool.name })))
        throw new Refusal(403, 'ERR_GATEWAY_DENIED', `The tool "${name}" is not allowed to this caller`, { server })
      const { progressToken } = meta as { progressToken?: ProgressToken }
      const result = await execute(args, {
        signal,
        meta: callersMeta(server, meta),
        ...(limits.callTimeoutMs !== undefined && { timeoutMs: limits.callTimeoutMs }),
        ...(progressToken !== undefined && {
          onProgress: (made) => void progress(progressToken, made).catch(() => {}),
        }),
      })
      return { result: encodeCallToolResult(result), tool }
    })

  /** Asks the server by which the name begins, and the others only where that settles nothing: names may be cut. */
  async function find({ connect, toolset }: Upstreams, name: string): Promise<ToolHandle> {
    const handle = () => toolset.tools.find((tool) => tool.name === name)
    const likely = names.filter((server) => name.startsWith(`${server}__`))
    let failures = await connect(likely)
    if (!handle() && failures.size === 0) {
      const others = await connect(names.filter((server) => !likely.includes(server)))
      // A server that answers to this name has no such tool: that another is down explains nothing.
      if (likely.length === 0) failures = others
    }
    const found = handle()
    if (found) return found
    const [failure = new ToolNameError(`There is no tool "${name}"`, { data: { tool: name } })] = failures.values()
    // Whatever it was that failed, nothing was called yet.
    throw McpError.is(failure) ? withDetails(failure, { outcome: 'not-run' }) : failure
  }

  /** What the gateway's own configuration sets, a caller can't set. */
  function callersMeta(server: string, meta: JsonObject): JsonObject {
    const own = servers[server]?.meta ?? {}
    return Object.fromEntries(Object.entries(withoutReserved(meta)).filter(([key]) => !Object.hasOwn(own, key)))
  }

  return { list, call }
}
