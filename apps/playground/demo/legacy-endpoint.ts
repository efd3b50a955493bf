import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import type { DemoServerOptions, SessionEnd } from './events.js'
import { jsonRpcError } from './http.js'
import { createLegacyServer } from './legacy-server.js'

interface Session {
  transport: WebStandardStreamableHTTPServerTransport
  /** Exchanges whose response has not ended; an open GET stream is one. */
  openExchanges: number
  idleTimer?: NodeJS.Timeout
  close(reason: SessionEnd): Promise<void>
}

const DEFAULT_IDLE_MS = 600_000
const DEFAULT_MAX_SESSIONS = 64

/** Serves the revisions before 2026-07-28 by Streamable HTTP with sessions, each with a server of its own. */
export function createLegacyEndpoint(options: DemoServerOptions) {
  const { onEvent, sessionIdleMs = DEFAULT_IDLE_MS, maxSessions = DEFAULT_MAX_SESSIONS } = options
  // In the order in which they were last used: an exchange moves its session to the end.
  const sessions = new Map<string, Session>()

  async function fetch(request: Request, parsedBody: unknown): Promise<Response> {
    const sessionId = request.headers.get('mcp-session-id')
    if (sessionId !== null) {
      const session = sessions.get(sessionId)
      if (!session) return jsonRpcError(404, -32001, 'Session not found')
      return exchange(session, request, parsedBody)
    }
    // Only `initialize` opens a session; the transport answers anything else with an error.
    const initializes = [parsedBody].flat().some(isInitializeRequest)
    if (initializes && !(await makeRoom())) {
      return jsonRpcError(503, -32000, `The demo server has ${maxSessions} sessions in use.`, { 'Retry-After': '5' })
    }
    const session = await createSession()
    const response = await exchange(session, request, parsedBody)
    if (session.transport.sessionId === undefined) await session.transport.close()
    return response
  }

  async function createSession(): Promise<Session> {
    const server = createLegacyServer(onEvent)
    let reason: SessionEnd = 'server-closed'
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized(sessionId) {
        sessions.set(sessionId, session)
        onEvent?.({ type: 'session', sessionId, change: 'opened' })
      },
      onsessionclosed() {
        reason = 'deleted'
      },
    })
    const session: Session = {
      transport,
      openExchanges: 0,
      async close(end) {
        reason = end
        await server.close()
      },
    }
    server.server.onclose = () => {
      clearTimeout(session.idleTimer)
      const { sessionId } = transport
      if (sessionId === undefined || !sessions.delete(sessionId)) return
      onEvent?.({ type: 'session', sessionId, change: 'closed', reason })
    }
    server.server.onerror = ({ message }) => onEvent?.({ type: 'error', era: 'legacy', message })
    await server.connect(transport)
    return session
  }

  /** `request.signal` must abort when the exchange is over, however it ends. */
  async function exchange(session: Session, request: Request, parsedBody: unknown): Promise<Response> {
    clearTimeout(session.idleTimer)
    session.openExchanges++
    request.signal.addEventListener('abort', () => release(session), { once: true })
    return session.transport.handleRequest(request, { parsedBody })
  }

  function release(session: Session): void {
    session.openExchanges--
    const { sessionId } = session.transport
    if (sessionId === undefined || !sessions.has(sessionId)) return
    sessions.delete(sessionId)
    sessions.set(sessionId, session)
    if (session.openExchanges === 0) {
      session.idleTimer = setTimeout(() => void session.close('idle'), sessionIdleMs).unref()
    }
  }

  async function makeRoom(): Promise<boolean> {
    if (sessions.size < maxSessions) return true
    const idle = [...sessions.values()].find(({ openExchanges }) => openExchanges === 0)
    await idle?.close('replaced')
    return idle !== undefined
  }

  async function close(): Promise<void> {
    await Promise.all([...sessions.values()].map((session) => session.close('server-closed')))
  }

  return { fetch, close }
}
