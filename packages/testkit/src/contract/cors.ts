const exposed = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After'

/** The answer to a browser that asks first; undefined for any other request. */
export function answerPreflight(request: Request): Response | undefined {
  const wanted = request.headers.get('access-control-request-method')
  if (request.method !== 'OPTIONS' || !wanted) return undefined
  const headers = new Headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, DELETE',
    // What is asked for is what is allowed: `*` would leave out Authorization.
    'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
    'access-control-max-age': '600',
    vary: 'Access-Control-Request-Headers',
  })
  return new Response(null, { status: 204, headers })
}

/** The same response, readable from any origin. */
export function withCors(response: Response): Response {
  const headers = new Headers(response.headers)
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-expose-headers', exposed)
  return new Response(response.body, { status: response.status, headers })
}
