import { HttpError, InvalidResponseError, type McpError, UnauthorizedError } from '../errors.js'
import { retryAfterMs } from './retry-after.js'

/** The media type without parameters, in lower case. */
export function essence(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

/** The error for a status that is no success and carries no JSON-RPC error. */
export function statusError(response: Response, now: number): McpError {
  const { status } = response
  const wait = retryAfterMs(response.headers, now)
  const html = essence(response) === 'text/html'
  // RFC 6750 3.1; the description may be anything, the code alone says enough.
  const [, code] = /\berror="?([\w.-]{1,64})/i.exec(response.headers.get('www-authenticate') ?? '') ?? []
  if (status === 403 && code === 'insufficient_scope')
    return new UnauthorizedError('The server wants more to be granted than these credentials have (403)', {
      data: { status, reason: code },
    })
  if (status === 401) {
    return new UnauthorizedError(
      `The server wants credentials (401${code ? `, ${code}` : ''}): none were sent, or it refused them`,
      { data: { status, ...(code !== undefined && { reason: code }) } },
    )
  }
  const [reason, advice] = explain(status, html)
  return new HttpError(`The server answered HTTP ${status}: ${advice}`, {
    data: { status, reason, ...(wait !== undefined && { retryAfterMs: wait }) },
  })
}

/** Statuses that refuse a request for now, whatever their body says. */
export const isRefusedForNow = (status: number) => status === 429 || status === 503

function explain(status: number, html: boolean): [reason: string, advice: string] {
  if (status === 403) return ['forbidden', 'it refuses these credentials, or this Origin']
  if (status === 404) return ['not-found', 'there is no MCP endpoint at this URL; its path often ends in /mcp']
  if (status === 405) return ['method-not-allowed', 'it takes no POST here, so this is no MCP endpoint']
  if (status === 429) return ['rate-limited', 'too many requests; wait before the next']
  if (status === 503) return ['unavailable', 'it is overloaded or down for now; wait before the next']
  if (status >= 500) return ['server-error', 'it failed; its own log tells why']
  if (html) return ['html', 'it sent an HTML page, so this is probably no MCP endpoint']
  return ['status', 'it refused the request']
}

/** A redirect that is not followed. Browsers hide where it leads. */
export function redirectError(response: Response, url: string): HttpError {
  const location = response.headers.get('location')
  const origin = location && URL.canParse(location, url) ? new URL(location, url).origin : undefined
  return new HttpError(
    `The server redirects this URL${origin ? ` to ${origin}` : ''}; configure the final URL of the MCP endpoint`,
    { data: { reason: 'redirect', ...(response.status && { status: response.status }) } },
  )
}

/** An event stream that names another origin for the messages, which would carry the credentials there. */
export function foreignEndpointError(origin: string): InvalidResponseError {
  return new InvalidResponseError(`The server wants messages sent to another origin (${origin}), which is refused`, {
    data: { reason: 'foreign-endpoint' },
  })
}

/** A success whose content is neither JSON nor an event stream. */
export function contentTypeError(type: string): InvalidResponseError {
  return type === 'text/html'
    ? new InvalidResponseError(
        'The server answered with an HTML page, so this URL is no MCP endpoint; its path often ends in /mcp',
        { data: { reason: 'html' } },
      )
    : new InvalidResponseError(
        `The server answered with ${type || 'no content type'} instead of application/json or text/event-stream`,
        { data: { reason: 'content-type' } },
      )
}
