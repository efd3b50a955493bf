// An MCP server of revision 2026-07-28 in a process of its own, whose one tool gives a text of so many bytes. Prints its
// URL. The path says in which form replies come.
import { gzipSync } from 'node:zlib'
import { startScriptedServer } from '@x/testkit'
import type { Variant } from './variants.js'

interface Message {
  id: unknown
  method: string
  params: { arguments?: { bytes: number } }
}

const server = await startScriptedServer(async (request) => {
  if (request.method !== 'POST') return new Response(null, { status: 405 })
  const message = (await request.json()) as Message
  if (message.id === undefined) return new Response(null, { status: 202 })
  const result = answer(message)
  if (!result)
    return Response.json({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } })
  const reply = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...result } }),
  )
  return toResponse(reply, new URL(request.url).pathname.slice(1) as Variant)
})
console.log(server.url)

function answer({ method, params }: Message): Record<string, unknown> | undefined {
  if (method === 'server/discover')
    return {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'memory', version: '1' } },
    }
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'x'.repeat(params.arguments!.bytes) }] }
  return undefined
}

function toResponse(reply: Buffer<ArrayBuffer>, variant: Variant): Response {
  const headers = { 'content-type': 'application/json' }
  switch (variant) {
    case 'plain':
      return new Response(reply, { headers: { ...headers, 'content-length': String(reply.length) } })
    case 'gzip':
      return new Response(gzipSync(reply), { headers: { ...headers, 'content-encoding': 'gzip' } })
    case 'chunked':
      return new Response(new Blob([reply]).stream(), { headers })
  }
}
