import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Access, type AccessOptions, checkAccess } from './access.js'
import { scopes } from './authorization-server.js'
import type { Recorder } from './control.js'

export interface ProtectedServerOptions extends AccessOptions {
  dpop: boolean
  recorder: Recorder
}

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id, DPoP-Nonce',
}

/** An MCP server of both eras whose tools need a token of the authorization server. */
export function createProtectedServer(options: ProtectedServerOptions): (request: Request) => Promise<Response> {
  const { resource, issuer, dpop, recorder } = options
  const { origin, pathname } = new URL(resource)
  const metadataPath = `/.well-known/oauth-protected-resource${pathname}`
  const handler = createMcpHandler(({ authInfo }) => createServer(authInfo?.extra as unknown as Access))

  const refuse = (status: 401 | 403, scope: string, error?: string) => {
    const scheme = dpop ? 'DPoP algs="ES256"' : 'Bearer realm="mcp"'
    const told = [scheme, `resource_metadata="${origin}${metadataPath}"`, `scope="${scope}"`]
    if (error) told.push(`error="${error}"`)
    return Response.json({ error }, { status, headers: { 'www-authenticate': told.join(', ') } })
  }

  async function serveEndpoint(request: Request): Promise<Response> {
    const text = request.method === 'POST' ? await request.text() : undefined
    const message = text ? (JSON.parse(text) as { method?: string; params?: { name?: string } }) : undefined
    const tool = message?.method === 'tools/call' ? message.params?.name : undefined
    const access = await checkAccess(request, options).catch(() => undefined)
    const response = await answer()
    recorder.note({
      party: 'mcp-server',
      what: message?.method ?? request.method,
      httpMethod: request.method,
      status: response.status,
      details: {
        scheme: request.headers.get('authorization')?.split(' ')[0] ?? 'none',
        ...(tool && { tool }),
        ...(request.headers.has('origin') && { origin: request.headers.get('origin')! }),
      },
    })
    return response

    async function answer(): Promise<Response> {
      if (!access) return refuse(401, scopes.read, request.headers.has('authorization') ? 'invalid_token' : undefined)
      if (tool === 'write' && !access.scopes.includes(scopes.write))
        return refuse(403, scopes.write, 'insufficient_scope')
      const authInfo = { token: '', clientId: access.clientId, scopes: access.scopes, extra: { ...access } }
      const { method, headers } = request
      return handler.fetch(new Request(request.url, { method, headers, ...(text !== undefined && { body: text }) }), {
        authInfo,
      })
    }
  }

  return async (request) => {
    const { pathname: path } = new URL(request.url)
    if (request.method === 'OPTIONS') {
      const asked = request.headers.get('access-control-request-headers') ?? ''
      return new Response(null, { status: 204, headers: { ...cors, 'access-control-allow-headers': asked } })
    }
    const response = path === pathname ? await serveEndpoint(request) : path === metadataPath ? describe() : notFound()
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value)
    return response
  }

  function describe(): Response {
    return Response.json({
      resource,
      authorization_servers: [issuer],
      scopes_supported: Object.values(scopes),
      bearer_methods_supported: ['header'],
      ...(dpop && { dpop_bound_access_tokens_required: true, dpop_signing_alg_values_supported: ['ES256'] }),
    })
  }
}

const notFound = () => new Response('not found', { status: 404 })

function createServer({ clientId, person = 'nobody' }: Access): McpServer {
  const server = new McpServer({ name: 'protected', version: '1.0.0' })
  const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
  server.registerTool('whoami', { description: `Needs ${scopes.read}` }, () => say(`${person} by ${clientId}`))
  server.registerTool(
    'write',
    { description: `Needs ${scopes.write}`, inputSchema: z.object({ text: z.string() }) },
    ({ text }) => say(`wrote ${text}`),
  )
  return server
}
