import type { AuthConfig } from '@x/core'
import { toPrivateJwk } from './private-jwk.js'
import type { SignIn } from './sign-in.js'
import { expectText, type Steps } from './steps.js'

/** The only document that the suite's servers know; nobody fetches it. */
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json'

const signedIn = (_: unknown, { redirectUrl }: SignIn): AuthConfig => ({
  type: 'oauth',
  redirectUrl,
  clientMetadataUrl,
})

/** A person signs in, then a tool is called. */
const interactive: Steps = {
  auth: signedIn,
  async run(client) {
    await client.listTools()
    await expectText(client, 'test-tool', {}, 'test')
  },
}

/** What an attacker, or a mistake, has put in the way. */
const refused: Steps = { ...interactive, refused: ['ERR_MCP_AUTHORIZATION'] }

/** By scenario of `auth/`: how the client is configured, and what it does. */
export const authorizationScenarios: Record<string, Steps> = {
  'auth/metadata-default': interactive,
  'auth/metadata-var1': interactive,
  'auth/metadata-var2': interactive,
  'auth/metadata-var3': interactive,
  'auth/basic-cimd': interactive,
  'auth/scope-from-www-authenticate': interactive,
  'auth/scope-from-scopes-supported': interactive,
  'auth/scope-omitted-when-undefined': interactive,
  'auth/scope-step-up': interactive,
  'auth/scope-retry-limit': { ...interactive, refused: ['ERR_MCP_AUTHORIZATION', 'ERR_MCP_UNAUTHORIZED'] },
  'auth/token-endpoint-auth-basic': interactive,
  'auth/token-endpoint-auth-post': interactive,
  'auth/token-endpoint-auth-none': interactive,
  'auth/pre-registration': {
    ...interactive,
    auth: ({ client_id, client_secret }, { redirectUrl }) => ({
      type: 'oauth',
      redirectUrl,
      clientId: String(client_id),
      clientSecret: String(client_secret),
    }),
  },
  'auth/2025-03-26-oauth-metadata-backcompat': { ...interactive, anyRevision: true },
  'auth/2025-03-26-oauth-endpoint-fallback': { ...interactive, anyRevision: true },
  'auth/resource-mismatch': refused,
  'auth/offline-access-scope': interactive,
  'auth/offline-access-not-supported': interactive,
  'auth/authorization-server-migration': interactive,
  'auth/iss-supported': interactive,
  'auth/iss-not-advertised': interactive,
  'auth/iss-supported-missing': refused,
  'auth/iss-wrong-issuer': refused,
  'auth/iss-unexpected': refused,
  'auth/iss-normalized': refused,
  'auth/metadata-issuer-mismatch': refused,
  'auth/client-credentials-jwt': {
    ...interactive,
    auth: async ({ client_id, private_key_pem }) => ({
      type: 'client-credentials',
      clientId: String(client_id),
      privateKeyJwk: await toPrivateJwk(String(private_key_pem)),
    }),
  },
  'auth/client-credentials-basic': {
    ...interactive,
    auth: ({ client_id, client_secret }) => ({
      type: 'client-credentials',
      clientId: String(client_id),
      clientSecret: String(client_secret),
    }),
  },
  'auth/enterprise-managed-authorization': {
    ...interactive,
    auth: ({ client_id, client_secret, idp_issuer, idp_client_id }) => ({
      type: 'enterprise',
      clientId: String(client_id),
      clientSecret: String(client_secret),
      identityProvider: String(idp_issuer),
      identityProviderClientId: String(idp_client_id),
    }),
    hooksFor: ({ idp_id_token }) => ({ assertion: async () => String(idp_id_token) }),
  },
  'auth/dpop': interactive,
  'auth/dpop-nonce': interactive,
  'auth/wif-jwt-bearer': {
    ...interactive,
    auth: ({ client_id }) => ({ type: 'jwt-bearer', clientId: String(client_id) }),
    hooksFor: ({ valid_jwt }) => ({ assertion: async () => String(valid_jwt) }),
  },
}
