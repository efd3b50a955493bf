import { expect, test } from 'vitest'
import { randomText, requireCrypto, sha256, toBase64Url } from '../../src/authorization/web-crypto.js'

test('a hash is as RFC 7636 has it in appendix B', async () => {
  const challenge = await sha256(requireCrypto(), 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
  expect(challenge).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
})

test('base64url is as RFC 7515 has it in appendix C', () => {
  expect(toBase64Url(new Uint8Array([3, 236, 255, 224, 193]))).toBe('A-z_4ME')
})

test('random text is a PKCE verifier, and another each time', () => {
  const texts = Array.from({ length: 100 }, () => randomText(requireCrypto()))
  expect(new Set(texts).size).toBe(100)
  for (const text of texts) expect(text).toMatch(/^[\w-]{43}$/)
})
