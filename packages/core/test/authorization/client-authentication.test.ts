import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { authenticateClient, chooseAuthMethod } from '../../src/authorization/client-authentication.js'
import { importSigningKey } from '../../src/authorization/jwt.js'
import { ConfigError } from '../../src/errors.js'
import { readJwt } from '../support/read-jwt.js'
import { mcpRejection } from '../support/rejection.js'
import { authorizationServer, issuer } from '../support/token-endpoint.js'

const now = () => 1_700_000_000_500

const keys = {
  'RSA 2048': generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed25519: generateKeyPairSync('ed25519'),
}
type KeyName = keyof typeof keys

const privateJwk = (name: KeyName): JsonWebKey => keys[name].privateKey.export({ format: 'jwk' }) as JsonWebKey
const publicJwk = (name: KeyName) => keys[name].publicKey.export({ format: 'jwk' })

const signing = (privateKeyJwk: JsonWebKey, supported?: string[]) =>
  authenticateClient(
    { clientId: 'machine', authMethod: 'private_key_jwt', privateKeyJwk },
    {
      issuer,
      metadata: {
        ...authorizationServer.metadata,
        token_endpoint_auth_signing_alg_values_supported: supported,
      },
    },
    { now },
  )

describe('a secret in the header', () => {
  test('is form-encoded before base64', async () => {
    // RFC 6749 2.3.1; by hand: the alphabet of application/x-www-form-urlencoded.
    const { headers, fields } = await authenticateClient(
      { clientId: 'a:b c', clientSecret: 'p+ä/%~', authMethod: 'client_secret_basic' },
      authorizationServer,
      { now },
    )
    expect(Buffer.from(headers.authorization!.replace('Basic ', ''), 'base64').toString()).toBe(
      'a%3Ab+c:p%2B%C3%A4%2F%25%7E',
    )
    expect(fields).toEqual({})
  })

  test('must be there', async () => {
    const client = { clientId: 'a', authMethod: 'client_secret_basic' as const }
    const error = await mcpRejection(authenticateClient(client, authorizationServer, { now }))
    expect(error).toBeInstanceOf(ConfigError)
  })
})

describe('a signed assertion', () => {
  test.each<[KeyName, string]>([
    ['RSA 2048', 'RS256'],
    ['P-256', 'ES256'],
    ['P-384', 'ES384'],
    ['P-521', 'ES512'],
    ['Ed25519', 'EdDSA'],
  ])('with a key of %s is %s', async (name, alg) => {
    const { fields, headers } = await signing({ ...privateJwk(name), kid: 'key-1' } as JsonWebKey)
    expect(headers).toEqual({})
    expect(Object.keys(fields)).toEqual(['client_assertion_type', 'client_assertion'])
    expect(fields.client_assertion_type).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    const { header, claims } = readJwt(fields.client_assertion!, publicJwk(name))
    expect(header).toEqual({ alg, typ: 'JWT', kid: 'key-1' })
    expect(claims).toEqual({
      iss: 'machine',
      sub: 'machine',
      aud: issuer,
      jti: expect.stringMatching(/^[\w-]{43}$/),
      iat: 1_700_000_000,
      exp: 1_700_000_120,
    })
  })

  test.each<[KeyName, string[], string]>([
    ['RSA 2048', ['PS256', 'ES256'], 'PS256'],
    ['RSA 2048', ['RS512'], 'RS512'],
    ['RSA 2048', ['PS384'], 'PS384'],
    ['Ed25519', ['Ed25519'], 'Ed25519'],
  ])('with a key of %s follows what the server takes: %s', async (name, supported, alg) => {
    const { fields } = await signing(privateJwk(name), supported)
    expect(readJwt(fields.client_assertion!, publicJwk(name)).header.alg).toBe(alg)
  })

  test('uses the algorithm that the key is for, whatever its other members say', async () => {
    const jwk = { ...privateJwk('RSA 2048'), alg: 'PS512', use: 'enc', key_ops: ['verify'], ext: false }
    const { fields } = await signing(jwk, ['RS256'])
    expect(readJwt(fields.client_assertion!, publicJwk('RSA 2048')).header.alg).toBe('PS512')
  })

  test('has the key imported so that nobody can read it out', async () => {
    const key = await importSigningKey(globalThis.crypto, privateJwk('P-256'), 'ES256')
    expect([key.extractable, key.usages]).toEqual([false, ['sign']])
  })

  test('is another one each time', async () => {
    const [first, second] = [await signing(privateJwk('Ed25519')), await signing(privateJwk('Ed25519'))]
    expect(first.fields.client_assertion).not.toBe(second.fields.client_assertion)
  })

  test.each<[string, JsonWebKey]>([
    ['a public key', publicJwk('P-256') as JsonWebKey],
    ['a key of another kind', { kty: 'oct', k: 'c2VjcmV0', d: 'c2VjcmV0' }],
    ['a key for another algorithm', { ...privateJwk('P-256'), alg: 'RS256' }],
    ['a key that was cut', { ...privateJwk('P-256'), d: 'c2VjcmV0' }],
  ])('can’t be made with %s, and the error tells nothing of it', async (_, jwk) => {
    const error = await mcpRejection(signing(jwk))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.data).toEqual({ key: 'auth' })
    expect(error.cause).toBeUndefined()
    expect(error.message).not.toContain('c2VjcmV0')
  })
})

describe('the way a client authenticates', () => {
  const clientSecret = 'secret'
  test.each([
    ['is none without a secret', {}, 'none'],
    ['is none with an empty one', { clientSecret: '' }, 'none'],
    ['is basic where the metadata says nothing', { clientSecret }, 'client_secret_basic'],
    [
      'is what the registration answered',
      { clientSecret, registered: 'client_secret_post', supported: ['client_secret_basic'] },
      'client_secret_post',
    ],
    ['is none when the registration says so', { clientSecret, registered: 'none' }, 'none'],
    ['is what is supported', { clientSecret, supported: ['client_secret_post'] }, 'client_secret_post'],
    ['is basic where only that is', { clientSecret, supported: ['client_secret_basic'] }, 'client_secret_basic'],
    [
      'needs no preflight where it can choose',
      { clientSecret, supported: ['client_secret_basic', 'client_secret_post'] },
      'client_secret_post',
    ],
    ['is none where nothing else is offered', { clientSecret, supported: ['none'] }, 'none'],
    ['is a signature with a key', { clientSecret, privateKeyJwk: { kty: 'EC' } }, 'private_key_jwt'],
  ] as const)('%s', (_, given, method) => {
    expect(chooseAuthMethod(given as Parameters<typeof chooseAuthMethod>[0])).toBe(method)
  })
})
