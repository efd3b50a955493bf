import { AuthorizationError } from '../errors.js'
import type { Finding } from '../protocol.js'
import { redactedText } from './redacted-text.js'
import type { GuardedResponse } from './url-guard.js'

/** What a token endpoint granted. */
export interface TokenReply {
  accessToken: string
  tokenType: 'Bearer' | 'DPoP'
  refreshToken?: string
  /** Seconds; 0 or less: it has expired. Absent where the server doesn't say, or says it in a way that can't be read. */
  expiresInS?: number
  /** As the server writes it; for display only. */
  scope?: string
  findings: Finding[]
}

export interface ReplyContext {
  /** The step of the flow, for errors. */
  step: string
  /** The address that was asked. */
  url: string
  /** What the request held that no error may tell. */
  secrets: readonly string[]
  /** A proof went along, so a token that is bound to its key can be used. */
  dpop: boolean
}

/** Seconds that a token may claim to live: dates beyond JSON's and JavaScript's numbers are of no use. */
const maxLifetimeS = 10 * 365 * 24 * 3600

/**
 * Reads a token endpoint's reply, forgiving what servers are known to get wrong and what leaves no doubt.
 *
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`; `data.reason` is the OAuth error code, or `invalid-response`,
 *   `token-type`, `http`.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-5}
 */
export function parseTokenReply(response: GuardedResponse, context: ReplyContext): TokenReply {
  const fields = parseBody(response)
  const accessToken = fields && text(fields.access_token)
  // Some report errors with status 200, and as `{"ok":false,"error":…}`.
  if (!response.ok || accessToken === undefined) throw refusal(response, fields, context)
  if (!isHeaderText(accessToken)) throw unusable(response, context, 'an access token that no HTTP header can hold')
  const refreshToken = text(fields?.refresh_token)
  const expiresInS = lifetime(fields?.expires_in)
  const scope = Array.isArray(fields?.scope) ? fields.scope.join(' ') : text(fields?.scope)
  return {
    accessToken,
    ...tokenType(fields?.token_type, response, context),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresInS !== undefined && { expiresInS }),
    ...(scope !== undefined && { scope }),
  }
}

/** JSON, or a form where the content type says so. */
export function parseBody({ headers, text }: GuardedResponse): Record<string, unknown> | undefined {
  if (/^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type')?.trim() ?? ''))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** What the client can do about an error; RFC 6749 5.2, RFC 8707 2, RFC 9449 5. */
const advice: Record<string, string> = {
  invalid_grant: 'what was presented has expired, was used or was revoked; sign in again, or present another',
  invalid_client: 'the client is unknown there, or its credentials are wrong',
  unauthorized_client: 'the client is not registered for this grant',
  unsupported_grant_type: 'the authorization server doesn’t offer this grant',
  invalid_scope: 'correct "scopes"',
  invalid_target: 'the authorization server doesn’t know the resource; try "sendResource": false',
  invalid_dpop_proof: 'check this machine’s clock',
  use_dpop_nonce: 'its DPoP-Nonce header can’t be read; add "Access-Control-Expose-Headers: DPoP-Nonce" there',
}

/** The error of a reply that grants nothing. */
export function refusal(
  response: GuardedResponse,
  fields: Record<string, unknown> | undefined,
  context: Pick<ReplyContext, 'step' | 'url' | 'secrets'>,
): AuthorizationError {
  const { status, ok } = response
  const { secrets } = context
  const code = text(fields?.error)
  if (code === undefined)
    return ok
      ? unusable(response, context, fields ? 'no access token' : 'neither JSON nor a form')
      : failure(response, context, 'http', `answered with HTTP status ${status}`)
  // A code that is none in RFC 6749's alphabet is a text, and may quote anything.
  const isCode = /^[\w:/.-]{1,64}$/.test(code) && !secrets.some((secret) => code.includes(secret))
  const description = [isCode ? undefined : code, text(fields?.error_description)]
    .filter((part) => part !== undefined)
    .map((part) => redactedText(part, secrets))
    .join(': ')
  const reason = isCode ? code : 'refused'
  const hint = Object.hasOwn(advice, reason) ? `; ${advice[reason]}` : ''
  return failure(response, context, reason, `refused: ${reason}${description && ` (${description})`}${hint}`)
}

type Place = Pick<ReplyContext, 'step' | 'url'>

function unusable(response: GuardedResponse, place: Place, what: string): AuthorizationError {
  return failure(response, place, 'invalid-response', `answered with ${what}; its operator has to mend it`)
}

function failure({ status }: GuardedResponse, { step, url }: Place, reason: string, what: string): AuthorizationError {
  return new AuthorizationError(`The authorization server ${new URL(url).origin} ${what}`, {
    data: { step, reason, status },
  })
}

function tokenType(
  type: unknown,
  response: GuardedResponse,
  context: ReplyContext,
): Pick<TokenReply, 'tokenType' | 'findings'> {
  const named = text(type)
  if (named === undefined)
    return {
      tokenType: 'Bearer',
      findings: [{ code: 'token-type-missing', message: 'The token reply names no token_type; taken as Bearer' }],
    }
  if (/^bearer$/i.test(named)) return { tokenType: 'Bearer', findings: [] }
  if (/^dpop$/i.test(named) && context.dpop) return { tokenType: 'DPoP', findings: [] }
  throw failure(
    response,
    context,
    'token-type',
    `granted a token of type "${redactedText(named)}", which this client can’t use`,
  )
}

/** Digits in a string are a number; whatever else is no number says nothing. */
function lifetime(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof seconds === 'number' && !Number.isNaN(seconds) ? Math.min(Math.floor(seconds), maxLifetimeS) : undefined
}

/** Null and empty members are absent ones. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isHeaderText(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}
