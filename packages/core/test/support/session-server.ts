import { legacyServer, reply } from './mcp-server.js'
import type { Sent } from './scripted-fetch.js'

type Answer = (sent: Sent) => Response | Promise<Response>

export interface SessionServer {
  answer(sent: Sent): Response | Promise<Response>
  /** Forgets every session, as a restart does. */
  forget(): void
  /** Sessions that were handed out. */
  readonly sessions: number
  /** How often each tool ran, by name. */
  readonly runs: ReadonlyMap<string, number>
}

/**
 * A legacy server that hands out sessions and refuses those that it doesn't know.
 *
 * @param refuse - How; 404 by default.
 * @param own - Answers methods in its place, after the session was checked.
 */
export function sessionServer(
  own: Record<string, Answer> = {},
  refuse: Answer = () => new Response('Session not found', { status: 404 }),
  capabilities: object = { tools: {} },
): SessionServer {
  const known = new Set<string>()
  const runs = new Map<string, number>()
  let sessions = 0
  const answer = legacyServer({
    GET: () => new Response(null, { status: 405 }),
    initialize(sent) {
      const id = `session-${++sessions}`
      known.add(id)
      const { protocolVersion } = sent.body?.params ?? {}
      const serverInfo = { name: 'sessions', version: `${sessions}` }
      return reply(sent, { protocolVersion, capabilities, serverInfo }, { headers: { 'mcp-session-id': id } })
    },
    DELETE(sent) {
      known.delete(sent.headers.get('mcp-session-id') ?? '')
      return new Response(null, { status: 204 })
    },
    'tools/call'(sent) {
      const name = String(sent.body?.params?.name)
      runs.set(name, (runs.get(name) ?? 0) + 1)
      return reply(sent, { content: [{ type: 'text', text: name }] })
    },
    ...own,
  })
  return {
    answer(sent) {
      const method = sent.body?.method ?? sent.method
      const isFree = method === 'initialize' || method === 'server/discover'
      return isFree || known.has(sent.headers.get('mcp-session-id') ?? '') ? answer(sent) : refuse(sent)
    },
    forget: () => known.clear(),
    get sessions() {
      return sessions
    },
    runs,
  }
}
