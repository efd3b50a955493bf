import { describe, expect, test } from 'vitest'
import type { Discovered } from '../../src/authorization/discovery.js'
import { type ResolveClientOptions, resolveClient } from '../../src/authorization/registration.js'
import { createGuardedFetch } from '../../src/authorization/url-guard.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'
import { type Answer, scriptedWeb, serverMetadata } from '../support/scripted-web.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

const issuer = 'https://as.example'
const redirectUrl = 'https://app.example/callback'
const endpoint = `${issuer}/register`
const registered = {
  clientId: 'c1',
  authMethod: 'none',
  source: 'dynamic',
  redirectUrl,
  issuer,
} as const

interface Own extends Partial<Omit<ResolveClientOptions, 'config' | 'discovered'>> {
  config?: object
  metadata?: object
  scopesSupported?: string[]
}

function registration(answer: Answer, { config, metadata, scopesSupported, ...own }: Own = {}) {
  const serverUrl = 'https://server.example/mcp'
  const { fetch, sent } = scriptedWeb({ [endpoint]: answer })
  const discovered: Discovered = {
    resource: serverUrl,
    issuer,
    metadata: serverMetadata(issuer, metadata),
    resourceMetadataFound: true,
    ...(scopesSupported && { scopesSupported }),
  }
  const guarded = createGuardedFetch({ fetch, serverUrl, setTimer: createTimers().setTimer })
  const run = () =>
    resolveClient({
      config: { type: 'oauth', ...config },
      discovered,
      redirectUrl,
      fetch: guarded,
      now: () => 1_000_000,
      ...own,
    })
  return { run, sent, body: () => sent[0]?.body as Record<string, unknown> | undefined }
}

const reply = (own: object = {}) => Response.json({ client_id: 'c1', ...own }, { status: 201 })

describe('a registration', () => {
  test('says what the client is and will do', async () => {
    const { run, sent, body } = registration(reply(), {
      config: { clientName: 'Chat', scopes: ['profile'] },
      scopes: ['write'],
      scopesSupported: ['read', 'write'],
      metadata: { scopes_supported: ['read', 'write', 'profile', 'offline_access'] },
    })
    expect(await run()).toEqual(registered)
    expect(body()).toEqual({
      client_name: 'Chat',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
      scope: 'profile write read offline_access',
    })
    expect(sent[0]!.method).toBe('POST')
    expect(sent[0]!.headers.get('content-type')).toBe('application/json')
    expect(sent[0]!.headers.has('authorization')).toBe(false)
  })

  test('asks for no more than the server offers', async () => {
    const { run, body } = registration(reply(), {
      metadata: { grant_types_supported: ['authorization_code'], scopes_supported: ['offline_access'] },
      config: { scopes: ['read'] },
    })
    await run()
    expect(body()).toMatchObject({ grant_types: ['authorization_code'], scope: 'read', client_name: 'app.example' })
    const bare = registration(reply())
    await bare.run()
    expect(bare.body()).not.toHaveProperty('scope')
  })

  test.each([
    ['http://localhost:8080/cb', 'native'],
    ['http://127.0.0.1/cb', 'native'],
    ['http://[::1]:1234/cb', 'native'],
    ['https://localhost:8443/cb', 'native'],
    ['https://app.example/cb', 'web'],
  ])('to %s is of type %s', async (own, type) => {
    const { run, body } = registration(reply(), { redirectUrl: own })
    await run()
    expect(body()).toMatchObject({ application_type: type, redirect_uris: [own] })
  })

  test.each([
    [undefined, 'none'],
    [['client_secret_basic', 'none'], 'none'],
    [['client_secret_basic', 'client_secret_post'], 'client_secret_post'],
    [['client_secret_basic'], 'client_secret_basic'],
  ])('where the server takes %s asks for %s', async (supported, method) => {
    const { run, body } = registration(reply(), { metadata: { token_endpoint_auth_methods_supported: supported } })
    await run()
    expect(body()).toMatchObject({ token_endpoint_auth_method: method })
  })

  test.each([
    [
      { client_secret: 's', token_endpoint_auth_method: 'client_secret_basic' },
      { authMethod: 'client_secret_basic', clientSecret: 's' },
    ],
    [
      { client_secret: 's', token_endpoint_auth_method: 'client_secret_post' },
      { authMethod: 'client_secret_post', clientSecret: 's' },
    ],
    [{ client_secret: 's', token_endpoint_auth_method: 'none' }, { authMethod: 'none' }],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, { authMethod: 'none' }],
    [{ client_secret: 's' }, { authMethod: 'client_secret_basic', clientSecret: 's' }],
  ])('answered %j is used so: %j', async (own, expected) => {
    const { run } = registration(reply(own), { metadata: { token_endpoint_auth_methods_supported: undefined } })
    expect(await run()).toEqual({ ...registered, ...expected })
  })

  test('keeps when its secret ends', async () => {
    const of = async (client_secret_expires_at: unknown) =>
      (
        await registration(
          reply({ client_secret: 's', token_endpoint_auth_method: 'client_secret_post', client_secret_expires_at }),
        ).run()
      ).expiresAt
    expect(await of(2_000)).toBe(2_000_000)
    expect(await of('2000')).toBe(2_000_000)
    for (const never of [0, null, undefined, 'soon']) expect(await of(never)).toBeUndefined()
  })

  test('that is refused tells why, in the server’s words made plain', async () => {
    const refusal = Response.json(
      { error: 'invalid_redirect_uri', error_description: `not\n\u202eallowed${'!'.repeat(1_000)}` },
      { status: 400 },
    )
    const error = await mcpRejection(registration(refusal).run())
    expect(error).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { step: 'registration', reason: 'invalid_redirect_uri', status: 400 },
    })
    expect(error.message).toContain('it answered 400 (invalid_redirect_uri: not allowed!!!')
    expect(error.message.length).toBeLessThan(400)
  })

  test.each([
    [new Response('<h1>503</h1>', { status: 503 }), 'http'],
    [new Response('{}', { status: 201 }), 'reply'],
    [new Response('[{"client_id":"c1"}]', { status: 201 }), 'reply'],
    [Response.json({ client_id: 7 }), 'reply'],
    [new TypeError('Failed to fetch'), 'network'],
    [new Response(null, { status: 307, headers: { location: '/r' } }), 'redirect'],
    [reply({ client_secret: 's', token_endpoint_auth_method: 'tls_client_auth' }), 'auth-method'],
  ])('that fails is typed (%#: %s)', async (answer, reason) => {
    expect(await mcpRejection(registration(answer).run())).toMatchObject({ data: { step: 'registration', reason } })
  })
})

describe('a client that is registered already', () => {
  const stored = { ...registered, clientId: 'c0' }

  test('is used again', async () => {
    const { run, sent } = registration(reply(), { stored })
    expect(await run()).toEqual(stored)
    expect(sent).toEqual([])
  })

  test.each([
    ['another redirect URL', { redirectUrl: 'https://old.example/callback' }],
    ['another authorization server', { issuer: 'https://other.example' }],
    ['a secret that has ended', { expiresAt: 1_000_000 }],
    ['a configuration that is no more', { source: 'configured' as const }],
  ])('is not, for %s', async (_, own) => {
    const { run } = registration(reply(), { stored: { ...stored, ...own } })
    expect(await run()).toEqual(registered)
  })

  test('gives way to the configured one', async () => {
    const { run } = registration(reply(), { stored, config: { clientId: 'mine' } })
    expect(await run()).toMatchObject({ clientId: 'mine', source: 'configured' })
  })
})

describe('the configured client', () => {
  test.each([
    [undefined, undefined, 'none'],
    ['s', undefined, 'client_secret_basic'],
    ['s', ['client_secret_basic'], 'client_secret_basic'],
    ['s', ['client_secret_basic', 'client_secret_post'], 'client_secret_post'],
    ['s', ['none'], 'none'],
  ])('with secret %s, where the server takes %s, uses %s', async (clientSecret, supported, authMethod) => {
    const { run } = registration(reply(), {
      config: { clientId: 'mine', clientSecret },
      metadata: { token_endpoint_auth_methods_supported: supported },
    })
    const client = await run()
    expect(client).toMatchObject({ clientId: 'mine', authMethod, issuer })
    expect('clientSecret' in client).toBe(authMethod !== 'none')
  })
})

describe('a client’s metadata document', () => {
  const clientMetadataUrl = 'https://app.example/client.json'

  test('is the client where the server takes it', async () => {
    const { run, sent } = registration(reply(), {
      config: { clientMetadataUrl },
      metadata: { client_id_metadata_document_supported: true },
    })
    expect(await run()).toEqual({ ...registered, clientId: clientMetadataUrl, source: 'metadata-document' })
    expect(sent).toEqual([])
  })

  test.each([
    'http://localhost:3000/client.json',
    'https://app.example',
    'https://app.example/',
    'https://user@app.example/client.json',
    'https://app.example/client.json#',
    'https://app.example/a/../client.json',
    'https://APP.example/client.json',
    'client.json',
  ])('at %s is no client id', async (own) => {
    const { run } = registration(reply(), { config: { clientMetadataUrl: own } })
    expect(await mcpRejection(run())).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'auth' } })
  })
})
