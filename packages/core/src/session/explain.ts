import {
  DisconnectedError,
  type ErrorDetails,
  InvalidResponseError,
  JsonRpcError,
  McpError,
  OutcomeUnknownError,
  withDetails,
} from '../errors.js'

/** JSON-RPC codes by which a server refuses a call before any tool ran. Not -32602: tools throw it themselves. */
const refusals = new Set([-32700, -32600, -32601, -32020, -32021, -32022, -32042])

/**
 * Any failure of a request as one of our errors, with what it was about. A tool call whose reply was lost becomes an
 * {@link OutcomeUnknownError}: the tool may have run.
 */
export function explain(error: unknown, details: ErrorDetails): McpError {
  const known = McpError.is(error) ? error : fromEngine(error)
  if (details.method !== 'tools/call') return withDetails(known, details)
  const outcome = outcomeOf(known)
  const lost = known.code === 'ERR_MCP_DISCONNECTED' || known.data.reason === 'no-reply'
  if (!lost || outcome === 'not-run') return withDetails(known, { ...details, outcome })
  return new OutcomeUnknownError(`The reply of "${details.tool}" was lost, so it may have run: ${known.message}`, {
    cause: known,
    data: { ...details, ...known.data, outcome },
  })
}

function outcomeOf(error: McpError): NonNullable<ErrorDetails['outcome']> {
  if (error.data.outcome) return error.data.outcome
  switch (error.code) {
    case 'ERR_MCP_CONFIG':
    // Signing in comes before a request is taken.
    case 'ERR_MCP_AUTHORIZATION':
    case 'ERR_MCP_UNAUTHORIZED':
    case 'ERR_MCP_PROTOCOL_VERSION':
      return 'not-run'
    case 'ERR_MCP_JSONRPC':
      return refusals.has(error.data.rpcCode ?? 0) ? 'not-run' : 'unknown'
    case 'ERR_MCP_HTTP':
      return refuses(error.data.status ?? 500) ? 'not-run' : 'unknown'
    default:
      return 'unknown'
  }
}

/** Whether a status says that nobody ran the request. 408 and 409 are sent of what was begun, other redirects of what is done. */
function refuses(status: number): boolean {
  return (status >= 400 && status < 500 && status !== 408 && status !== 409) || status === 307 || status === 308
}

/** The protocol engine's errors. Told apart by their fields: classes differ between copies of a package. */
function fromEngine(error: unknown): McpError {
  const {
    name,
    code,
    message = String(error),
    data,
  } = (error ?? {}) as {
    name?: string
    code?: unknown
    message?: string
    data?: unknown
  }
  if (typeof code === 'number') {
    return new JsonRpcError(`The server answered with error ${code}: ${message}`, {
      data: { rpcCode: code, ...(data !== undefined && { rpcData: data }) },
    })
  }
  if (code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED' || message === 'Not connected') {
    return new DisconnectedError('The connection was closed', { cause: error })
  }
  if (code === 'ERA_NEGOTIATION_FAILED') {
    return new InvalidResponseError("The server's answer to server/discover does not follow the protocol", {
      cause: error,
      data: { reason: 'shape' },
    })
  }
  return new InvalidResponseError(`The server's answer does not follow the protocol: ${firstLine(message)}`, {
    cause: error,
    data: { reason: name === 'SdkError' && typeof code === 'string' ? code : 'shape' },
  })
}

/** A validator's message lists every issue; the first line names the method. */
const firstLine = (message: string) => message.split('\n', 1)[0]!.slice(0, 300)
