import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { isInitializeRequest, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type LocalPipe, type LocalServer, openPipe } from '@x/core/stdio'
import { jsonRpcError } from '../demo/http.js'

/** A local server as an MCP endpoint, for who reaches servers by HTTP. */
export interface LocalEndpoint {
  fetch: typeof fetch
  /** Ends every process; resolves when nothing is left of them. */
  close(): Promise<void>
}

interface Session {
  transport: WebStandardStreamableHTTPServerTransport
  pipe: LocalPipe
}

/** Processes at once: a page that is closed by force leaves its own behind, and the oldest makes room. */
const maxSessions = 8
const internalError = -32603
const sessionNotFound = -32001

/**
 * Serves a local server as Streamable HTTP, with a process for each session: servers keep what one client does, and
 * nobody else must see it. The server has no event stream of its own for each call, so progress goes to the call that
 * asked for it, and whatever else it says by itself to the session's stream.
 */
export function createLocalEndpoint(server: LocalServer): LocalEndpoint {
  const sessions = new Map<string, Session>()

  async function begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    /** The ids of requests whose progress goes by this token. */
    const asking = new Map<unknown, string | number>()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { transport, pipe }),
      onsessionclosed: (id) => end(id),
    })
    const unanswered = new Set<string | number>()
    const pass = (message: JSONRPCMessage) => {
      const token = 'method' in message && message.method === 'notifications/progress' && message.params?.progressToken
      const relatedRequestId = token === false ? undefined : asking.get(token)
      if ('id' in message && !('method' in message) && message.id !== undefined) unanswered.delete(message.id)
      // Nobody may be there to hear it.
      void transport.send(message, relatedRequestId === undefined ? {} : { relatedRequestId }).catch(() => {})
    }
    const pipe = await openPipe(server, { onMessage: (message) => pass(message as unknown as JSONRPCMessage) })
    transport.onmessage = (message) => {
      if (isJSONRPCRequest(message)) {
        unanswered.add(message.id)
        const token = message.params?._meta?.progressToken
        if (token !== undefined) asking.set(token, message.id)
      }
      // What ended with the server is told below.
      pipe.send(message as never).catch(() => {})
    }
    await transport.start()
    void pipe.ended.then(async ({ message }) => {
      for (const id of unanswered) pass({ jsonrpc: '2.0', id, error: { code: internalError, message } })
      await (transport.sessionId === undefined ? transport.close() : end(transport.sessionId))
    })
    return transport
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id)
    sessions.delete(id)
    await Promise.all([session?.transport.close(), session?.pipe.close()])
  }

  async function answer(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = sessions.get(id)
      return session ? session.transport.handleRequest(request) : refuse(404, 'Session not found', sessionNotFound)
    }
    const body: unknown = request.method === 'POST' ? await request.json().catch(() => undefined) : undefined
    // Nothing else is worth a process.
    if (!isInitializeRequest(body)) return refuse(400, 'A session begins with initialize')
    const [oldest] = sessions.keys()
    if (sessions.size >= maxSessions && oldest !== undefined) void end(oldest)
    return (await begin()).handleRequest(request, { parsedBody: body })
  }

  return {
    fetch: (input, init) => answer(new Request(input, init)),
    async close() {
      await Promise.all([...sessions.keys()].map(end))
    },
  }
}

const refuse = (status: number, message: string, code = -32600) => jsonRpcError(status, code, message)
