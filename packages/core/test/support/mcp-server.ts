import type { ScriptedFetch, Sent } from './scripted-fetch.js'

type Answer = (sent: Sent) => Response | Promise<Response>

export const serverInfo = { name: 'scripted', version: '1.2.3' }

/** A JSON-RPC result for a request. */
export const reply = (sent: Sent, result: object, init?: ResponseInit): Response =>
  Response.json({ jsonrpc: '2.0', id: sent.body?.id, result: { resultType: 'complete', ...result } }, init)

/** A JSON-RPC error for a request. */
export const rpcError = (sent: Sent, code: number, message: string, data?: unknown, init?: ResponseInit): Response =>
  Response.json({ jsonrpc: '2.0', id: sent.body?.id, error: { code, message, data } }, init)

const methods: Record<string, Answer> = {
  'tools/call': (sent) => reply(sent, { content: [{ type: 'text', text: String(sent.body?.params?.name) }] }),
  'tools/list': (sent) => reply(sent, { tools: [], ttlMs: 0, cacheScope: 'private' }),
  'prompts/list': (sent) => reply(sent, { prompts: [], ttlMs: 0, cacheScope: 'private' }),
}

/** A server of revision 2026-07-28; `own` answers methods in its place. */
export function modernServer(own: Record<string, Answer> = {}): Answer {
  const answers: Record<string, Answer> = {
    'server/discover': (sent) =>
      reply(sent, {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        instructions: 'Be kind.',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      }),
    ...methods,
    ...own,
  }
  return (sent) => (answers[sent.body?.method ?? sent.method] ?? notFound)(sent)
}

/** A server of earlier revisions, with a session; `own` answers methods in its place, `DELETE` among them. */
export function legacyServer(own: Record<string, Answer> = {}): Answer {
  const answers: Record<string, Answer> = {
    'server/discover': () => new Response('Bad Request: no session', { status: 400 }),
    initialize: (sent) =>
      reply(
        sent,
        { protocolVersion: sent.body?.params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
        { headers: { 'mcp-session-id': 'session-1' } },
      ),
    'notifications/initialized': () => new Response(null, { status: 202 }),
    'notifications/cancelled': () => new Response(null, { status: 202 }),
    DELETE: () => new Response(null, { status: 204 }),
    ...methods,
    ...own,
  }
  return (sent) => (answers[sent.body?.method ?? sent.method] ?? notFound)(sent)
}

const notFound: Answer = (sent) => rpcError(sent, -32601, 'Method not found', undefined, { status: 404 })

/** Resolves with the request of this method, once it has come; of DELETE by that name. */
export async function arrival({ sent }: Pick<ScriptedFetch, 'sent'>, method: string): Promise<Sent> {
  for (;;) {
    const found = sent.find((request) => (request.body?.method ?? request.method) === method)
    if (found) return found
    await new Promise(setImmediate)
  }
}

/** The methods of all that was sent, in order. */
export const methodsSent = ({ sent }: Pick<ScriptedFetch, 'sent'>): string[] =>
  sent.map(({ body, method }) => body?.method ?? method)
