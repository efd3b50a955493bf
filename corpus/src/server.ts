import { createHost, type JsonObject, type McpClient } from '@x/core'

/** A recorded server, as a client meets it: what comes of it went through the whole session. */
export interface RecordedServer {
  client: McpClient
  /** What the next call of a tool is answered with. */
  answer(reply: object): void
  close(): Promise<void>
}

const protocolVersion = '2025-11-25'

/** @param tools - What it lists. */
export async function serve(
  tools: readonly object[],
  capabilities: JsonObject = { tools: {} },
): Promise<RecordedServer> {
  let reply: object = {}
  const answerTo = (method: string): object => {
    switch (method) {
      case 'initialize':
        return {
          result: { protocolVersion, capabilities, serverInfo: { name: 'recorded', version: '1' } },
        }
      case 'tools/list':
        return { result: { tools } }
      case 'tools/call':
        return reply
      default:
        return { error: { code: -32601, message: 'Method not found' } }
    }
  }
  const host = createHost({
    async fetch(input, init) {
      const request = new Request(input, init)
      if (request.method === 'DELETE') return new Response(null, { status: 204 })
      if (request.method !== 'POST') return new Response(null, { status: 405 })
      const { id, method } = (await request.json()) as { id?: number; method: string }
      return id === undefined
        ? new Response(null, { status: 202 })
        : Response.json({ jsonrpc: '2.0', id, ...answerTo(method) })
    },
  })
  const client = await host.connect({ url: 'https://recorded.example/mcp', protocolVersion })
  return {
    client,
    answer(next) {
      reply = next
    },
    close: () => host.close(),
  }
}

/** A tool of this name that takes anything, and runs as no task. */
export const openTool = (name: string): { name: string; inputSchema: JsonObject } => ({
  name,
  inputSchema: { type: 'object' },
})
