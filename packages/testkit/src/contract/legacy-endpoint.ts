import { randomUUID } from 'node:crypto'
import { InMemoryTaskMessageQueue } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { capabilities, type Endpoint, type News } from './endpoints.js'
import { type ForgottenAnswer, instructions, serverIdentity } from './fixtures.js'
import { answerLegacy, createLegacySession, type LegacySession } from './legacy-session.js'
import { createLegacyTasks } from './legacy-tasks.js'
import type { AnswerMethod } from './methods.js'
import type { Offer } from './offer.js'
import { skillsExtension } from './skills.js'

const taskCapabilities = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

interface Open {
  server: Server
  session: LegacySession
  transport: WebStandardStreamableHTTPServerTransport
}

/** Revisions up to 2025-11-25 with sessions, by the SDK's maintenance line. */
export function createLegacyEndpoint(answerMethod: AnswerMethod, offer: Offer): Endpoint {
  const sessions = new Map<string, Open>()
  const forgotten = new Map<string, ForgottenAnswer>()
  const tasks = createLegacyTasks()

  async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const session = createLegacySession()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, session, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const server = new Server(serverIdentity, {
      capabilities: { ...capabilities, tasks: taskCapabilities, extensions: { [skillsExtension]: {} } },
      instructions,
      taskStore: tasks.store,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    })
    // The SDK's own only keeps the level for messages that go to the session, and ours go with their call.
    server.removeRequestHandler('logging/setLevel')
    server.fallbackRequestHandler = ({ method, params = {} }, extra) =>
      answerLegacy({ method, params, extra, session, tasks, offer, answerMethod })
    await server.connect(transport)
    return transport
  }

  return {
    async answer(request, parsedBody) {
      const sessionId = request.headers.get('mcp-session-id')
      if (!sessionId && !isInitializeRequest(parsedBody))
        return refuse(400, 'Bad Request: Mcp-Session-Id header is required')
      const transport = sessionId ? sessions.get(sessionId)?.transport : await openSession()
      return transport
        ? transport.handleRequest(request, { parsedBody })
        : refuseSession(forgotten.get(sessionId ?? ''))
    },
    async announce(news) {
      for (const open of sessions.values()) await tell(open, news)
    },
    async forget(answer) {
      const open = [...sessions]
      sessions.clear()
      for (const [id, { transport }] of open) {
        forgotten.set(id, answer)
        await transport.close()
      }
    },
    async close() {
      tasks.stop()
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
    },
  }
}

async function tell({ server, session }: Open, news: News): Promise<void> {
  if ('list' in news) await server.notification({ method: `notifications/${news.list}/list_changed` })
  else if ('completed' in news) {
    if (!server.getClientCapabilities()?.elicitation?.url) return
    await server.notification({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: news.completed },
    })
  } else if (session.subscribed.has(news.updated)) await server.sendResourceUpdated({ uri: news.updated })
}

function refuseSession(answer: ForgottenAnswer = '404'): Response {
  if (answer === '404') return refuse(404, 'Session not found', -32001)
  if (answer === '400') return refuse(400, 'Bad Request: No valid session ID provided')
  return Response.json({ error: 'Session not found' })
}

function refuse(status: number, message: string, code = -32000): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
