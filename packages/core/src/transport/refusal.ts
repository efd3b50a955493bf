import type { McpError } from '../errors.js'
import { isRefusedForNow, statusError } from './http-error.js'
import { type JsonRpcMessage, toErrorReply } from './json-rpc.js'
import { readText } from './limits.js'

/** Bytes of an HTTP error's body that are read to look for a JSON-RPC error. */
const maxErrorBytes = 64 * 1024

/** What an HTTP error says: a JSON-RPC error in its body, in either era and whatever the status, else the status. */
export async function readRefusal(
  response: Response,
  now: number,
  signal: AbortSignal,
): Promise<{ reply: JsonRpcMessage; error?: undefined } | { reply?: undefined; error: McpError }> {
  const { status } = response
  const readable = status !== 401 && !isRefusedForNow(status)
  const reply = readable ? toErrorReply(await errorText(response, signal)) : undefined
  return reply ? { reply } : { error: statusError(response, now) }
}

async function errorText(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await readText(response.body, maxErrorBytes, signal)
  } catch {
    return ''
  }
}
