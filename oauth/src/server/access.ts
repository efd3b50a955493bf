import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, createLocalJWKSet, EmbeddedJWK, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Provider } from 'oidc-provider'

/** What a token allows. */
export interface Access {
  clientId: string
  /** Absent where a client acts for itself. */
  person?: string
  scopes: string[]
}

export interface AccessOptions {
  provider: Provider
  issuer: string
  resource: string
  /** Of the authorization server, where its tokens are JWTs. */
  keys(): Promise<JSONWebKeySet>
}

interface Token {
  clientId: string
  accountId?: string | undefined
  scope?: string | undefined
  /** Of the key that it is bound to. */
  thumbprint?: string | undefined
}

/** Whether a request may be served; undefined where it shows no token that is good here and now. */
export async function checkAccess(request: Request, options: AccessOptions): Promise<Access | undefined> {
  const [, scheme, value] = /^(Bearer|DPoP) (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (!scheme || !value) return undefined
  const token = value.includes('.') ? await readJwt(value, options) : await findToken(value, options)
  if (!token) return undefined
  // A bound token proves nothing as a bearer token: RFC 9449 7.1.
  const bound = token.thumbprint !== undefined
  if (bound !== (scheme.toLowerCase() === 'dpop')) return undefined
  if (bound && (await provenKey(request, value, options)) !== token.thumbprint) return undefined
  return {
    clientId: token.clientId,
    ...(token.accountId && { person: token.accountId }),
    scopes: token.scope?.split(' ') ?? [],
  }
}

async function findToken(value: string, { provider, resource }: AccessOptions): Promise<Token | undefined> {
  const token = (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value))
  if (!token?.isValid || token.aud !== resource) return undefined
  const { clientId, scope, jkt } = token
  const accountId = 'accountId' in token ? token.accountId : undefined
  return { clientId: String(clientId), accountId, scope, thumbprint: jkt }
}

async function readJwt(value: string, { issuer, resource, keys }: AccessOptions): Promise<Token | undefined> {
  const currentDate = new Date(Date.now())
  const checked = await jwtVerify(value, createLocalJWKSet(await keys()), { issuer, audience: resource, currentDate })
  const { client_id, sub, scope, cnf } = checked.payload as Record<string, string> & { cnf?: { jkt?: string } }
  return { clientId: String(client_id), accountId: sub, scope, thumbprint: cnf?.jkt }
}

/** The thumbprint of the key that has signed the proof; each proof serves once. */
async function provenKey(request: Request, token: string, { resource }: AccessOptions): Promise<string | undefined> {
  const proof = request.headers.get('dpop')
  if (!proof) return undefined
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 })
  const hash = createHash('sha256').update(token).digest('base64url')
  const isNew = typeof payload.jti === 'string' && !usedProofs.has(payload.jti)
  if (!isNew || payload.htm !== request.method || payload.htu !== resource || payload.ath !== hash) return undefined
  usedProofs.add(String(payload.jti))
  return protectedHeader.jwk && calculateJwkThumbprint(protectedHeader.jwk)
}

const usedProofs = new Set<string>()
