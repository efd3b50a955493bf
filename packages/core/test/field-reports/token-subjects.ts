import {
  auth,
  exchangeAuthorization,
  type OAuthClientProvider,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { chooseAuthMethod } from '../../src/authorization/client-authentication.js'
import { createTokenSource } from '../../src/authorization/token-source.js'
import { exchangeCode, refresh, type Tokens } from '../../src/authorization/tokens.js'
import type { Json } from '../../src/protocol.js'
import { createTimers } from '../support/timers.js'
import { issuer, type TokenEndpoint } from '../support/token-endpoint.js'
import { createTokenStores } from '../support/token-stores.js'

/** What came of a token request. */
export interface Granted {
  accessToken: string
  tokenType: string
  refreshToken?: string | undefined
  /** Seconds. */
  expiresInS?: number | undefined
}

export interface KnownClient {
  clientSecret?: string
  /** What the registration answered. */
  registered?: string
  /** What the authorization server's metadata offer. */
  supported?: string[]
}

/** What a shared store holds after calls that were all refused at once. */
export interface Renewed {
  /** The access token that each call ends with; undefined where a person was sent to sign in. */
  given: (string | undefined)[]
  /** The refresh token that is there for the next time. */
  kept: string | undefined
}

/** Ours, or the SDK's. */
export interface TokenSubject {
  exchange(endpoint: TokenEndpoint, client?: KnownClient): Promise<Granted>
  refresh(endpoint: TokenEndpoint, refreshToken: string): Promise<Granted>
  /** Calls whose token was refused, all at once, in tabs that share a store. The refresh token is `refresh-0`. */
  renew(endpoint: TokenEndpoint, calls: { tabs: number; perTab: number }): Promise<Renewed>
}

const resource = 'https://mcp.example/mcp'
const redirectUrl = 'https://app.example/callback'
const grant = {
  code: 'SplxlOBeZQQYbYS6WxSbIA',
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  redirectUrl,
}
const held: Tokens = {
  accessToken: 'access-0',
  refreshToken: 'refresh-0',
  tokenType: 'Bearer',
  obtainedAt: 0,
  issuer,
  resource,
  clientId: 'client',
}

const ourContext = ({ fetch }: TokenEndpoint, { clientSecret, registered, supported }: KnownClient = {}) => ({
  server: { issuer, metadata: { token_endpoint: `${issuer}/token`, token_endpoint_auth_methods_supported: supported } },
  client: {
    clientId: 'client',
    authMethod: chooseAuthMethod({ clientSecret, registered, supported }),
    ...(clientSecret !== undefined && { clientSecret }),
  },
  fetch,
  now: () => 0,
  resource,
})

const toGranted = ({ accessToken, tokenType, refreshToken, expiresAt }: Tokens): Granted => ({
  accessToken,
  tokenType,
  refreshToken,
  expiresInS: expiresAt === undefined ? undefined : expiresAt / 1_000,
})

export const ourTokens: TokenSubject = {
  exchange: async (endpoint, client) => toGranted(await exchangeCode(grant, ourContext(endpoint, client))),
  refresh: async (endpoint, refreshToken) => toGranted(await refresh({ ...held, refreshToken }, ourContext(endpoint))),
  async renew(endpoint, { tabs, perTab }) {
    const stores = createTokenStores()
    const { now, setTimer } = createTimers()
    await stores.open().set(resource, { ...held })
    const sources = Array.from({ length: tabs }, () =>
      createTokenSource({
        store: stores.open(),
        key: resource,
        renew: (current) => refresh(current as Tokens, ourContext(endpoint)),
        now,
        setTimer,
      }),
    )
    const calls = sources.flatMap((source) => Array<typeof source>(perTab).fill(source))
    const given = await Promise.all(
      calls.map((source) => source.get({ refused: held.accessToken }).catch(() => undefined)),
    )
    const kept = (await stores.open().get(resource)) as { refreshToken?: string } | undefined
    return { given: given.map((tokens) => tokens?.accessToken), kept: kept?.refreshToken }
  },
}

/** The SDK's fetch, answered by the same endpoint. */
const sdkFetch =
  ({ fetch }: TokenEndpoint) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const { status, headers: answered, text } = await fetch(String(url), { headers, body: String(init.body) })
    return new Response(text, { status, headers: answered })
  }

const sdkMetadata = (supported?: string[]) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  ...(supported && { token_endpoint_auth_methods_supported: supported }),
})

const fromSdk = (tokens: Awaited<ReturnType<typeof exchangeAuthorization>>): Granted => ({
  accessToken: tokens.access_token,
  tokenType: tokens.token_type,
  refreshToken: tokens.refresh_token,
  expiresInS: tokens.expires_in,
})

export const sdkTokens: TokenSubject = {
  exchange: async (endpoint, { clientSecret, registered, supported } = {}) =>
    fromSdk(
      await exchangeAuthorization(issuer, {
        metadata: sdkMetadata(supported),
        clientInformation: {
          client_id: 'client',
          ...(clientSecret !== undefined && { client_secret: clientSecret }),
          ...(registered !== undefined && { token_endpoint_auth_method: registered, redirect_uris: [redirectUrl] }),
        },
        authorizationCode: grant.code,
        codeVerifier: grant.codeVerifier,
        redirectUri: redirectUrl,
        fetchFn: sdkFetch(endpoint),
      }),
    ),
  refresh: async (endpoint, refreshToken) =>
    fromSdk(
      await refreshAuthorization(issuer, {
        metadata: sdkMetadata(),
        clientInformation: { client_id: 'client' },
        refreshToken,
        fetchFn: sdkFetch(endpoint),
      }),
    ),
  async renew(endpoint, { tabs, perTab }) {
    const store = createTokenStores().open()
    await store.set(resource, { access_token: 'access-0', refresh_token: 'refresh-0', token_type: 'Bearer', issuer })
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl] },
      clientInformation: () => ({ client_id: 'client', issuer }),
      tokens: async () => (await store.get(resource)) as never,
      saveTokens: (tokens) => store.set(resource, tokens as unknown as Json),
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => 'verifier',
      invalidateCredentials: (scope) => (scope === 'tokens' ? store.delete(resource) : undefined),
      discoveryState: () => ({
        authorizationServerUrl: issuer,
        authorizationServerMetadata: sdkMetadata(),
        resourceMetadata: { resource, authorization_servers: [issuer] },
      }),
    }
    const calls = Array.from({ length: tabs * perTab }, async () => {
      const outcome = await auth(provider, { serverUrl: resource, fetchFn: sdkFetch(endpoint) })
      return outcome === 'AUTHORIZED'
        ? ((await provider.tokens()) as { access_token: string } | undefined)?.access_token
        : undefined
    })
    const given = await Promise.all(calls)
    return { given, kept: ((await store.get(resource)) as { refresh_token?: string } | undefined)?.refresh_token }
  },
}
