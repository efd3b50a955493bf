import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type NodeIncomingMessageLike, toWebRequest } from '@modelcontextprotocol/node'

/** An error that is not the answer to a certain JSON-RPC request. */
export function jsonRpcError(
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, ...(headers && { headers }) })
}

/**
 * Converts a Node request, body and all. Its signal aborts when the exchange is over: answered in full, or left by the client.
 *
 * @throws An error with `status` 413 when the body is over 4 MiB.
 */
export function receive(request: IncomingMessage, response: ServerResponse): Promise<Request> {
  const exchange = new AbortController()
  response.once('close', () => exchange.abort())
  // Node declares more properties as possibly undefined than the SDK expects.
  return toWebRequest(request as NodeIncomingMessageLike, undefined, { signal: exchange.signal })
}

/** Writes an answer; resolves when it is out, or when the client has left. */
export async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (!answer.body) {
    response.end()
    return
  }
  // Without this Node holds the headers back until the first event of a stream, which may be minutes away.
  response.flushHeaders()
  try {
    // Cancels the body as soon as the client leaves; a stream that waits for its next event would not notice.
    await pipeline(Readable.fromWeb(answer.body), response)
  } catch {
    // The client left, or the session was closed: there is no one to tell.
  }
}

/** The JSON of a POST's body; `undefined` where there is none. The request stays readable. */
export async function readJson(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return undefined
  try {
    return await request.clone().json()
  } catch {
    // The endpoint reads it again and answers with the error that fits its era.
    return undefined
  }
}
