import type { JsonWebKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createDpop, demandsDpop, publicMembers, wantsNonce } from '../../src/authorization/dpop.js'
import { exchangeCode, refresh } from '../../src/authorization/tokens.js'
import { requireCrypto, sha256 } from '../../src/authorization/web-crypto.js'
import { ConfigError } from '../../src/errors.js'
import { readJwt } from '../support/read-jwt.js'
import { mcpRejection } from '../support/rejection.js'
import { authorizationServer, issuer, json, tokenEndpoint } from '../support/token-endpoint.js'

const now = () => 1_700_000_000_500
const url = 'https://mcp.example/mcp?session=1#top'

/** As a server does: the proof brings its own key. */
function readProof(proof: string) {
  const header = JSON.parse(Buffer.from(proof.split('.')[0]!, 'base64url').toString())
  return readJwt(proof, header.jwk as JsonWebKey)
}

const thumbprintOf = (jwk: Record<string, unknown>) => sha256(requireCrypto(), JSON.stringify(publicMembers(jwk)))

describe('a proof', () => {
  test('is of one request, by a key of its own', async () => {
    const dpop = await createDpop({ now })
    const { header, claims } = readProof(await dpop.proof({ method: 'POST', url }))
    const { jwk, ...rest } = header
    expect(rest).toEqual({ alg: 'ES256', typ: 'dpop+jwt' })
    expect(Object.keys(jwk as object).sort()).toEqual(['crv', 'kty', 'x', 'y'])
    expect(await thumbprintOf(jwk as never)).toBe(dpop.thumbprint)
    expect(claims).toEqual({
      jti: expect.stringMatching(/^[\w-]{43}$/),
      htm: 'POST',
      // RFC 9449 4.2: without query and fragment.
      htu: 'https://mcp.example/mcp',
      iat: 1_700_000_000,
    })
  })

  test('names the token by its hash', async () => {
    const dpop = await createDpop({ now })
    // RFC 9449 7.1, figure 13.
    const accessToken = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU'
    const { claims } = readProof(await dpop.proof({ method: 'GET', url, accessToken }))
    expect(claims.ath).toBe('fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo')
  })

  test('is never the same twice', async () => {
    const dpop = await createDpop({ now })
    const proofs = await Promise.all(Array.from({ length: 20 }, () => dpop.proof({ method: 'GET', url })))
    expect(new Set(proofs.map((proof) => readProof(proof).claims.jti)).size).toBe(20)
  })

  test.each([
    [['RS256', 'ES256'], 'ES256'],
    [['EdDSA', 'RS256'], 'EdDSA'],
    [['RS256'], 'RS256'],
    [['PS256'], 'PS256'],
  ])('is signed as the server takes it: %s', async (algorithms, alg) => {
    const dpop = await createDpop({ now, algorithms })
    expect(readProof(await dpop.proof({ method: 'GET', url })).header.alg).toBe(alg)
  })

  test('can’t be made for a server that takes other algorithms only', async () => {
    expect(await mcpRejection(createDpop({ now, algorithms: ['ES256K'] }))).toBeInstanceOf(ConfigError)
  })

  test('has the thumbprints of RFC 7638 3.1, RFC 8037 A.3 and RFC 9449 6.1', async () => {
    expect(
      await thumbprintOf({
        kty: 'OKP',
        crv: 'Ed25519',
        x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
        kid: 'not a part of it',
      }),
    ).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
    expect(
      await thumbprintOf({
        kty: 'EC',
        x: 'l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs',
        y: '9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA',
        crv: 'P-256',
      }),
    ).toBe('0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I')
  })

  test('comes of a key that nobody can read out', async () => {
    const made: CryptoKeyPair[] = []
    const { subtle } = globalThis.crypto
    const crypto = {
      getRandomValues: globalThis.crypto.getRandomValues.bind(globalThis.crypto),
      subtle: Object.assign(Object.create(subtle), {
        digest: subtle.digest.bind(subtle),
        exportKey: subtle.exportKey.bind(subtle),
        async generateKey(...args: Parameters<SubtleCrypto['generateKey']>) {
          const pair = (await subtle.generateKey(...args)) as CryptoKeyPair
          made.push(pair)
          return pair
        },
      }),
    } as unknown as Crypto
    await createDpop({ now, crypto })
    expect(made.map(({ privateKey }) => privateKey.extractable)).toEqual([false])
  })
})

describe('a nonce', () => {
  const nonceOf = async (dpop: Awaited<ReturnType<typeof createDpop>>, at: string) =>
    readProof(await dpop.proof({ method: 'GET', url: at })).claims.nonce

  test('goes to the origin that gave it, and the newest counts', async () => {
    const dpop = await createDpop({ now })
    dpop.observe('https://as.example/token', new Headers({ 'dpop-nonce': 'first' }))
    dpop.observe('https://as.example/other', new Headers({ 'dpop-nonce': 'second' }))
    dpop.observe('https://as.example/token', new Headers())
    expect(await nonceOf(dpop, 'https://as.example/token')).toBe('second')
    expect(await nonceOf(dpop, 'https://as.example:8443/token')).toBeUndefined()
    expect(await nonceOf(dpop, url)).toBeUndefined()
  })

  test.each([['with spaces in it'], ['quo"ted'], ['x'.repeat(1_025)]])(
    'is left out when it is none: %.20s',
    async (nonce) => {
      const dpop = await createDpop({ now })
      dpop.observe(url, new Headers({ 'dpop-nonce': nonce }))
      expect(await nonceOf(dpop, url)).toBeUndefined()
    },
  )

  test('is asked for by a DPoP challenge alone', () => {
    const headers = new Headers({ 'dpop-nonce': 'n' })
    const challenge = (scheme: string, error: string) => [{ scheme, params: { error } }]
    expect(wantsNonce(challenge('DPoP', 'use_dpop_nonce'), headers)).toBe(true)
    expect(wantsNonce(challenge('DPoP', 'invalid_token'), headers)).toBe(false)
    expect(wantsNonce(challenge('Bearer', 'use_dpop_nonce'), headers)).toBe(false)
    expect(wantsNonce(challenge('DPoP', 'use_dpop_nonce'), new Headers())).toBe(false)
  })
})

test('proofs are demanded by the metadata, or by a challenge that leaves no other way', () => {
  const challenges = (...schemes: string[]) => schemes.map((scheme) => ({ scheme }))
  expect(demandsDpop({ boundTokensRequired: true, challenges: [] })).toBe(true)
  expect(demandsDpop({ challenges: challenges('dpop') })).toBe(true)
  expect(demandsDpop({ challenges: challenges('DPoP', 'Bearer') })).toBe(false)
  expect(demandsDpop({ challenges: challenges('Bearer') })).toBe(false)
  expect(demandsDpop({ boundTokensRequired: false, challenges: [] })).toBe(false)
})

describe('at the token endpoint', () => {
  const grant = { code: 'code', codeVerifier: 'verifier', redirectUrl: 'https://app.example/callback' }
  const granted = { access_token: 'bound', token_type: 'DPoP', refresh_token: 'refresh' }
  const common = {
    server: authorizationServer,
    client: { clientId: 'client', authMethod: 'none' as const },
    now,
    resource: 'https://mcp.example/mcp',
  }
  const wantNonce = (nonce?: string) =>
    json({ error: 'use_dpop_nonce' }, { status: 400, ...(nonce !== undefined && { headers: { 'dpop-nonce': nonce } }) })

  test('each request has its proof, and the tokens are bound to the key', async () => {
    const dpop = await createDpop({ now })
    const { fetch, requests } = tokenEndpoint(() => json(granted))
    const tokens = await exchangeCode(grant, { ...common, fetch, dpop })
    expect(tokens).toMatchObject({ tokenType: 'DPoP', keyThumbprint: dpop.thumbprint })
    await refresh(tokens, { ...common, fetch, dpop })
    const proofs = requests.map(({ headers }) => readProof(headers.get('dpop')!).claims)
    expect(proofs.map(({ htm, htu }) => [htm, htu])).toEqual(Array(2).fill(['POST', `${issuer}/token`]))
    expect(proofs[0]?.jti).not.toBe(proofs[1]?.jti)
  })

  test('a server that wants a nonce gets it once', async () => {
    const dpop = await createDpop({ now })
    const { fetch, requests } = tokenEndpoint(({ headers }) =>
      readProof(headers.get('dpop')!).claims.nonce === 'fresh' ? json(granted) : wantNonce('fresh'),
    )
    expect((await exchangeCode(grant, { ...common, fetch, dpop })).accessToken).toBe('bound')
    expect(requests.map(({ form }) => form.get('code'))).toEqual(['code', 'code'])
  })

  test('a server that wants another nonce each time is refused after the second request', async () => {
    const dpop = await createDpop({ now })
    let nonces = 0
    const { fetch, requests } = tokenEndpoint(() => wantNonce(`nonce-${nonces++}`))
    const error = await mcpRejection(exchangeCode(grant, { ...common, fetch, dpop }))
    expect(error.data.reason).toBe('use_dpop_nonce')
    expect(requests).toHaveLength(2)
  })

  test('a nonce that CORS hides can’t be sent, and the error says what to add', async () => {
    const dpop = await createDpop({ now })
    const { fetch, requests } = tokenEndpoint(() => wantNonce())
    const error = await mcpRejection(exchangeCode(grant, { ...common, fetch, dpop }))
    expect(error.message).toContain('Access-Control-Expose-Headers: DPoP-Nonce')
    expect(requests).toHaveLength(1)
  })

  test('a Bearer token is taken where the server binds none', async () => {
    const dpop = await createDpop({ now })
    const { fetch } = tokenEndpoint(() => json({ ...granted, token_type: 'Bearer' }))
    const tokens = await exchangeCode(grant, { ...common, fetch, dpop })
    expect(tokens.tokenType).toBe('Bearer')
    expect(tokens).not.toHaveProperty('keyThumbprint')
  })
})
