import { InvalidResponseError } from '../errors.js'

/** JSON-RPC 2.0 messages as they come from the wire, before anything is known of their content. */
export interface JsonRpcMessage {
  jsonrpc?: unknown
  id?: string | number | null
  method?: string
  params?: { [key: string]: unknown }
  result?: unknown
  error?: { code: number; message: string; data?: unknown } | null
}

export function isRequest(message: JsonRpcMessage): boolean {
  return message.method !== undefined && message.id !== undefined
}

export function isReply(message: JsonRpcMessage): boolean {
  return message.method === undefined && ('result' in message || 'error' in message)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InvalidResponseError('The response is not JSON', { cause, data: { reason: 'json' } })
  }
}

/**
 * The messages of a parsed body: one, or the members of a batch (revision 2025-03-26). What the engine would refuse in
 * a notification without need is mended; a reply is for {@link toReply}.
 */
export function toMessages(value: unknown): JsonRpcMessage[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item): JsonRpcMessage[] => {
    if (!isObject(item)) return []
    if (isReply(item)) return [item]
    if (typeof item.method !== 'string') return []
    const { params, ...rest } = item
    return [{ ...rest, jsonrpc: '2.0', ...(params != null && { params: params as object }) } as JsonRpcMessage]
  })
}

/** A JSON-RPC error in an HTTP error's body, if that is what it holds. */
export function toErrorReply(text: string): JsonRpcMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return toMessages(value).find((message) => Number.isInteger(message.error?.code))
}

/** One POST carries one request: a reply without an id, or with the id as a string, is this request's. */
export function answers(reply: JsonRpcMessage, request: JsonRpcMessage): boolean {
  return reply.id == null || String(reply.id) === String(request.id)
}

/**
 * A reply in the exact form that the protocol engine takes: one that is only nearly right (a null beside its result,
 * no `jsonrpc`) it passes over, and its request would wait for ever.
 *
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` with `data.reason` `shape` or `bare-error` when it can't be
 *   mended.
 */
export function toReply({ result, error }: JsonRpcMessage, id: JsonRpcMessage['id']): JsonRpcMessage {
  if (isObject(error) && Number.isSafeInteger(error.code)) {
    const { code, message, data } = error as { code: number; message?: unknown; data?: unknown }
    return {
      jsonrpc: '2.0',
      id: id!,
      error: { code, message: typeof message === 'string' ? message : '', ...(data !== undefined && { data }) },
    }
  }
  if (error == null && isObject(result)) {
    const { _meta, ...rest } = result
    return { jsonrpc: '2.0', id: id!, result: isObject(_meta) ? result : rest }
  }
  throw new InvalidResponseError(
    error == null
      ? 'The server replied with a result that is no object'
      : 'The server replied with an error that is no JSON-RPC error: it has no integer "code"',
    { data: { reason: error == null ? 'shape' : 'bare-error' } },
  )
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
