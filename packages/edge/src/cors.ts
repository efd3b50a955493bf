import { ConfigError } from '@x/core'
import { Refusal } from './refusal.js'

/** Request headers of both eras. */
const allowedHeaders = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'traceparent',
  'tracestate',
  'baggage',
]
/** Response headers that a client acts upon. */
const exposedHeaders = 'WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After'
/** Seconds that a browser may remember a preflight; Chromium allows no more. */
const maxAge = '7200'

/**
 * @throws {ConfigError} `ERR_MCP_CONFIG` for `*`, `null`, and what no browser would send: a path, a slash at the end, a
 *   default port, capitals.
 */
export function checkOrigin(origin: string): void {
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined
  const exact =
    url && /^https?:$/.test(url.protocol) ? url.origin === origin : /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#,]+$/.test(origin)
  if (!url || !exact || origin.includes('*'))
    throw new ConfigError(
      `"origins" must hold exact origins such as https://chat.example, without a path or wildcard`,
      {
        data: { key: 'origins' },
      },
    )
}

/**
 * The answer to a browser that asks first. It carries no credentials, so it comes before authentication, and it has no
 * body, so it comes before every limit.
 *
 * @returns Undefined for any other request.
 * @see {@link https://fetch.spec.whatwg.org/#cors-preflight-fetch}
 */
export function answerPreflight({ method, headers }: Request): Response | undefined {
  if (method !== 'OPTIONS' || !headers.has('origin') || !headers.has('access-control-request-method')) return undefined
  const asked = (headers.get('access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  // Named by each tool's schema, so there is no list of them; and `*` would leave out Authorization.
  const parameters = asked.filter((name) => /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers': [...allowedHeaders, ...parameters].join(', '),
      'access-control-max-age': maxAge,
      vary: 'Access-Control-Request-Headers',
    },
  })
}

/**
 * Requests without `Origin` come from no page: they pass.
 *
 * @throws {Refusal} 403
 */
export function refuseForeignOrigin(request: Request, origins: string[]): void {
  const origin = request.headers.get('origin')
  if (origin !== null && !origins.includes(origin))
    throw new Refusal(403, 'ERR_GATEWAY_ORIGIN', "This page's origin is not among those that may call the gateway")
}

/** The same response, readable by the page if its origin is allowed; without CORS headers otherwise. */
export function withCors(response: Response, request: Request, origins: string[]): Response {
  const headers = new Headers(response.headers)
  headers.append('vary', 'Origin')
  const origin = request.headers.get('origin')
  if (origin !== null && origins.includes(origin)) {
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-expose-headers', exposedHeaders)
  }
  // What one caller is told is nobody else's.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  return new Response(response.body, { status: response.status, headers })
}
