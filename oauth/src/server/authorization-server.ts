import './node-20.js'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { type ClientMetadata, errors, type JWK, Provider } from 'oidc-provider'
import type { Recorder } from './control.js'
import { recordRequests } from './record-requests.js'
import { formsPath } from './sign-in-pages.js'

/** What the MCP server distinguishes. */
export const scopes = { read: 'mcp:read', write: 'mcp:write' } as const

export interface AuthorizationServerOptions {
  issuer: string
  /** The MCP endpoint that its tokens are for. */
  resource: string
  /** Tokens are bound to a key, and proofs need a nonce. */
  dpop: boolean
  /** Access tokens are JWTs. */
  jwt: boolean
  clients: ClientMetadata[]
  recorder: Recorder
}

/** An authorization server as others wrote it: `oidc-provider`, set up as MCP wants it. */
export function createAuthorizationServer(options: AuthorizationServerOptions): Provider {
  const { issuer, resource, dpop, jwt, clients, recorder } = options
  const { settings } = recorder
  const scope = Object.values(scopes).join(' ')
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: [createSigningKey()] },
    responseTypes: ['code'],
    scopes: ['offline_access', ...Object.values(scopes)],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    pkce: { required: () => true },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    clientBasedCORS: () => true,
    rotateRefreshToken: () => settings.rotate,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    interactions: { url: (_context, { uid }) => formsPath + uid },
    ttl: {
      AccessToken: () => settings.accessTtlSeconds,
      ClientCredentials: () => settings.accessTtlSeconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      dPoP: dpop
        ? { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true, allowReplay: false }
        : { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_context, indicator) {
          if (indicator !== resource) throw new errors.InvalidTarget()
          return {
            scope,
            audience: resource,
            accessTokenTTL: settings.accessTtlSeconds,
            accessTokenFormat: jwt ? 'jwt' : 'opaque',
            jwt: { sign: { alg: 'RS256' } },
          }
        },
      },
    },
    renderError(context, out) {
      context.type = 'json'
      context.body = out
    },
  })
  provider.use(recordRequests(recorder))
  return provider
}

function createSigningKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' } as JWK
}
