import type { McpError } from '../errors.js'
import { isRefusedForNow, statusError } from './http-error.js'
import { type JsonRpcMessage, toErrorReply } from './json-rpc.js'
import { readText } from './limits.js'

/** Bytes of an HTTP error's body that are read to look for a JSON-RPC error. */
const maxErrorBytes = 64 * 1024

/** `text` is the body as it came, or its beginning; to be looked at, not to be shown. */
export type Refusal = { text: string } & (
  | { reply: JsonRpcMessage; error?: undefined }
  | { reply?: undefined; error: McpError }
)

/** What an HTTP error says: a JSON-RPC error in its body, in either era and whatever the status, else the status. */
export async function readRefusal(response: Response, now: number, signal: AbortSignal): Promise<Refusal> {
  const { status } = response
  const readable = status !== 401 && !isRefusedForNow(status)
  const text = readable ? await errorText(response, signal) : ''
  const reply = toErrorReply(text)
  return reply ? { reply, text } : { error: statusError(response, now), text }
}

async function errorText(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await readText(response.body, maxErrorBytes, signal)
  } catch {
    return ''
  }
}
