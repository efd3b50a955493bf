import { McpError } from '@x/core'
import { Refusal, toErrorObject } from './refusal.js'

/** What the protocol engine sends as a JSON-RPC error. */
export interface RpcError extends Error {
  code: number
  data?: unknown
}

const invalidParams = -32602
const internalError = -32603

/**
 * Errors about the exchange between gateway and upstream: headers that don't match, a capability that the gateway
 * lacks, a revision it doesn't speak. A caller would take them for its own and act upon them.
 */
const ofTheHop = new Set([-32020, -32021, -32022])

export function rpcError(code: number, message: string, data?: unknown): RpcError {
  return Object.assign(new Error(message), { code, ...(data !== undefined && { data }) })
}

export function isRpcError(error: unknown): error is RpcError {
  return error instanceof Error && Number.isInteger((error as Partial<RpcError>).code)
}

/**
 * A failure as the caller is told it. An upstream's JSON-RPC error keeps its code, message and data; any other gets a
 * code that stays the same, and `data: { code, server, outcome }`.
 */
export function toRpcError(error: unknown): RpcError {
  if (isRpcError(error)) return error
  if (error instanceof Refusal) {
    const { code, message, data } = toErrorObject(error)
    return rpcError(code, message, data)
  }
  // Its text was written for nobody out here, and may hold anything.
  if (!McpError.is(error)) return rpcError(internalError, 'The gateway failed; its log says why')
  const { rpcCode, rpcData, reason, server, outcome } = error.data
  if (error.code === 'ERR_MCP_JSONRPC' && rpcCode !== undefined && !ofTheHop.has(rpcCode))
    return rpcError(rpcCode, withoutPreamble(error.message, rpcCode), rpcData)
  // Core tells where a redirect leads.
  const message = reason === 'redirect' ? `"${server}" redirects, which is not followed` : error.message
  return rpcError(error.code === 'ERR_MCP_TOOL_NAME' ? invalidParams : internalError, message, {
    code: error.code,
    ...(server !== undefined && { server }),
    ...(outcome && { outcome }),
  })
}

/** Core says whose error it is; after this hop the next client says so again. */
function withoutPreamble(message: string, rpcCode: number): string {
  const preamble = `The server answered with error ${rpcCode}: `
  return message.startsWith(preamble) ? message.slice(preamble.length) : message
}
