/** The suite hands out a P-256 key as PKCS #8; the configuration takes a JWK. */
export async function toPrivateJwk(pem: string): Promise<JsonWebKey> {
  const base64 = pem.replace(/-----[^-]+-----|\s/g, '')
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('pkcs8', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  return crypto.subtle.exportKey('jwk', key)
}
