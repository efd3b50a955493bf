import { ConfigError } from '../errors.js'
import type { AuthorizationServer } from './authorization-server.js'
import { algorithmsOf, importSigningKey, signJwt } from './jwt.js'
import { randomText, requireCrypto } from './web-crypto.js'

/** How a client says at the token endpoint who it is. */
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** A client as its authorization server knows it. */
export interface ClientCredentials {
  clientId: string
  clientSecret?: string
  privateKeyJwk?: JsonWebKey
  authMethod: AuthMethod
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Seconds that a client's own assertion is good for: it is used at once, and clocks differ. */
const assertionLifetimeS = 120

/**
 * How a client authenticates. What its registration answered goes first, whatever the metadata says: the server holds the
 * client to it. Of both ways to send a secret the body's is taken where it is offered: the header would cost a browser a
 * preflight that the server may not answer.
 *
 * @param o.registered - `token_endpoint_auth_method` of the registration's reply.
 * @param o.supported - `token_endpoint_auth_methods_supported`; absent means `client_secret_basic`.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2}
 */
export function chooseAuthMethod(o: {
  clientSecret?: string | undefined
  privateKeyJwk?: JsonWebKey | undefined
  registered?: string | undefined
  supported?: string[] | undefined
}): AuthMethod {
  if (o.privateKeyJwk) return 'private_key_jwt'
  if (!o.clientSecret) return 'none'
  const secretMethods = ['client_secret_post', 'client_secret_basic'] as const
  const registered = (['none', ...secretMethods] as const).find((method) => method === o.registered)
  if (registered) return registered
  const supported = secretMethods.find((method) => o.supported?.includes(method))
  if (supported) return supported
  return o.supported?.includes('none') ? 'none' : 'client_secret_basic'
}

/**
 * What identifies the client in a request: headers, and fields of the form.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` when the secret or the key that the method needs is missing or can't be used.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.2}
 */
export async function authenticateClient(
  client: ClientCredentials,
  server: AuthorizationServer,
  o: { now(): number; crypto?: Crypto | undefined },
): Promise<{ headers: Record<string, string>; fields: Record<string, string> }> {
  const { clientId, clientSecret, authMethod } = client
  if (authMethod === 'none') return { headers: {}, fields: { client_id: clientId } }
  if (authMethod === 'private_key_jwt') {
    const assertion = await clientAssertion(client, server, o)
    return { headers: {}, fields: { client_assertion_type: assertionType, client_assertion: assertion } }
  }
  if (!clientSecret) throw wrong(`"auth" needs "clientSecret": the client was registered for ${authMethod}`)
  if (authMethod === 'client_secret_post')
    return { headers: {}, fields: { client_id: clientId, client_secret: clientSecret } }
  // Both are form-encoded before base64: a colon in the id would end it, and btoa takes no other than Latin-1.
  const credentials = btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)
  return { headers: { authorization: `Basic ${credentials}` }, fields: {} }
}

async function clientAssertion(
  { clientId, privateKeyJwk: jwk }: ClientCredentials,
  { issuer, metadata }: AuthorizationServer,
  o: { now(): number; crypto?: Crypto | undefined },
): Promise<string> {
  if (!jwk?.d) throw wrong('"privateKeyJwk" is missing, or is no private key')
  const crypto = requireCrypto(o.crypto)
  const possible = algorithmsOf(jwk)
  const offered = metadata.token_endpoint_auth_signing_alg_values_supported
  const alg = possible.find((name) => offered?.includes(name)) ?? possible[0]
  if (!alg) throw wrong('"privateKeyJwk" is of a kind that this client can’t sign with; use RSA, P-256 or Ed25519')
  const key = await importSigningKey(crypto, jwk, alg).catch(() => {
    // Without a cause: what the runtime says of the key may quote it.
    throw wrong('"privateKeyJwk" can’t be read by this runtime’s WebCrypto')
  })
  const { kid } = jwk as { kid?: unknown }
  const issuedAt = Math.floor(o.now() / 1_000)
  return signJwt(
    crypto,
    key,
    { alg, typ: 'JWT', ...(typeof kid === 'string' && { kid }) },
    {
      iss: clientId,
      sub: clientId,
      // Not the token endpoint: an assertion for an address that the metadata chose could be used elsewhere by it.
      aud: issuer,
      jti: randomText(crypto),
      iat: issuedAt,
      exp: issuedAt + assertionLifetimeS,
    },
  )
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function wrong(message: string): ConfigError {
  return new ConfigError(message, { data: { key: 'auth' } })
}
