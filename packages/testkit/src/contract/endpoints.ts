import { randomUUID } from 'node:crypto'
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server'
import { instructions, serverName, serverVersion } from './fixtures.js'
import type { AnswerMethod } from './methods.js'

/** One MCP endpoint, its request's body already parsed. */
export interface Endpoint {
  answer(request: Request, parsedBody: unknown): Promise<Response>
  close(): Promise<void>
}

const identity = { name: serverName, version: serverVersion }
const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} }

/** Revision 2026-07-28 and no other, by the SDK's successor. */
export function createModernEndpoint(answerMethod: AnswerMethod): Endpoint {
  const handler = createMcpHandler(
    () => {
      // What a client may remember. Lists are not: a client that keeps them would ask for no second page.
      const cacheHints = { 'server/discover': { ttlMs: 60_000 } } as const
      const server = new ModernServer(identity, { capabilities, instructions, cacheHints })
      // The low-level handler: the SDK's own tool lists have no pages.
      server.fallbackRequestHandler = (request, { mcpReq }) =>
        answerMethod(request.method, request.params ?? {}, {
          signal: mcpReq.signal,
          progress: (progress, total) => {
            const progressToken = mcpReq._meta?.progressToken
            if (progressToken === undefined) return Promise.resolve()
            return mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
          },
        })
      return server
    },
    { legacy: 'reject' },
  )
  return { answer: (request, parsedBody) => handler.fetch(request, { parsedBody }), close: () => handler.close() }
}

/** Revisions up to 2025-11-25 with sessions, by the SDK's maintenance line. */
export function createLegacyEndpoint(answerMethod: AnswerMethod): Endpoint {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const server = new LegacyServer(identity, { capabilities, instructions })
    server.fallbackRequestHandler = (request, extra) =>
      answerMethod(request.method, request.params ?? {}, {
        signal: extra.signal,
        progress: (progress, total) => {
          const progressToken = extra._meta?.progressToken
          if (progressToken === undefined) return Promise.resolve()
          return extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total },
          })
        },
      })
    await server.connect(transport)
    return transport
  }
  return {
    async answer(request, parsedBody) {
      const sessionId = request.headers.get('mcp-session-id')
      if (!sessionId && !isInitializeRequest(parsedBody))
        return refuse(400, 'Bad Request: Mcp-Session-Id header is required')
      const transport = sessionId ? sessions.get(sessionId) : await openSession()
      return transport ? transport.handleRequest(request, { parsedBody }) : refuse(404, 'Session not found', -32001)
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()))
    },
  }
}

function refuse(status: number, message: string, code = -32000): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
