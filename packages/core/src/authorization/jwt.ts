import type { JsonObject } from '../protocol.js'
import { toBase64Url } from './web-crypto.js'

interface SigningAlgorithm {
  key: RsaHashedImportParams | EcKeyImportParams | { name: 'Ed25519' }
  sign: AlgorithmIdentifier | RsaPssParams | EcdsaParams
}

const rsa = (bits: number): SigningAlgorithm => ({
  key: { name: 'RSASSA-PKCS1-v1_5', hash: `SHA-${bits}` },
  sign: { name: 'RSASSA-PKCS1-v1_5' },
})
const pss = (bits: number): SigningAlgorithm => ({
  key: { name: 'RSA-PSS', hash: `SHA-${bits}` },
  sign: { name: 'RSA-PSS', saltLength: bits / 8 },
})
const ecdsa = (namedCurve: string, bits: number): SigningAlgorithm => ({
  key: { name: 'ECDSA', namedCurve },
  sign: { name: 'ECDSA', hash: `SHA-${bits}` },
})
const ed25519: SigningAlgorithm = { key: { name: 'Ed25519' }, sign: { name: 'Ed25519' } }

/** By their names in JOSE; of those that one key can use, the most widely taken first. */
const algorithms = {
  ES256: ecdsa('P-256', 256),
  ES384: ecdsa('P-384', 384),
  ES512: ecdsa('P-521', 512),
  EdDSA: ed25519,
  Ed25519: ed25519,
  RS256: rsa(256),
  PS256: pss(256),
  RS384: rsa(384),
  PS384: pss(384),
  RS512: rsa(512),
  PS512: pss(512),
} as const satisfies Record<string, SigningAlgorithm>

export type AlgorithmName = keyof typeof algorithms

const byCurve: Record<string, AlgorithmName[]> = {
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
}

/** The algorithms that a key can sign with, the preferred one first; empty for a key that this client can't use. */
export function algorithmsOf(jwk: JsonWebKey): AlgorithmName[] {
  const possible =
    jwk.kty === 'RSA'
      ? (Object.keys(algorithms) as AlgorithmName[]).filter((name) => /^[RP]S/.test(name))
      : (byCurve[jwk.crv ?? ''] ?? [])
  return jwk.alg === undefined ? possible : possible.filter((name) => name === jwk.alg)
}

/** Imports a private key; it can't be read out again. */
export async function importSigningKey(crypto: Crypto, jwk: JsonWebKey, name: AlgorithmName): Promise<CryptoKey> {
  // WebCrypto refuses a key whose `use`, `key_ops` or `alg` say anything but what is asked; they are about other uses.
  const { use, key_ops, alg, ext, ...material } = jwk
  return crypto.subtle.importKey('jwk', material, algorithms[name].key, false, ['sign'])
}

/** A new key pair whose private half can't be read out by anybody. */
export async function generateSigningKey(crypto: Crypto, name: AlgorithmName): Promise<CryptoKeyPair> {
  const { key } = algorithms[name]
  const params = 'hash' in key ? { ...key, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) } : key
  return (await crypto.subtle.generateKey(params, false, ['sign', 'verify'])) as CryptoKeyPair
}

/**
 * A signed JWT in compact form.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7515#section-5.1}
 */
export async function signJwt(
  crypto: Crypto,
  key: CryptoKey,
  header: { alg: AlgorithmName } & Record<string, unknown>,
  claims: JsonObject,
): Promise<string> {
  const encoder = new TextEncoder()
  const encode = (value: object) => toBase64Url(encoder.encode(JSON.stringify(value)))
  const input = `${encode(header)}.${encode(claims)}`
  const signature = await crypto.subtle.sign(algorithms[header.alg].sign, key, encoder.encode(input))
  return `${input}.${toBase64Url(new Uint8Array(signature))}`
}
