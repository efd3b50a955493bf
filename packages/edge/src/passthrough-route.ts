import { refuseDenied } from './call-policy.js'
import type { Exchange } from './exchange.js'
import { readBody } from './limits.js'
import type { Upstream } from './options.js'
import { Refusal } from './refusal.js'
import { createSessionIds } from './session-id.js'
import { upstreamHeaders } from './upstream-headers.js'
import { findServer } from './url-policy.js'

const methods = ['GET', 'POST', 'DELETE']
/** Milliseconds, where neither the gateway nor the server says otherwise; as in core. */
const defaultCallTimeoutMs = 300_000

/** Headers of the caller that reach the upstream: never a credential, a cookie, an origin or an address. */
const passedUp = /^(accept|content-type|last-event-id|traceparent|tracestate|baggage|mcp-(?!session-id$).+)$/
/** Headers of the upstream that reach the caller: never a cookie. */
const passedDown = ['content-type', 'mcp-protocol-version', 'retry-after']

/**
 * One upstream as it is: its response streams through, whatever it is. The request is read whole before anything of it
 * is sent: see {@link readBody}.
 *
 * @throws {Refusal} 404, 405, 413, 400, 403; 502 and 504 when the upstream fails.
 */
export async function passThrough(exchange: Exchange): Promise<Response> {
  const { request, caller, gateway, name } = exchange
  const upstream = findServer(gateway.servers, name, gateway.publicUrl)
  if (!methods.includes(request.method))
    throw new Refusal(405, 'ERR_GATEWAY_METHOD', `An MCP endpoint takes ${methods.join(', ')}`, {
      headers: { allow: methods.join(', ') },
      server: name,
    })
  const sessions = createSessionIds(gateway.secret)
  const owner = { caller: caller.id, server: name }

  const headers = new Headers([...request.headers].filter(([header]) => passedUp.test(header)))
  // Compressed events arrive when the compressor has enough of them.
  headers.set('accept-encoding', 'identity')
  const given = request.headers.get('mcp-session-id')
  if (given !== null) {
    const session = await sessions.verify(owner, given)
    if (session === undefined) throw new Refusal(404, 'ERR_GATEWAY_SESSION', 'Session not found', { server: name })
    headers.set('mcp-session-id', session)
  }
  for (const [header, value] of upstreamHeaders(name, upstream)) headers.set(header, value)

  const body = request.method === 'POST' ? await readBody(exchange) : new Uint8Array()
  await refuseDenied(exchange, upstream, body)
  const response = await send(exchange, upstream, {
    method: request.method,
    headers,
    ...(request.method === 'POST' && { body }),
  })
  const assigned = response.headers.get('mcp-session-id')
  return toDownstream(response, assigned === null ? undefined : await sessions.sign(owner, assigned))
}

async function send({ gateway, name, request }: Exchange, upstream: Upstream, init: RequestInit): Promise<Response> {
  const { fetch = globalThis.fetch, callTimeoutMs = defaultCallTimeoutMs } = upstream
  const limitMs = gateway.limits.callTimeoutMs ?? callTimeoutMs
  const late = new AbortController()
  const timer = limitMs === null ? undefined : setTimeout(() => late.abort(), limitMs)
  let response: Response
  try {
    response = await fetch(upstream.url, {
      ...init,
      // `error` throws in workerd; `manual` shows the redirect, which would take the credentials elsewhere.
      redirect: 'manual',
      signal: AbortSignal.any([request.signal, late.signal]),
    })
  } catch (error) {
    gateway.report({ type: 'failed', in: 'upstream', server: name, error })
    if (late.signal.aborted)
      throw new Refusal(504, 'ERR_GATEWAY_TIMEOUT', `"${name}" did not answer within ${limitMs} ms`, { server: name })
    throw new Refusal(502, 'ERR_GATEWAY_UPSTREAM', `"${name}" does not answer`, { server: name })
  } finally {
    clearTimeout(timer)
  }
  const problem = problemOf(response, name)
  if (!problem) return response
  response.body?.cancel().catch(() => {})
  throw new Refusal(502, 'ERR_GATEWAY_UPSTREAM', problem, { server: name })
}

/** What the caller could do nothing about, and must not take for an answer to itself. */
function problemOf({ status, type }: Response, name: string): string | undefined {
  if (status === 401 || status === 403)
    return `"${name}" does not accept the gateway's credentials (HTTP ${status}): its configuration must be mended`
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304))
    return `"${name}" redirects (HTTP ${status}), which is not followed: configure the final URL`
  return undefined
}

function toDownstream({ body, status, headers: received }: Response, session: string | undefined): Response {
  const headers = new Headers()
  for (const header of passedDown) {
    const value = received.get(header)
    if (value !== null) headers.set(header, value)
  }
  if (session !== undefined) headers.set('mcp-session-id', session)
  if (/^text\/event-stream\b/i.test(received.get('content-type') ?? '')) {
    // For every proxy between here and the caller: neither compress nor collect.
    headers.set('cache-control', 'no-cache, no-transform')
    headers.set('x-accel-buffering', 'no')
  }
  // The stream itself, and null where there is none: an empty body makes the constructor throw for 204, 205 and 304.
  return new Response(body, { status, headers })
}
