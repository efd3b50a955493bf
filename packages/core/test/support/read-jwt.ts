import { constants, createPublicKey, type JsonWebKey, type VerifyKeyObjectInput, verify } from 'node:crypto'

/** A JWT as whoever receives it reads it, by another implementation than the one that signed it. */
export interface ReadJwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

/** Checks the signature with Node's own cryptography, and gives what was signed. */
export function readJwt(jwt: string, publicJwk: JsonWebKey): ReadJwt {
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { alg } = read(header)
  const key = createPublicKey({ key: publicJwk, format: 'jwk' })
  const hash = /^[A-Z]S\d{3}$/.test(alg) ? `sha${alg.slice(-3)}` : null
  const options: VerifyKeyObjectInput & { dsaEncoding?: 'ieee-p1363' } = {
    key,
    ...(alg.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
    ...(alg.startsWith('PS') && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(alg.slice(-3)) / 8 }),
  }
  const good = verify(hash, Buffer.from(`${header}.${claims}`), options, Buffer.from(signature, 'base64url'))
  if (!good) throw new Error(`the signature of ${alg} is wrong`)
  return { header: read(header), claims: read(claims) }
}
