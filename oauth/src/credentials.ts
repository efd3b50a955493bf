import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { JWK } from 'oidc-provider'
import type { Credentials } from './journeys/journey.js'
import type { OauthServerOptions } from './start-server.js'

/** New secrets, and the clients that have them, as somebody registers them by hand. */
export function createCredentials(redirectUrl: string): Credentials & Required<Pick<OauthServerOptions, 'clients'>> {
  const clientSecret = `client-secret-${randomBytes(24).toString('base64url')}`
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const machine = {
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
    scope: 'mcp:read mcp:write',
  }
  return {
    clientSecret,
    privateKeyJwk: privateKey.export({ format: 'jwk' }),
    clients: [
      {
        client_id: 'app',
        client_secret: clientSecret,
        application_type: 'native',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      { ...machine, client_id: 'machine', client_secret: clientSecret },
      {
        ...machine,
        client_id: 'signing-machine',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig' } as JWK] },
      },
    ],
  }
}
