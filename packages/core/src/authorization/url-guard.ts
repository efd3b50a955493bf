import { onAbort, untilAborted } from '../abort.js'
import { AuthorizationError, McpError } from '../errors.js'
import { networkZone } from './network-zone.js'
import { shownUrl } from './server-text.js'

/** The fetch of all of authorization. Rejects with {@link AuthorizationError}, whose `data.step` is the caller's to add. */
export type GuardedFetch = (
  url: string,
  init?: {
    method?: 'GET' | 'POST'
    headers?: Record<string, string>
    body?: string | URLSearchParams
    signal?: AbortSignal
  },
) => Promise<GuardedResponse>

/** A response that was read whole. */
export interface GuardedResponse {
  url: string
  status: number
  ok: boolean
  headers: Headers
  text: string
}

export interface GuardOptions {
  fetch: typeof fetch
  /** The MCP endpoint: what may be reached depends on where it lies itself. */
  serverUrl: string
  /** URLs of the app's own configuration, such as `issuer`: their hosts may be reached wherever they lie. */
  configured?: string[]
  setTimer(ms: number, run: () => void): () => void
  /** Bytes, after decompression, of one response. Default 1 048 576 (1 MiB). */
  maxBytes?: number
  /** Milliseconds for one request, its body included. Default 15 000. */
  timeoutMs?: number
}

/**
 * A fetch for URLs that a server has named. It goes where {@link checkUrl} allows and no further: a redirect is
 * refused, for it may lead anywhere; size and time are capped. It adds no header of its own, so that a GET needs no preflight.
 *
 * @returns A fetch that rejects with {@link AuthorizationError} `ERR_MCP_AUTHORIZATION`; `data.reason` is one of
 *   {@link checkUrl}'s, `redirect`, `too-large`, `timeout`, or `network` when there was no response, which in a browser
 *   may be CORS. When aborted it rejects with the signal's reason.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const { fetch, serverUrl, configured, setTimer, maxBytes = 1_048_576, timeoutMs = 15_000 } = options
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    checkUrl(url, serverUrl, 'URL', configured)
    const at = shownUrl(url)
    const fail = (reason: string, message: string, cause?: unknown) =>
      new AuthorizationError(message, { cause, data: { reason } })
    const stop = new AbortController()
    const stopWaiting = onAbort(signal, () => stop.abort(signal?.reason))
    const cancelTimer = setTimer(timeoutMs, () =>
      stop.abort(fail('timeout', `${at} gave no whole answer within ${timeoutMs} ms`)),
    )
    try {
      stop.signal.throwIfAborted()
      const responding = fetch(url, {
        method,
        headers: toHeaders(headers),
        signal: stop.signal,
        credentials: 'omit',
        // `error` throws in workerd; `manual` shows the redirect everywhere, in browsers as an opaque response.
        redirect: 'manual',
        ...(body !== undefined && { body }),
      })
      const response = await untilAborted(stop.signal, responding, discard)
      const { status, ok } = response
      if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
        discard(response)
        throw fail('redirect', `${at} redirects elsewhere, which is not followed; its final URL must be named`)
      }
      const text = await readText(response, maxBytes, stop.signal)
      if (text === undefined) throw fail('too-large', `The answer of ${at} is larger than ${maxBytes} bytes`)
      return { url, status, ok, headers: response.headers, text }
    } catch (error) {
      if (stop.signal.aborted) throw stop.signal.reason
      if (McpError.is(error)) throw error
      throw fail('network', `${at} gave no readable answer: the network failed, or CORS does not allow it`, error)
    } finally {
      cancelTimer()
      stopWaiting()
    }
  }
}

/**
 * Checks a URL that a server named, before it is fetched, opened or shown: https (http on loopback, where the MCP
 * server is on loopback itself), no user name, no fragment, no inner address unless the MCP server lies there too.
 * Check again after adding parameters.
 *
 * @param what - What the URL is, for the message: the metadata's member, e.g. `authorization_endpoint`.
 * @param configured - URLs of the app's own configuration: their hosts may be named wherever they lie.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`; `data.reason` is `scheme`, `malformed`, `user-info`, `fragment`,
 *   `insecure`, `private-address` or `port`.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations}
 */
export function checkUrl(url: unknown, serverUrl: string, what: string, configured: string[] = []): URL {
  const refuse = (reason: string, why: string): never => {
    throw new AuthorizationError(`The ${what} is refused: ${shownUrl(url)} ${why}`, { data: { reason } })
  }
  if (typeof url !== 'string' || !URL.canParse(url)) return refuse('malformed', 'can’t be read')
  const parsed = new URL(url)
  const { protocol, username, password, hostname, port } = parsed
  if (protocol !== 'https:' && protocol !== 'http:') return refuse('scheme', 'is neither https nor http')
  // RFC 3986 alone: others read white space, `\`, or a missing `//` in another way than this parser.
  if (!/^https?:\/\/[^/?#]/i.test(url) || !/^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(url))
    return refuse('malformed', 'holds characters that a URL must not hold')
  if (username || password) return refuse('user-info', 'holds a user name or password')
  if (url.includes('#')) return refuse('fragment', 'holds a fragment')
  const zone = networkZone(hostname)
  const near = isNear(hostname, serverUrl, configured)
  if (protocol === 'http:' && !(zone === 'loopback' && near)) return refuse('insecure', 'is not https')
  if (zone !== 'public' && !near)
    return refuse('private-address', `lies in an inner network (${zone}), where the MCP server is not`)
  // Below 1024 other protocols listen, which a request could be smuggled into.
  if (port !== '' && Number(port) < 1024 && Number(port) !== 443 && port !== new URL(serverUrl).port)
    return refuse('port', 'names the port of another service')
  return parsed
}

/** The inner hosts that a server may name are those of its own network; of metadata services, only itself. */
function isNear(host: string, serverUrl: string, configured: string[]): boolean {
  if ([serverUrl, ...configured].some((url) => URL.canParse(url) && new URL(url).hostname === host)) return true
  const zone = networkZone(host)
  return zone !== 'link-local' && zone === networkZone(new URL(serverUrl).hostname)
}

/** What `Headers` throws tells the value, which may be a credential. */
function toHeaders(headers: Record<string, string>): Headers {
  try {
    return new Headers(headers)
  } catch {
    throw new AuthorizationError('A credential holds a character that HTTP does not allow in a header', {
      data: { reason: 'header' },
    })
  }
}

/** A body as text; undefined as soon as it has more bytes than it may. */
async function readText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string | undefined> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      // An injected fetch need not tie its body to the signal.
      const { done, value } = await untilAborted(signal, reader.read())
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > maxBytes) return undefined
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    // Not awaited: a stalled source may never acknowledge.
    reader.cancel().catch(() => {})
  }
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}
