import { describe, expect, test } from 'vitest'
import { revokeTokens } from '../../src/authorization/revocation.js'
import type { Tokens } from '../../src/authorization/tokens.js'
import { authorizationServer, issuer, json, tokenEndpoint } from '../support/token-endpoint.js'

const tokens: Tokens = {
  accessToken: 'access',
  refreshToken: 'refresh',
  tokenType: 'Bearer',
  obtainedAt: 0,
  issuer,
  resource: 'https://mcp.example/mcp',
  clientId: 'client',
}
const common = {
  server: authorizationServer,
  client: { clientId: 'client', authMethod: 'none' as const },
  now: () => 0,
}

describe('the revocation of tokens', () => {
  test('ends the refresh token first', async () => {
    const { fetch, requests } = tokenEndpoint(() => new Response())
    expect(await revokeTokens(tokens, { ...common, fetch })).toBe(true)
    expect(requests.map(({ url, form }) => [url, Object.fromEntries(form)])).toEqual([
      [`${issuer}/revoke`, { token: 'refresh', token_type_hint: 'refresh_token', client_id: 'client' }],
      [`${issuer}/revoke`, { token: 'access', token_type_hint: 'access_token', client_id: 'client' }],
    ])
  })

  test('ends an access token that has no other', async () => {
    const { refreshToken, ...alone } = tokens
    const { fetch, requests } = tokenEndpoint(() => new Response())
    expect(await revokeTokens(alone, { ...common, fetch })).toBe(true)
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['a refusal', () => json({ error: 'unsupported_token_type' }, { status: 400 }), 2],
    ['a server that is down', () => json({}, { status: 503 }), 1],
    ['a network that fails', () => Promise.reject(new TypeError('fetch failed')), 1],
  ])('fails silently: %s', async (_, answer, times) => {
    const { fetch, requests } = tokenEndpoint(answer)
    expect(await revokeTokens(tokens, { ...common, fetch })).toBe(false)
    expect(requests).toHaveLength(times)
  })

  test.each([
    ['where it is not offered', { server: { issuer, metadata: {} } }],
    ['at another authorization server', { server: { ...authorizationServer, issuer: 'https://other.example' } }],
    ['for another client', { client: { clientId: 'other', authMethod: 'none' as const } }],
  ])('sends nothing %s', async (_, own) => {
    const { fetch, requests } = tokenEndpoint(() => new Response())
    expect(await revokeTokens(tokens, { ...common, fetch, ...own })).toBe(false)
    expect(requests).toEqual([])
  })
})
