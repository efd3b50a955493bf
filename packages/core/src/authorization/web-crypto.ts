import { AuthorizationError } from '../errors.js'

/**
 * WebCrypto, which browsers offer in secure contexts only: a page on `http://192.168.…` has random numbers but no hash.
 * There is no way round: `plain` PKCE, a hash of one's own or `Math.random` would each be weaker than they look.
 *
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION` with `data.reason` `insecure-context`.
 */
export function requireCrypto(crypto: Crypto | undefined = globalThis.crypto): Crypto {
  if (crypto?.subtle) return crypto
  throw new AuthorizationError(
    'Signing in needs WebCrypto, which browsers offer only to pages of https:// and of localhost; serve the page from there',
    { data: { step: 'crypto', reason: 'insecure-context' } },
  )
}

/** Random text that a URL can hold: 43 characters, 256 bits. */
export function randomText(crypto: Crypto): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

/** The SHA-256 of a text, as PKCE and DPoP write it. */
export async function sha256(crypto: Crypto, text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/** base64url without padding (RFC 7515 appendix C). */
export function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
