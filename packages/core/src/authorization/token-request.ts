import { AuthorizationError, McpError, withDetails } from '../errors.js'
import type { Finding } from '../protocol.js'
import type { AuthorizationServer } from './authorization-server.js'
import { authenticateClient, type ClientCredentials } from './client-authentication.js'
import type { Dpop } from './dpop.js'
import { parseBody, parseTokenReply, refusal, type TokenReply } from './token-reply.js'
import type { GuardedFetch, GuardedResponse } from './url-guard.js'

/** What every request to a token endpoint needs. */
export interface TokenRequestContext {
  server: AuthorizationServer
  client: ClientCredentials
  fetch: GuardedFetch
  /** Milliseconds since the epoch. */
  now(): number
  /** Binds the tokens to a key, where that is demanded. */
  dpop?: Dpop | undefined
  signal?: AbortSignal | undefined
  crypto?: Crypto | undefined
  /** Hears what of the reply was mended. */
  onFinding?: ((finding: Finding) => void) | undefined
}

/** Fields whose values no error may tell. */
const secretFields = [
  ...['code', 'code_verifier', 'refresh_token', 'token', 'client_secret'],
  ...['assertion', 'client_assertion', 'subject_token'],
]

/**
 * Asks a token endpoint for tokens.
 *
 * @param step - Of the flow, for errors.
 * @param fields - The grant's own; absent ones are left out.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION` with `data.step` and `data.reason`; see {@link isTransient} and
 *   {@link endsGrant}.
 * @throws The signal's reason when aborted.
 */
export async function requestTokens(
  step: string,
  fields: Record<string, string | undefined>,
  context: TokenRequestContext,
): Promise<TokenReply> {
  const url = context.server.metadata.token_endpoint
  if (!url)
    throw failed(step, 'token-endpoint', `The authorization server ${context.server.issuer} names no token endpoint`)
  const { response, secrets } = await postForm(step, url, fields, context)
  const reply = parseTokenReply(response, { step, url, secrets, dpop: context.dpop !== undefined })
  for (const finding of reply.findings) context.onFinding?.(finding)
  return reply
}

/**
 * Posts a form with the client's authentication. A request that was refused for want of a nonce was not processed, and is
 * sent once more with it.
 *
 * @returns The response, and what no error may tell.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-8}
 */
export async function postForm(
  step: string,
  url: string,
  fields: Record<string, string | undefined>,
  { server, client, fetch, now, dpop, signal, crypto }: TokenRequestContext,
): Promise<{ response: GuardedResponse; secrets: string[] }> {
  const send = async () => {
    // Anew each time: an assertion of the client is good for one request.
    const authentication = await authenticateClient(client, server, { now, crypto })
    const form = { ...fields, ...authentication.fields }
    const sent = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const secrets = [
      ...sent.filter(([name]) => secretFields.includes(name)).map(([, value]) => value),
      ...(client.clientSecret ? [client.clientSecret] : []),
      ...Object.values(authentication.headers).map((value) => value.replace(/^Basic /, '')),
    ]
    const proof = await dpop?.proof({ method: 'POST', url })
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        ...authentication.headers,
        ...(proof !== undefined && { dpop: proof }),
      },
      body: new URLSearchParams(sent),
      ...(signal && { signal }),
    }).catch((cause) => {
      if (signal?.aborted) throw signal.reason
      if (McpError.is(cause)) throw withDetails(cause, { step })
      const where = `The authorization server ${new URL(url).origin} could not be reached`
      throw failed(step, 'network', `${where}: no connection, or, in a browser, no CORS headers`, cause)
    })
    dpop?.observe(url, response.headers)
    return { response, secrets }
  }
  const first = await send()
  const nonce = dpop && first.response.headers.has('dpop-nonce')
  const answer = nonce && asksForNonce(first.response) ? await send() : first
  const { response, secrets } = answer
  // A status that says nothing of the grant, whatever the page says that a proxy puts in.
  if (response.status >= 500 || response.status === 429) {
    const error = refusal(response, parseBody(response), { step, url, secrets })
    throw withRetryAfter(error, response, now)
  }
  return answer
}

function asksForNonce(response: GuardedResponse): boolean {
  return (response.status === 400 || response.status === 401) && parseBody(response)?.error === 'use_dpop_nonce'
}

function withRetryAfter(
  error: AuthorizationError,
  { headers }: GuardedResponse,
  now: () => number,
): AuthorizationError {
  const value = headers.get('retry-after')?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : /[a-z]/i.test(value) ? Date.parse(value) - now() : Number.NaN
  if (Number.isNaN(ms)) return error
  const retryAfterMs = Math.min(Math.max(ms, 0), Number.MAX_SAFE_INTEGER)
  return new AuthorizationError(error.message, { data: { ...error.data, retryAfterMs } })
}

function failed(step: string, reason: string, message: string, cause?: unknown): AuthorizationError {
  return new AuthorizationError(message, { data: { step, reason }, ...(cause !== undefined && { cause }) })
}

/** Whether the same request may well succeed later; it says nothing of the grant. */
export function isTransient(error: unknown): boolean {
  if (!McpError.is(error)) return false
  const { status = 0, reason = '' } = error.data
  if (error.code === 'ERR_MCP_TIMEOUT' || status === 429 || status >= 500) return true
  return ['network', 'timeout', 'temporarily_unavailable', 'server_error', 'slow_down'].includes(reason)
}

/** Whether the grant, or the client that it was made to, is no more. Nothing else ends a grant. */
export function endsGrant(error: unknown): boolean {
  if (!McpError.is(error)) return false
  const { status = 0, reason = '' } = error.data
  return (reason === 'invalid_grant' || reason === 'invalid_client') && status < 500
}
