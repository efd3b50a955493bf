import { startScriptedServer } from '@x/testkit'

export interface CorsProxy {
  /** `http://127.0.0.1:PORT`, without a path. */
  origin: string
  close(): Promise<void>
}

/** Of a hop, not of the message; and of bytes that `fetch` has decoded. */
const dropped = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding']

/**
 * Stands before a server that knows no CORS and gives its answers, streams too, to pages of any origin.
 *
 * @param target - The server's origin.
 */
export async function startCorsProxy(target: string): Promise<CorsProxy> {
  const server = await startScriptedServer(async (request) => {
    const wanted = request.headers.get('access-control-request-headers')
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method'))
      return new Response(null, { status: 204, headers: preflightHeaders(wanted ?? '') })
    return withCors(await forward(request, target))
  })
  return { origin: server.url, close: server.close }
}

async function forward(request: Request, target: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(request.headers)
  // With an origin of its own the request would be refused by servers that guard against DNS rebinding.
  for (const name of [...headers.keys()])
    if (/^(origin|referer|host|sec-.*)$/.test(name) || dropped.includes(name)) headers.delete(name)
  return fetch(target + pathname + search, {
    method: request.method,
    headers,
    redirect: 'manual',
    signal: request.signal,
    ...(request.body && { body: await request.arrayBuffer() }),
  })
}

function preflightHeaders(wanted: string): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, DELETE',
    // What is asked for is what is allowed: `*` would leave out Authorization.
    'access-control-allow-headers': wanted,
    vary: 'Access-Control-Request-Headers',
  }
}

function withCors(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const name of dropped) headers.delete(name)
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-expose-headers', 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After')
  return new Response(response.body, { status: response.status, headers })
}
