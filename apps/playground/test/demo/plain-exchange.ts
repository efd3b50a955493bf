import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** One HTTP exchange without an SDK; `fetch` would not let a test choose the Host header. */
export async function exchange(url: URL, method: string, headers: Record<string, string> = {}, body?: unknown) {
  const sent = request(url, {
    method,
    headers: {
      Accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
  })
  sent.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
  const response = await responseOf(sent)
  // The test's end cuts what it has not read.
  sent.on('error', () => {})
  return { sent, response }
}

async function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}
