/** JSON-RPC 2.0 messages as they come from the wire, before anything is known of their content. */
export interface JsonRpcMessage {
  jsonrpc?: unknown
  id?: string | number | null
  method?: string
  params?: { [key: string]: unknown }
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

export function isRequest(message: JsonRpcMessage): boolean {
  return message.method !== undefined && message.id !== undefined
}

export function isReply(message: JsonRpcMessage): boolean {
  return message.method === undefined && ('result' in message || 'error' in message)
}

/** The messages of a parsed body: one, or the members of a batch (revision 2025-03-26). */
export function toMessages(value: unknown): JsonRpcMessage[] {
  return (Array.isArray(value) ? value : [value]).filter(
    (item): item is JsonRpcMessage => typeof item === 'object' && item !== null && ('method' in item || isReply(item)),
  )
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
