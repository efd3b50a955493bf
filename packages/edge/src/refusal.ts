export type RpcId = string | number | null

/** `error.data.code` in the gateway's own answers. */
export type GatewayErrorCode =
  | 'ERR_GATEWAY_UNAUTHENTICATED'
  | 'ERR_GATEWAY_ORIGIN'
  | 'ERR_GATEWAY_DENIED'
  | 'ERR_GATEWAY_NOT_FOUND'
  | 'ERR_GATEWAY_SESSION'
  | 'ERR_GATEWAY_METHOD'
  | 'ERR_GATEWAY_QUERY'
  | 'ERR_GATEWAY_BODY'
  | 'ERR_GATEWAY_JSON'
  | 'ERR_GATEWAY_TOO_LARGE'
  | 'ERR_GATEWAY_UPSTREAM'
  | 'ERR_GATEWAY_TIMEOUT'
  | 'ERR_GATEWAY_INTERNAL'

export interface RefusalDetails {
  headers?: Record<string, string>
  /** The request's id, where it is known. */
  id?: RpcId
  /** The upstream's name. */
  server?: string
}

/** A request that the gateway answers with an error of its own. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly code: GatewayErrorCode
  readonly details: RefusalDetails

  constructor(status: number, code: GatewayErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

const rpcCodes: { [Code in GatewayErrorCode]?: number } = {
  ERR_GATEWAY_JSON: -32700,
  // What the protocol's own implementations answer for a session that they don't know.
  ERR_GATEWAY_SESSION: -32001,
}
const invalidRequest = -32600
const internalError = -32603

/** A refusal as a JSON-RPC error. */
export function toErrorObject({ status, code, message, details: { server } }: Refusal) {
  return {
    code: rpcCodes[code] ?? (status < 500 ? invalidRequest : internalError),
    message,
    data: { code, ...(server !== undefined && { server }), ...(status < 500 && { outcome: 'not-run' }) },
  }
}

/** Callers are MCP clients, which show the message of a JSON-RPC error and make nothing of another body. */
export function toResponse(refusal: Refusal): Response {
  const { status, details } = refusal
  const body = { jsonrpc: '2.0', id: details.id ?? null, error: toErrorObject(refusal) }
  return Response.json(body, { status, headers: details.headers ?? {} })
}
