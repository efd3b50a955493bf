import { ConfigError } from '../errors.js'
import { type AlgorithmName, generateSigningKey, signJwt } from './jwt.js'
import { randomText, requireCrypto, sha256 } from './web-crypto.js'

/** Proves with each request that the one who uses a token is the one whom it was granted to. */
export interface Dpop {
  /** Of the public key (RFC 7638); a bound token names it. */
  readonly thumbprint: string
  /**
   * A proof for one request; never to be used twice.
   *
   * @param request.accessToken - Absent at the token endpoint.
   */
  proof(request: { method: string; url: string; accessToken?: string | undefined }): Promise<string>
  /** Takes over the nonce that a response from `url` may bring, whatever its status. */
  observe(url: string, headers: Headers): void
}

/** What this client makes keys of, in its order of preference. */
const offered: AlgorithmName[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

/**
 * A new key and its proofs. The private key can't be read out, and lives as long as this object: tokens that are bound to
 * it are of no use afterwards.
 *
 * @param o.algorithms - `dpop_signing_alg_values_supported` of the authorization server.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`, `data.reason` `insecure-context`, without WebCrypto.
 * @throws {ConfigError} `ERR_MCP_CONFIG` when the server takes no algorithm that this client has.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449}
 */
export async function createDpop(o: {
  now(): number
  algorithms?: string[] | undefined
  crypto?: Crypto | undefined
}): Promise<Dpop> {
  const crypto = requireCrypto(o.crypto)
  const alg = offered.find((name) => o.algorithms?.includes(name) ?? true)
  if (!alg)
    throw new ConfigError(`The authorization server takes DPoP proofs by none of ${offered.join(', ')}`, {
      data: { key: 'auth' },
    })
  const { privateKey, publicKey } = await generateSigningKey(crypto, alg)
  const jwk = publicMembers(await crypto.subtle.exportKey('jwk', publicKey))
  const thumbprint = await sha256(crypto, JSON.stringify(jwk))
  // By origin: the authorization server's nonces mean nothing to the MCP server.
  const nonces = new Map<string, string>()
  return {
    thumbprint,
    async proof({ method, url, accessToken }) {
      const { origin, pathname } = new URL(url)
      const nonce = nonces.get(origin)
      return signJwt(
        crypto,
        privateKey,
        { alg, typ: 'dpop+jwt', jwk },
        {
          jti: randomText(crypto),
          htm: method,
          htu: origin + pathname,
          iat: Math.floor(o.now() / 1_000),
          ...(accessToken !== undefined && { ath: await sha256(crypto, accessToken) }),
          ...(nonce !== undefined && { nonce }),
        },
      )
    },
    observe(url, headers) {
      const nonce = headers.get('dpop-nonce')
      // RFC 9449 8.1; the length is ours: it goes along with every request.
      if (nonce && /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce)) nonces.set(new URL(url).origin, nonce)
    },
  }
}

/** The members that make the key, in the order in which its thumbprint is taken (RFC 7638 3.2). */
export function publicMembers({ crv, e, kty, n, x, y }: JsonWebKey): Record<string, string> {
  const members = Object.entries({ crv, e, kty, n, x, y })
  return Object.fromEntries(members.filter((member): member is [string, string] => member[1] !== undefined))
}

/** Whether a server demands proofs: its metadata says so, or it names the scheme when it refuses. */
export function demandsDpop(o: {
  /** `dpop_bound_access_tokens_required` of the protected resource metadata. */
  boundTokensRequired?: boolean | undefined
  challenges: readonly { scheme: string }[]
}): boolean {
  const schemes = o.challenges.map(({ scheme }) => scheme.toLowerCase())
  // Beside a Bearer challenge it is an offer.
  return o.boundTokensRequired === true || (schemes.includes('dpop') && !schemes.includes('bearer'))
}

/** Whether a request was refused only because its proof lacked the nonce that the refusal brings: it may be sent again. */
export function wantsNonce(
  challenges: readonly { scheme: string; params: Record<string, string> }[],
  headers: Headers,
): boolean {
  return (
    headers.has('dpop-nonce') &&
    challenges.some(({ scheme, params }) => scheme.toLowerCase() === 'dpop' && params.error === 'use_dpop_nonce')
  )
}
