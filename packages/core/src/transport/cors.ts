import { onAbort, untilAborted } from '../abort.js'
import { CorsError } from '../errors.js'
import { discard, type Endpoint } from './endpoint.js'

/** Milliseconds for each look at a server that a browser could not reach. */
const lookMs = 3_000

/**
 * Tells a server that CORS hides from one that is not there. A browser reports both as the same `TypeError`, but lets
 * a request without CORS pass, and answers it with an opaque response when the server is there. No credentials and no
 * own headers go along, and nothing is posted.
 *
 * @param sent - Names of the headers that a preflight must allow.
 * @param signal - Ends the looking; what was not seen then is not there.
 * @returns The error, or undefined where CORS is not the cause (or does not exist: not in a browser).
 * @see {@link https://fetch.spec.whatwg.org/#http-cors-protocol}
 */
export async function diagnoseCors(
  endpoint: Endpoint,
  sent: string[],
  signal: AbortSignal,
): Promise<CorsError | undefined> {
  // Some servers answer HEAD as GET, and with an event stream that never ends it gets no answer.
  const opaque =
    (await look(endpoint, { method: 'HEAD', mode: 'no-cors' }, signal)) ??
    (await look(endpoint, { method: 'GET', mode: 'no-cors' }, signal))
  if (opaque?.type !== 'opaque') return undefined
  // Needs no preflight: readable means that only the preflight was refused.
  const readable = await look(endpoint, { method: 'GET', headers: { accept: 'text/event-stream' } }, signal)
  const missing = readable ? 'Access-Control-Allow-Headers' : 'Access-Control-Allow-Origin'
  const needed = readable ? sent.join(', ') : '* (or the origin of this page)'
  return new CorsError(
    `The server is there, but the browser may not read its answer: its CORS headers do not allow it. ` +
      `Let the server answer OPTIONS without credentials, and send "${missing}: ${needed}"` +
      `${readable ? '' : ', also on errors'}; or connect through a gateway`,
    { data: { missing, reason: readable ? 'preflight' : 'origin' } },
  )
}

/** A browser shows a page of another origin no header that the server doesn't expose, the session's among them. */
export function hiddenSessionError(): CorsError {
  const missing = 'Access-Control-Expose-Headers'
  return new CorsError(
    `The server wants a session, but the browser hides its id from this page. ` +
      `Let the server send "${missing}: Mcp-Session-Id"; or connect through a gateway`,
    { data: { missing, reason: 'expose' } },
  )
}

async function look(endpoint: Endpoint, init: RequestInit, signal: AbortSignal): Promise<Response | undefined> {
  const abort = new AbortController()
  const cancelTimer = endpoint.setTimer(lookMs, () => abort.abort())
  const stopWaiting = onAbort(signal, () => abort.abort())
  try {
    const { fetch } = endpoint
    const looking = fetch(endpoint.url, { ...init, credentials: 'omit', signal: abort.signal })
    const response = await untilAborted(abort.signal, looking, discard)
    discard(response)
    return response
  } catch {
    return undefined
  } finally {
    cancelTimer()
    stopWaiting()
    abort.abort()
  }
}
