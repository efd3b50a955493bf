import type { RunningGateway } from './start-gateway.js'

export const eras = ['modern', 'legacy'] as const
export type Era = (typeof eras)[number]

export const versions = { modern: '2026-07-28', legacy: '2025-11-25' } as const

export interface RpcReply {
  id: unknown
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, looked into by the tests
  result?: any
  error?: { code: number; message: string; data?: unknown }
}

export interface RpcAnswer {
  status: number
  headers: Headers
  /** The notifications before the reply. */
  notifications: { method: string; params: Record<string, unknown> }[]
  reply: RpcReply
}

/** One JSON-RPC request as a client of that era sends it: head and body. */
export function rpcRequest(era: Era, method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': versions.modern,
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const meta = { ...(params._meta as object), ...(era === 'modern' && envelope) }
  const { name } = params
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': versions[era],
      ...(era === 'modern' && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }),
    } as Record<string, string>,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    }),
  }
}

/** Sends one request to the gateway and reads its reply, whether it comes as JSON or as events. */
export async function rpc(
  gateway: RunningGateway,
  path: string,
  era: Era,
  method: string,
  params?: Record<string, unknown>,
  headers?: Record<string, string>,
): Promise<RpcAnswer> {
  const request = rpcRequest(era, method, params)
  const response = await gateway.fetch(path, { ...request, headers: { ...request.headers, ...headers } })
  const messages = parseMessages(await response.text(), response.headers.get('content-type') ?? '')
  const notifications = messages.filter((message) => 'method' in message) as unknown as RpcAnswer['notifications']
  const reply = messages.find((message) => !('method' in message))
  return { status: response.status, headers: response.headers, notifications, reply: reply! }
}

function parseMessages(text: string, type: string): RpcReply[] {
  if (!type.startsWith('text/event-stream')) return text === '' ? [] : [JSON.parse(text) as RpcReply]
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as RpcReply)
}
