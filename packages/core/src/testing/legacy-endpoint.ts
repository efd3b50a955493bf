import type { JsonObject, LogLevel } from '../protocol.js'
import { createCall } from './call.js'
import type { Endpoint, EndpointParts, Incoming, News } from './endpoint.js'
import { createEventBody } from './event-body.js'
import { createExchange } from './exchange.js'
import { createLegacySession, type LegacySession } from './legacy-session.js'
import type { AnswerMethod } from './methods.js'
import { errorResponse, invalidRequest, objectOf, type RequestId, RpcError } from './rpc.js'

interface LegacyParts extends EndpointParts {
  answerMethod: AnswerMethod
}

/** Revisions 2025-03-26 to 2025-11-25: `initialize`, a session, a stream of the server's own, questions on a call's stream. */
export function createLegacyEndpoint(parts: LegacyParts): Endpoint {
  const { serverInfo, instructions, versions, capabilities, onHeard, answerMethod } = parts
  const sessions = new Map<string, LegacySession>()
  let opened = 0

  function initialize(id: RequestId, { protocolVersion, capabilities: clients }: JsonObject): Response {
    const version = versions.find((known) => known === protocolVersion) ?? versions[0] ?? ''
    const session = createLegacySession(`session-${++opened}`, version, objectOf(clients))
    sessions.set(session.id, session)
    const result = {
      protocolVersion: version,
      capabilities: capabilities(),
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    }
    return Response.json({ jsonrpc: '2.0', id, result }, { headers: { 'mcp-session-id': session.id } })
  }

  function openStream(session: LegacySession, signal: AbortSignal): Response {
    if (session.events) return refuse(409, 'Conflict: there is one stream for each session')
    const forget = () => {
      if (session.events === events) delete session.events
    }
    const events = createEventBody(forget)
    session.events = events
    signal.addEventListener('abort', forget, { once: true })
    onHeard()
    return events.response
  }

  /** What concerns the session alone; `undefined`: any other method. */
  function answerOwn(session: LegacySession, method: string, params: JsonObject): object | undefined {
    switch (method) {
      case 'ping':
        return {}
      case 'logging/setLevel':
        session.level = params.level as LogLevel
        return {}
      case 'resources/subscribe':
        session.subscribed.add(String(params.uri))
        return {}
      case 'resources/unsubscribe':
        session.subscribed.delete(String(params.uri))
        return {}
      default:
        return undefined
    }
  }

  function run(session: LegacySession, id: RequestId, method: string, params: JsonObject, left: AbortSignal) {
    // That the client has left cancels nothing in these revisions: the call only has nobody to tell.
    const exchange = createExchange(id, () => 200, left)
    const abort = new AbortController()
    session.running.set(id, abort)
    const { signal } = abort
    const call = createCall({
      era: 'legacy',
      signal,
      meta: objectOf(params._meta),
      capabilities: session.capabilities,
      level: session.level,
      say: exchange.say,
      ask: (what, question) => session.ask(exchange.say, what, question, signal),
    })
    const work = async () => answerOwn(session, method, params) ?? (await answerMethod(method, params, call))
    work()
      .then(exchange.finish, exchange.fail)
      .finally(() => session.running.delete(id))
    return exchange.response
  }

  function notified(session: LegacySession, method: string, { requestId }: JsonObject): void {
    if (method !== 'notifications/cancelled') return
    session.running.get(requestId as RequestId)?.abort(new Error('The client has cancelled the request'))
  }

  function end(session: LegacySession, reason: string): void {
    sessions.delete(session.id)
    session.end(reason)
  }

  async function answer({ request, message, signal }: Incoming): Promise<Response> {
    const { id, method, params = {} } = message
    if (method === 'initialize' && id !== undefined) return initialize(id, params)
    if (request.session === undefined) return refuse(400, 'Bad Request: Mcp-Session-Id header is required')
    const session = sessions.get(request.session)
    if (!session) return refuse(404, 'Session not found', -32001)
    const stated = request.headers['mcp-protocol-version']
    if (stated !== undefined && !versions.includes(stated))
      return refuse(400, `Bad Request: Unsupported protocol version: ${stated}`)
    switch (request.httpMethod) {
      case 'GET':
        return openStream(session, signal)
      case 'DELETE':
        end(session, 'The session was ended')
        return new Response(null, { status: 204 })
      case 'POST':
        break
      default:
        return new Response(null, { status: 405, headers: { allow: 'GET, POST, DELETE' } })
    }
    if (method !== undefined && id !== undefined) return run(session, id, method, params, signal)
    if (method === undefined) session.answered(message)
    else notified(session, method, params)
    return new Response(null, { status: 202 })
  }

  function tell(news: News): void {
    const message =
      'list' in news
        ? { jsonrpc: '2.0', method: `notifications/${news.list}/list_changed` }
        : { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: news.updated } }
    for (const { events, subscribed } of sessions.values())
      if ('list' in news || subscribed.has(news.updated)) events?.push(message)
  }

  return {
    answer,
    tell,
    forget(id) {
      const session = sessions.get(id)
      if (session) end(session, 'The session has expired')
    },
    close() {
      for (const session of [...sessions.values()]) end(session, 'The server was closed')
    },
  }
}

const refuse = (status: number, message: string, code = invalidRequest): Response =>
  errorResponse(status, new RpcError(code, message))
