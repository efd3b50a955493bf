import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { isInitializeRequest, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type LocalServer, openPipe } from '@x/core/stdio'
import { jsonRpcError } from '../demo/http.js'

/** A local server as an MCP endpoint, for who reaches servers by HTTP. */
export interface LocalEndpoint {
  fetch: typeof fetch
  /** Ends every process; resolves when nothing is left of them. */
  close(): Promise<void>
}

interface Session {
  transport: WebStandardStreamableHTTPServerTransport
  /** Ends it and its process; resolves when nothing is left of that. */
  end(): Promise<void>
}

/** Processes at once: a page that is closed by force leaves its own behind, and the oldest makes room. */
const maxProcesses = 8
const internalError = -32603
const sessionNotFound = -32001

/**
 * Serves a local server as Streamable HTTP, with a process for each session: servers keep what one client does, and
 * nobody else must see it. The server has no event stream of its own for each call, so progress goes to the call that
 * asked for it, and whatever else it says by itself to the session's stream.
 */
export function createLocalEndpoint(server: LocalServer): LocalEndpoint {
  const sessions = new Map<string, Session>()
  /** Those with a process, the oldest first; also while it is started or ended, so that there are never more. */
  const running = new Set<Session>()
  let isClosed = false

  async function begin(): Promise<Session> {
    for (let [oldest] = running; oldest && running.size >= maxProcesses; [oldest] = running) await oldest.end()
    if (isClosed) throw new Error('The endpoint is closed')
    /** The requests that wait, and the tokens that their progress goes by. */
    const unanswered = new Map<string | number, unknown>()
    let ending: Promise<void> | undefined
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: () => session.end(),
    })
    const pass = (message: JSONRPCMessage) => {
      const token = 'method' in message && message.method === 'notifications/progress' && message.params?.progressToken
      const [relatedRequestId] = [...unanswered].find(([, own]) => own !== undefined && own === token) ?? []
      if ('id' in message && !('method' in message) && message.id !== undefined) unanswered.delete(message.id)
      // Nobody may be there to hear it.
      void transport.send(message, relatedRequestId === undefined ? {} : { relatedRequestId }).catch(() => {})
    }
    const opening = openPipe(server, { onMessage: (message) => pass(message as unknown as JSONRPCMessage) })
    async function end(): Promise<void> {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
      const pipe = await opening.catch(() => undefined)
      await Promise.all([transport.close(), pipe?.close()])
      running.delete(session)
    }
    const session: Session = { transport, end: () => (ending ??= end()) }
    running.add(session)
    opening.catch(() => session.end())
    const pipe = await opening
    transport.onmessage = (message) => {
      if (isJSONRPCRequest(message)) unanswered.set(message.id, message.params?._meta?.progressToken)
      // What ended with the server is told below.
      pipe.send(message as never).catch(() => {})
    }
    await transport.start()
    void pipe.ended.then(async ({ message }) => {
      for (const id of unanswered.keys()) pass({ jsonrpc: '2.0', id, error: { code: internalError, message } })
      await session.end()
    })
    return session
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
    const session = await begin()
    try {
      return await session.transport.handleRequest(request, { parsedBody: body })
    } finally {
      // A request that is refused, as for its headers, has begun no session that anybody could end.
      if (session.transport.sessionId === undefined) void session.end()
    }
  }

  return {
    fetch: (input, init) => answer(new Request(input, init)),
    async close() {
      isClosed = true
      await Promise.all([...running].map((session) => session.end()))
    },
  }
}

const refuse = (status: number, message: string, code = -32600) => jsonRpcError(status, code, message)
