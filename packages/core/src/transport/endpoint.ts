import { untilAborted } from '../abort.js'
import { endpointName } from '../config.js'
import type { Unsubscribe, WireEvent } from '../connection.js'
import { ConfigError, DisconnectedError } from '../errors.js'
import { essence, redirectError } from './http-error.js'
import type { JsonRpcMessage } from './json-rpc.js'

/** The MCP endpoint: all that every HTTP request to it shares. */
export interface Endpoint {
  url: string
  fetch: typeof fetch
  now(): number
  setTimer(ms: number, run: () => void): () => void
  /** Tells when what waits to be tried again is worth trying now. */
  wake?(listener: () => void): Unsubscribe
  credentials: 'omit' | 'same-origin' | 'include'
  maxResponseBytes: number
  /**
   * The configured headers and the credentials, asked for before each request.
   *
   * @param request - What they are for, where that is known: proofs are made for one request.
   */
  headers(request?: { method: string; url: string }): Promise<Record<string, string>>
  /**
   * Asks for other credentials after these headers were refused.
   *
   * @param response - The refusal, which says what is wanted instead.
   * @returns Whether there are others now, so that the request is worth sending again.
   */
  renew?(refused: Record<string, string>, response: Pick<Response, 'status' | 'headers'>): Promise<boolean>
  /** Hears that the renewed ones were refused as well. */
  refused?(refused: Record<string, string>): void
  /** Sees the headers of each response. */
  observe?(url: string, headers: Headers): void
  /** Reports what crosses the wire; undefined while nobody listens. */
  wire(): ((event: WireEvent) => void) | undefined
}

export interface EndpointRequest {
  /** Numbers the exchange in wire events. */
  exchange: number
  httpMethod: NonNullable<WireEvent['httpMethod']>
  headers: Record<string, string>
  message?: JsonRpcMessage
  signal: AbortSignal
  /** Whether the request outlives the page that sends it. */
  keepalive?: boolean
  /** Called when the request has been handed to `fetch`. */
  onSent?(): void
  /** Called with each URL within the origin that a redirect leads to. */
  onRedirect?(url: string): void
}

let exchanges = 0
export const nextExchange = (): number => ++exchanges

/** Reports what happens in one exchange to whoever listens to the wire. */
export function wireReport(endpoint: Endpoint, exchange: number, httpMethod: NonNullable<WireEvent['httpMethod']>) {
  return (event: Partial<WireEvent> & Pick<WireEvent, 'phase'>) =>
    endpoint.wire()?.({ type: 'wire', exchange, httpMethod, at: endpoint.now(), ...event })
}

/** Redirects that are followed in one go. */
const maxRedirects = 3

/**
 * Sends one request to the endpoint: the one place where a request is built, whatever its method. A refusal of the
 * credentials (401, and 403 for want of scope), each of its kind, is answered once with others where there are any; a redirect that keeps method and body (307, 308)
 * is followed within the origin, where it can be seen.
 *
 * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` with `data.reason: 'network'` when there was no response.
 * @throws {HttpError} `ERR_MCP_HTTP` with `data.reason: 'redirect'`.
 * @throws The signal's reason when aborted.
 */
export async function send(endpoint: Endpoint, request: EndpointRequest): Promise<Response> {
  const { signal } = request
  let url = endpoint.url
  const renewed = new Set<string>()
  for (let redirects = 0; ; ) {
    // Neither the token hook nor an injected fetch need heed the signal.
    const credentials = await untilAborted(signal, endpoint.headers({ method: request.httpMethod, url }))
    const response = await sendOnce(endpoint, url, credentials, request)
    // A session that ends is not worth a question: a person may be asked.
    const refusal = refusalOf(response)
    if (refusal && !renewed.has(refusal) && endpoint.renew && request.httpMethod !== 'DELETE') {
      renewed.add(refusal)
      // Nobody reads it, and asking may take long.
      discard(response)
      if (await untilAborted(signal, endpoint.renew(credentials, response))) continue
    } else if (refusal === 'credentials' && renewed.has(refusal)) endpoint.refused?.(credentials)
    const { status } = response
    if (response.type !== 'opaqueredirect' && (status < 300 || status >= 400)) return response
    discard(response)
    const target = sameOriginTarget(response, url)
    if (!target || ++redirects > maxRedirects) throw redirectError(response, url)
    url = target
    request.onRedirect?.(url)
  }
}

/** RFC 6750 3.1, RFC 9449 9: others may be let in, who are known, may do more, or prove it anew. */
function refusalOf({ status, headers }: Response): 'credentials' | 'scope' | 'nonce' | undefined {
  const challenges = headers.get('www-authenticate') ?? ''
  if (status === 401) return /\berror="?use_dpop_nonce\b/i.test(challenges) ? 'nonce' : 'credentials'
  return status === 403 && /\berror="?insufficient_scope\b/i.test(challenges) ? 'scope' : undefined
}

/** Where a redirect leads that may be followed: method and body are kept, and the credentials stay with their origin. */
function sameOriginTarget(response: Response, url: string): string | undefined {
  const location = response.headers.get('location')
  if ((response.status !== 307 && response.status !== 308) || !location || !URL.canParse(location, url))
    return undefined
  const target = new URL(location, url)
  // Fetch refuses a URL that holds credentials, and that error would tell them.
  const follows = target.origin === new URL(url).origin && !target.username && !target.password
  return follows ? target.href : undefined
}

async function sendOnce(
  endpoint: Endpoint,
  url: string,
  credentials: Record<string, string>,
  request: EndpointRequest,
): Promise<Response> {
  const { httpMethod, signal, exchange, message } = request
  const headers = new Headers(credentials)
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, value)
  const report = wireReport(endpoint, exchange, httpMethod)
  const body = message && toJson(message)
  report({ phase: 'request', ...(message?.method && { method: message.method }), ...(message && { body: message }) })
  // A local binding: a fetch called as a method throws "Illegal invocation" in browsers and workers.
  const { fetch } = endpoint
  let response: Response
  try {
    const responding = fetch(url, {
      method: httpMethod,
      headers,
      signal,
      credentials: endpoint.credentials,
      // `error` throws in workerd; `manual` shows the redirect everywhere, in browsers as an opaque response.
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(request.keepalive && { keepalive: true }),
    })
    request.onSent?.()
    response = await untilAborted(signal, responding, discard)
  } catch (cause) {
    throw signal.aborted ? signal.reason : networkError({ url }, cause)
  }
  endpoint.observe?.(url, response.headers)
  report({ phase: 'response', status: response.status, contentType: essence(response) })
  return response
}

/** @throws {ConfigError} `ERR_MCP_CONFIG` with `outcome: 'not-run'` when it can't be written. */
export function toJson(message: JsonRpcMessage): string {
  try {
    return JSON.stringify(message)
  } catch (cause) {
    throw new ConfigError(`The parameters of ${message.method} can't be written as JSON: ${describe(cause)}`, {
      cause,
      data: { key: 'params', outcome: 'not-run' },
    })
  }
}

/** Lets go of a body that nobody will read, so that its connection is free again. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}

export function networkError({ url }: Pick<Endpoint, 'url'>, cause: unknown): DisconnectedError {
  // Deno's fetch names the whole URL, whose query may hold a secret.
  const text = describe(cause).replaceAll(url, endpointName(url))
  // No connection came about, so no server saw the request. A browser never says so much.
  const outcome = neverLeft.has(codeOf(cause)) ? { outcome: 'not-run' as const } : {}
  return new DisconnectedError(`The network failed: ${text}`, { cause, data: { reason: 'network', ...outcome } })
}

const neverLeft = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function describe(error: unknown): string {
  const { message = String(error) } = (error ?? {}) as Error
  const code = codeOf(error)
  return code ? `${message} (${code})` : message
}

/** Node hides the reason (ECONNREFUSED, ENOTFOUND) in the cause. */
function codeOf(error: unknown): string {
  const { cause } = (error ?? {}) as Error
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
