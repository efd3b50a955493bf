import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { type RequestHandler, type ScriptedServer, startScriptedServer } from '@x/testkit'
import * as z from 'zod'

export const key = 'key-of-the-server'

/** A server with one tool, `greet`. */
function greeter(): RequestHandler {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'greeter', title: 'Greeter', version: '1.0.0' })
    server.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
      content: [{ type: 'text', text: `Hello ${name}` }],
    }))
    return server
  })
  return (request) => handler.fetch(request)
}

/** Servers that no page reaches, by what keeps pages out. */
export const unreachableServers = {
  'no-cors': () => startScriptedServer(greeter()),
  'origin-refused': () => {
    const serve = greeter()
    return startScriptedServer((request) =>
      request.headers.has('origin') ? new Response('Forbidden', { status: 403 }) : serve(request),
    )
  },
  'preflight-refused': () => {
    const serve = greeter()
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' }
    return startScriptedServer(async (request) => {
      const allowed = request.headers.get('authorization') === `Bearer ${key}`
      const response = allowed ? await serve(request) : new Response(null, { status: 401 })
      return new Response(response.body, {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...cors },
      })
    })
  },
} satisfies Record<string, () => Promise<ScriptedServer>>
