import type { Json, JsonObject } from '../protocol.js'

/** A JSON-RPC message: a request, a notification or a response. */
export interface Message {
  jsonrpc?: '2.0'
  id?: string | number
  method?: string
  params?: JsonObject
  result?: JsonObject
  error?: JsonObject
}

export type RequestId = string | number

/** Thrown by a tool, a prompt or a resource of a test server: the request is answered with this JSON-RPC error. */
export class RpcError extends Error {
  /** An integer, as `-32602`. */
  readonly code: number
  readonly data: Json | undefined

  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603
/** Of earlier revisions. */
export const resourceNotFound = -32002
export const headerMismatch = -32020
export const missingCapability = -32021
export const unsupportedVersion = -32022

/** The body of a response for what was thrown. */
export function errorBody(error: unknown): { error: JsonObject } {
  const { code, message, data } =
    error instanceof RpcError ? error : { code: internalError, message: String(error), data: undefined }
  return { error: { code, message, ...(data !== undefined && { data }) } }
}

/** A response that is an error and nothing else. */
export function errorResponse(status: number, error: RpcError, id: RequestId | null = null): Response {
  return Response.json({ jsonrpc: '2.0', id, ...errorBody(error) }, { status })
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
