import type { KeyValueStore } from '../../src/config.js'
import type { ConnectionEvent, McpConnection } from '../../src/connection.js'
import { createMemoryStore } from '../../src/memory-store.js'
import { legacyServer, modernServer, reply, rpcError, serverInfo } from './mcp-server.js'
import { open, url } from './open.js'
import type { Sent } from './scripted-fetch.js'
import { sseReplies, sseServer } from './sse-server.js'

export type Answer = (sent: Sent) => Response | Promise<Response>

export const status = (code: number) => () => new Response('no', { status: code })

export const modern = (own: Record<string, Answer> = {}): Answer =>
  modernServer({
    'server/discover': (sent) =>
      reply(sent, {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 3_600_000,
        _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      }),
    initialize: (sent) => rpcError(sent, -32601, 'Method not found', undefined, { status: 404 }),
    ...own,
  })

/** Counts sessions, and wants the right one. */
export function legacy(own: Record<string, Answer> = {}): Answer {
  const session = (answer: Answer): Answer => {
    return (sent) =>
      sent.headers.get('mcp-session-id') === 'session-1'
        ? answer(sent)
        : rpcError(sent, -32000, 'Bad Request: no session', undefined, { status: 400 })
  }
  return legacyServer({
    'tools/list': session((sent) => reply(sent, { tools: [] })),
    'tools/call': session((sent) =>
      reply(sent, { content: [{ type: 'text', text: String(sent.body?.params?.name) }] }),
    ),
    ...own,
  })
}

/** What such a server is since 2026-07-28: it refuses the revision by its header. */
export const strictLegacy = (): Answer => {
  const server = legacy()
  return (sent) =>
    sent.headers.get('mcp-protocol-version') === '2026-07-28'
      ? rpcError(sent, -32000, 'Bad Request: Unsupported protocol version', undefined, { status: 400 })
      : server(sent)
}

export function old(): Answer {
  const server = sseServer(
    sseReplies({ 'tools/list': (sent) => ({ jsonrpc: '2.0', id: sent.body?.id, result: { tools: [] } }) }),
  )
  return (sent) =>
    sent.method === 'POST' && sent.url === url ? new Response('no', { status: 404 }) : server.answer(sent)
}

/** A server that can be replaced by another at the same URL, and what it is connected to with. */
export function changing(first: Answer) {
  let now = first
  const memory = createMemoryStore()
  let writes = 0
  const store: KeyValueStore = {
    ...memory,
    async set(key, value) {
      await memory.set(key, value)
      writes++
    },
  }
  return {
    store,
    become(next: Answer) {
      now = next
    },
    async written(count: number) {
      while (writes < count) await new Promise(setImmediate)
    },
    connect(options: Parameters<typeof open>[1] = {}) {
      const events: ConnectionEvent[] = []
      const onEvent = (event: ConnectionEvent) => events.push(event)
      const parts = open((sent) => now(sent), {
        runtime: { memory: store },
        ...options,
        hooks: { onEvent, ...options.hooks },
      })
      return { ...parts, events }
    },
  }
}

/** Has connected once, so that the server is remembered. */
export async function remembering(first: Answer, config: Parameters<typeof open>[1] = {}) {
  const server = changing(first)
  const { opening } = server.connect(config)
  await (await opening).close()
  await server.written(1)
  return server
}

export const list = (connection: McpConnection) => connection.request('tools/list', {})
export const call = (connection: McpConnection, name = 'a') => connection.request('tools/call', { name })
export const done = (name = 'a') => ({ content: [{ type: 'text', text: name }] })
