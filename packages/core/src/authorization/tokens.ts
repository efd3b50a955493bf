import { AuthorizationError } from '../errors.js'
import type { Json } from '../protocol.js'
import type { TokenReply } from './token-reply.js'
import { requestTokens, type TokenRequestContext } from './token-request.js'

/** Tokens with what they are bound to; plain JSON. */
export interface Tokens {
  accessToken: string
  tokenType: 'Bearer' | 'DPoP'
  refreshToken?: string
  /** Milliseconds since the epoch; absent where the server doesn't say: then a 401 tells. */
  expiresAt?: number
  /** Milliseconds since the epoch. */
  obtainedAt: number
  /** What was granted, else what was asked for. */
  scope?: string
  /** The authorization server that they come from; a refresh token goes to no other. */
  issuer: string
  resource: string
  clientId: string
  /** Of DPoP: the key without which they are of no use. */
  keyThumbprint?: string
}

export interface GrantContext extends TokenRequestContext {
  /** Of the protected resource metadata, verbatim. */
  resource: string
  /** Default true; some authorization servers refuse requests that name one. */
  sendResource?: boolean | undefined
}

/**
 * Exchanges an authorization code.
 *
 * @param grant.scope - What was asked for.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION` with `data.step` `token`.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3}
 */
export async function exchangeCode(
  grant: { code: string; codeVerifier: string; redirectUrl: string; scope?: string | undefined },
  context: GrantContext,
): Promise<Tokens> {
  const { code, codeVerifier, redirectUrl, scope } = grant
  const fields = { grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUrl }
  return grantTokens('token', fields, context, { scope })
}

/**
 * Gets new tokens by a refresh token. What the reply leaves out stays as it was, the refresh token above all.
 *
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION` with `data.step` `refresh`; `data.reason` is `issuer` when the
 *   tokens are another authorization server's or another client's: nothing was sent then.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-6}
 */
export async function refresh(tokens: Tokens, context: GrantContext): Promise<Tokens> {
  const { refreshToken, issuer, clientId } = tokens
  if (!refreshToken || issuer !== context.server.issuer || clientId !== context.client.clientId)
    throw new AuthorizationError(
      'The tokens can’t be refreshed: they come from another authorization server or belong to another client; sign in again',
      { data: { step: 'refresh', reason: 'issuer' } },
    )
  return grantTokens('refresh', { grant_type: 'refresh_token', refresh_token: refreshToken }, context, tokens)
}

/** Asks for tokens by any grant, and binds them. */
export async function grantTokens(
  step: string,
  fields: Record<string, string | undefined>,
  context: GrantContext,
  before: { refreshToken?: string | undefined; scope?: string | undefined } = {},
): Promise<Tokens> {
  const { server, client, resource, sendResource = true, dpop } = context
  // From when it was asked: the token's time runs from when it was made, not from when it arrived.
  const obtainedAt = context.now()
  const reply = await requestTokens(step, { ...fields, ...(sendResource && { resource }) }, context)
  const bound = { obtainedAt, issuer: server.issuer, resource, clientId: client.clientId }
  return {
    ...toTokens(reply, before),
    ...bound,
    ...(reply.expiresInS !== undefined && { expiresAt: obtainedAt + reply.expiresInS * 1_000 }),
    ...(reply.tokenType === 'DPoP' && dpop && { keyThumbprint: dpop.thumbprint }),
  }
}

function toTokens(
  reply: TokenReply,
  before: { refreshToken?: string | undefined; scope?: string | undefined },
): Pick<Tokens, 'accessToken' | 'tokenType' | 'refreshToken' | 'scope'> {
  const refreshToken = reply.refreshToken ?? before.refreshToken
  const scope = reply.scope ?? before.scope
  return {
    accessToken: reply.accessToken,
    tokenType: reply.tokenType,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scope !== undefined && { scope }),
  }
}

/** Tokens as a store gave them back; undefined for anything else, e.g. of another version. */
export function readTokens(value: Json | undefined): Tokens | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const texts = ['accessToken', 'issuer', 'resource', 'clientId'].every((key) => typeof value[key] === 'string')
  const optional = ['refreshToken', 'scope', 'keyThumbprint'].every((key) =>
    ['string', 'undefined'].includes(typeof value[key]),
  )
  const times = typeof value.obtainedAt === 'number' && ['number', 'undefined'].includes(typeof value.expiresAt)
  const type = value.tokenType === 'Bearer' || value.tokenType === 'DPoP'
  return texts && optional && times && type ? (value as unknown as Tokens) : undefined
}
