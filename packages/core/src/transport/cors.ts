import { CorsError } from '../errors.js'
import type { Endpoint } from './endpoint.js'

/** Milliseconds for each look at a server that a browser could not reach. */
const lookMs = 3_000

/**
 * Tells a server that CORS hides from one that is not there. A browser reports both as the same `TypeError`, but lets
 * a request without CORS pass, and answers it with an opaque response when the server is there. No credentials and no
 * own headers go along, and nothing is posted.
 *
 * @param sent - Names of the headers that a preflight must allow.
 * @returns The error, or undefined where CORS is not the cause (or does not exist: not in a browser).
 * @see {@link https://fetch.spec.whatwg.org/#http-cors-protocol}
 */
export async function diagnoseCors(endpoint: Endpoint, sent: string[]): Promise<CorsError | undefined> {
  const opaque = await look(endpoint, { method: 'HEAD', mode: 'no-cors' })
  if (opaque?.type !== 'opaque') return undefined
  // Needs no preflight: readable means that only the preflight was refused.
  const readable = await look(endpoint, { method: 'GET', headers: { accept: 'text/event-stream' } })
  const missing = readable ? 'Access-Control-Allow-Headers' : 'Access-Control-Allow-Origin'
  const needed = readable ? sent.join(', ') : '* (or the origin of this page)'
  return new CorsError(
    `The server is there, but the browser may not read its answer: its CORS headers do not allow it. ` +
      `Let the server answer OPTIONS without credentials, and send "${missing}: ${needed}"` +
      `${readable ? '' : ', also on errors'}; or connect through a gateway`,
    { data: { missing, reason: readable ? 'preflight' : 'origin' } },
  )
}

async function look(endpoint: Endpoint, init: RequestInit): Promise<Response | undefined> {
  const abort = new AbortController()
  const cancelTimer = endpoint.setTimer(lookMs, () => abort.abort())
  try {
    const { fetch } = endpoint
    return await fetch(endpoint.url, { ...init, credentials: 'omit', signal: abort.signal })
  } catch {
    return undefined
  } finally {
    cancelTimer()
    abort.abort()
  }
}
