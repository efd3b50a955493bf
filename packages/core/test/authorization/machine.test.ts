import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { AuthorizationServer } from '../../src/authorization/authorization-server.js'
import { createDpop } from '../../src/authorization/dpop.js'
import { type MachineContext, machineTokens } from '../../src/authorization/machine.js'
import type { AssertionRequest } from '../../src/config.js'
import { AuthorizationError, ConfigError, toErrorData, UnauthorizedError } from '../../src/errors.js'
import { readJwt } from '../support/read-jwt.js'
import { mcpRejection } from '../support/rejection.js'
import { authorizationServer, issuer, json, type TokenRequest, tokenEndpoint } from '../support/token-endpoint.js'

const resource = 'https://mcp.example/mcp'
const now = () => 1_700_000_000_500
const identityProvider: AuthorizationServer = {
  issuer: 'https://idp.example',
  metadata: { token_endpoint: 'https://idp.example/oauth2/token' },
}
const granted = { access_token: 'access', token_type: 'Bearer', expires_in: 60, refresh_token: 'never needed' }
const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.c2ln'
const identityGrant = 'eyJhbGciOiJub25lIn0.eyJqYWciOjF9.c2ln'

async function ask(
  own: Partial<MachineContext> & Pick<MachineContext, 'auth'>,
  answer = (_: TokenRequest) => json(granted),
) {
  const { fetch, requests } = tokenEndpoint(answer)
  const tokens = machineTokens({
    server: authorizationServer,
    serverName: 'tickets',
    fetch,
    now,
    resource,
    ...own,
  })
  return { tokens, requests }
}

const supporting = (...methods: string[]): AuthorizationServer => ({
  issuer,
  metadata: { ...authorizationServer.metadata, token_endpoint_auth_methods_supported: methods },
})

describe('client credentials', () => {
  const auth = {
    type: 'client-credentials',
    clientId: 'machine',
    clientSecret: 'secret',
    scopes: ['read', 'write'],
  } as const

  test('ask with the secret in the header where the server says nothing else', async () => {
    const { tokens, requests } = await ask({ auth: { ...auth, scopes: [...auth.scopes] } })
    expect(await tokens).toEqual({
      accessToken: 'access',
      tokenType: 'Bearer',
      obtainedAt: now(),
      expiresAt: now() + 60_000,
      scope: 'read write',
      issuer,
      resource,
      clientId: 'machine',
    })
    expect(Object.fromEntries(requests[0]!.form)).toEqual({
      grant_type: 'client_credentials',
      scope: 'read write',
      resource,
    })
    expect(requests[0]?.headers.get('authorization')).toBe(`Basic ${btoa('machine:secret')}`)
  })

  test('ask with the secret in the body where that is offered', async () => {
    const { tokens, requests } = await ask({
      auth: { type: 'client-credentials', clientId: 'machine', clientSecret: 'secret' },
      server: supporting('client_secret_post'),
      sendResource: false,
    })
    await tokens
    expect(Object.fromEntries(requests[0]!.form)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'machine',
      client_secret: 'secret',
    })
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('ask with a signature where there is a key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { tokens, requests } = await ask({
      auth: {
        type: 'client-credentials',
        clientId: 'machine',
        privateKeyJwk: privateKey.export({ format: 'jwk' }) as JsonWebKey,
      },
    })
    await tokens
    const { client_assertion = '', ...form } = Object.fromEntries(requests[0]!.form)
    expect(form).toEqual({
      grant_type: 'client_credentials',
      resource,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    expect(readJwt(client_assertion, publicKey.export({ format: 'jwk' })).claims).toMatchObject({
      iss: 'machine',
      sub: 'machine',
      aud: issuer,
    })
  })

  test('are bound to a key where that is demanded', async () => {
    const dpop = await createDpop({ now })
    const { tokens } = await ask({ auth: { ...auth, scopes: [] }, dpop }, () =>
      json({ ...granted, token_type: 'DPoP' }),
    )
    expect(await tokens).toMatchObject({ tokenType: 'DPoP', keyThumbprint: dpop.thumbprint })
  })

  test('need a secret or a key', async () => {
    const { tokens, requests } = await ask({ auth: { type: 'client-credentials', clientId: 'machine' } })
    expect(await mcpRejection(tokens)).toBeInstanceOf(ConfigError)
    expect(requests).toEqual([])
  })
})

describe('a workload', () => {
  const auth = { type: 'jwt-bearer' as const, clientId: 'workload', scopes: ['read'] }

  test('shows the JWT that the app gives it', async () => {
    const assertion = vi.fn(async (_: AssertionRequest) => jwt)
    const { tokens, requests } = await ask({ auth, assertion })
    expect((await tokens).accessToken).toBe('access')
    expect(assertion.mock.calls).toEqual([
      [{ server: 'tickets', kind: 'jwt-bearer', audience: issuer, issuer, resource }],
    ])
    expect(Object.fromEntries(requests[0]!.form)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: jwt,
      scope: 'read',
      resource,
      client_id: 'workload',
    })
  })

  test('that is refused is told why, without the JWT', async () => {
    const { tokens, requests } = await ask({ auth, assertion: async () => jwt }, () =>
      json({ error: 'invalid_grant', error_description: `the assertion ${jwt} has expired` }, { status: 400 }),
    )
    const error = await mcpRejection(tokens)
    expect(error.data).toMatchObject({ step: 'token', reason: 'invalid_grant' })
    expect(error.message).toContain('has expired')
    expect(JSON.stringify(toErrorData(error))).not.toContain(jwt)
    expect(requests).toHaveLength(1)
  })

  test('needs the hook', async () => {
    const { tokens } = await ask({ auth })
    expect(await mcpRejection(tokens)).toBeInstanceOf(ConfigError)
  })

  test('fails with the hook', async () => {
    const cause = new Error('the metadata service is away')
    const { tokens, requests } = await ask({ auth, assertion: () => Promise.reject(cause) })
    const error = await mcpRejection(tokens)
    expect(error).toBeInstanceOf(UnauthorizedError)
    expect(error.data).toEqual({ reason: 'assertion' })
    expect(error.cause).toBe(cause)
    expect(requests).toEqual([])
  })

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['no JWT', 'Bearer abc'],
    ['a JWT and more', `${jwt}\n`],
  ])('can’t show %s', async (_, given) => {
    const { tokens, requests } = await ask({ auth, assertion: async () => given as string })
    const error = await mcpRejection(tokens)
    expect(error).toBeInstanceOf(ConfigError)
    expect(requests).toEqual([])
  })
})

describe('an enterprise', () => {
  const auth = {
    type: 'enterprise' as const,
    clientId: 'client',
    clientSecret: 'secret',
    identityProvider: identityProvider.issuer,
    identityProviderClientId: 'client-at-idp',
    scopes: ['chat.read', 'chat.history'],
  }
  const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
  const exchanged = { issued_token_type: idJag, access_token: identityGrant, token_type: 'N_A', expires_in: 300 }
  const answer =
    (exchange: () => Response = () => json(exchanged)) =>
    ({ url }: TokenRequest) =>
      url.startsWith('https://idp.example/') ? exchange() : json(granted)

  test('has its identity provider turn an identity token into a grant, and shows that', async () => {
    const assertion = vi.fn(async (_: AssertionRequest) => jwt)
    const { tokens, requests } = await ask({ auth, assertion, identityProvider }, answer())
    expect(await tokens).toMatchObject({ accessToken: 'access', issuer, clientId: 'client' })
    expect(assertion.mock.calls).toEqual([
      [
        {
          server: 'tickets',
          kind: 'enterprise',
          audience: 'client-at-idp',
          issuer: 'https://idp.example',
          resource,
        },
      ],
    ])
    const [exchange, grant] = requests
    expect(exchange?.url).toBe('https://idp.example/oauth2/token')
    // The table of section 4 of the extension.
    expect(Object.fromEntries(exchange!.form)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: idJag,
      audience: issuer,
      resource,
      scope: 'chat.read chat.history',
      subject_token: jwt,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      client_id: 'client-at-idp',
    })
    expect(exchange?.headers.has('authorization')).toBe(false)
    expect(grant?.url).toBe(`${issuer}/token`)
    expect(Object.fromEntries(grant!.form)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: identityGrant,
      scope: 'chat.read chat.history',
      resource,
    })
    expect(grant?.headers.get('authorization')).toBe(`Basic ${btoa('client:secret')}`)
  })

  test('proves its key to the one who binds tokens to it alone', async () => {
    const dpop = await createDpop({ now })
    const { tokens, requests } = await ask({ auth, assertion: async () => jwt, identityProvider, dpop }, answer())
    await tokens
    expect(requests.map(({ headers }) => headers.has('dpop'))).toEqual([false, true])
  })

  test('is known to its identity provider by the same name where no other is given', async () => {
    const { identityProviderClientId, ...rest } = auth
    const { tokens, requests } = await ask({ auth: rest, assertion: async () => jwt, identityProvider }, answer())
    await tokens
    expect(requests[0]?.form.get('client_id')).toBe('client')
  })

  test.each([
    [
      'a refusal',
      () => json({ error: 'invalid_target', error_description: `not for ${jwt}` }, { status: 400 }),
      'invalid_target',
    ],
    [
      'another type of token',
      () => json({ ...exchanged, issued_token_type: 'urn:ietf:params:oauth:token-type:jwt' }),
      'token-type',
    ],
    ['no token', () => json({ issued_token_type: idJag }), 'invalid-response'],
    ['a server that is down', () => json({}, { status: 503 }), 'http'],
  ])('is stopped by its identity provider: %s', async (_, exchange, reason) => {
    const { tokens, requests } = await ask({ auth, assertion: async () => jwt, identityProvider }, answer(exchange))
    const error = await mcpRejection(tokens)
    expect(error).toBeInstanceOf(AuthorizationError)
    expect(error.data).toMatchObject({ step: 'token-exchange', reason })
    expect(JSON.stringify(toErrorData(error))).not.toContain(jwt)
    expect(requests).toHaveLength(1)
  })

  test('needs the identity provider’s metadata', async () => {
    const { tokens } = await ask({ auth, assertion: async () => jwt })
    expect((await mcpRejection(tokens)).data).toEqual({ step: 'token-exchange', reason: 'token-endpoint' })
  })
})
