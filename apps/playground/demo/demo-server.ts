import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { DemoServerOptions, Era } from './events.js'
import { jsonRpcError, readJson, receive, send } from './http.js'
import { createLegacyEndpoint } from './legacy-endpoint.js'
import { refusalOf } from './loopback-guard.js'
import { createModernEndpoint } from './modern-endpoint.js'

export type { DemoEvent, DemoServerOptions, Era, SessionEnd } from './events.js'

/** An MCP server for trying out clients, as a handler for any Node HTTP server. */
export interface DemoServer {
  /** Answers one request to the MCP endpoint, whatever its path. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Closes all sessions and streams and cancels running calls; later requests are answered with 503. */
  close(): Promise<void>
}

/**
 * Creates the demo server. It speaks revision 2026-07-28 without sessions and the earlier ones with, on one endpoint, and
 * offers the same tools, resources and prompts on both.
 *
 * It answers on loopback hosts only, and pages of its own origin only (403).
 */
export function createDemoServer(options: DemoServerOptions = {}): DemoServer {
  const { onEvent } = options
  const modern = createModernEndpoint(options)
  const legacy = createLegacyEndpoint(options)
  let closed = false

  function refuse(status: number, reason: string): Response {
    onEvent?.({ type: 'refused', status, reason })
    return jsonRpcError(status, -32000, reason)
  }

  function failure(error: unknown): Response {
    const tooLarge = error instanceof Error && 'status' in error && error.status === 413
    return tooLarge ? refuse(413, error.message) : refuse(500, 'The demo server failed.')
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<Response> {
    if (closed) return refuse(503, 'The demo server is closed.')
    const refusal = refusalOf(incoming)
    if (refusal) return refuse(403, refusal)
    const request = await receive(incoming, response)
    const body = await readJson(request)
    const era = (await isLegacyRequest(request, body)) ? 'legacy' : 'modern'
    report(era, request, body)
    return era === 'legacy' ? legacy.fetch(request, body) : modern.fetch(request, { parsedBody: body })
  }

  function report(era: Era, request: Request, body: unknown): void {
    const sessionId = request.headers.get('mcp-session-id') ?? undefined
    for (const message of Array.isArray(body) ? body : [body]) {
      onEvent?.({
        type: 'request',
        era,
        httpMethod: request.method,
        ...summaryOf(message),
        ...(sessionId && { sessionId }),
      })
    }
  }

  return {
    async handle(incoming, response) {
      try {
        await send(await answer(incoming, response), response)
      } catch (error) {
        if (response.headersSent) response.destroy()
        else await send(failure(error), response)
      }
    },
    async close() {
      closed = true
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

/** The method of a JSON-RPC message, and the tool or prompt that it names. */
function summaryOf(message: unknown): { method?: string; name?: string } {
  if (typeof message !== 'object' || message === null || !('method' in message)) return {}
  const { method } = message
  if (typeof method !== 'string') return {}
  const params = 'params' in message ? message.params : undefined
  const name = typeof params === 'object' && params !== null && 'name' in params ? params.name : undefined
  return { method, ...(typeof name === 'string' && { name }) }
}
