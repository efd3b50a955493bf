import type { AssertionRequest, AuthConfig } from '../config.js'
import { AuthorizationError, ConfigError, UnauthorizedError } from '../errors.js'
import type { AuthorizationServer } from './authorization-server.js'
import { type ClientCredentials, chooseAuthMethod } from './client-authentication.js'
import { parseBody, refusal } from './token-reply.js'
import { postForm } from './token-request.js'
import { type GrantContext, grantTokens, type Tokens } from './tokens.js'

export type MachineAuth = Extract<AuthConfig, { type: 'client-credentials' | 'jwt-bearer' | 'enterprise' }>

export interface MachineContext extends Omit<GrantContext, 'client'> {
  auth: MachineAuth
  /** The server's name, for the hook. */
  serverName: string
  assertion?: ((request: AssertionRequest) => Promise<string>) | undefined
  /** Of `enterprise`: what the identity provider's metadata says. */
  identityProvider?: AuthorizationServer | undefined
}

const grantType = {
  clientCredentials: 'client_credentials',
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  tokenExchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
}
const tokenType = {
  identityGrant: 'urn:ietf:params:oauth:token-type:id-jag',
  identityToken: 'urn:ietf:params:oauth:token-type:id_token',
}

/**
 * Tokens for a client that acts without a person at hand.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` when the hook or what identifies the client is missing.
 * @throws {UnauthorizedError} `ERR_MCP_UNAUTHORIZED`, `data.reason` `assertion`, when the hook fails.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION` with `data.step` `token` or, at the identity provider,
 *   `token-exchange`.
 */
export async function machineTokens(context: MachineContext): Promise<Tokens> {
  const { auth, server } = context
  const client = toClient(auth, server)
  const scope = auth.scopes?.length ? auth.scopes.join(' ') : undefined
  const grant = async (fields: Record<string, string>) => {
    const tokens = await grantTokens('token', { ...fields, scope }, { ...context, client }, { scope })
    // The grant is asked anew instead; a second credential to guard would win nothing (RFC 6749 4.4.3).
    const { refreshToken, ...withoutRefresh } = tokens
    return withoutRefresh
  }
  switch (auth.type) {
    case 'client-credentials':
      return grant({ grant_type: grantType.clientCredentials })
    case 'jwt-bearer': {
      const assertion = await askAssertion(context, server.issuer, server.issuer)
      return grant({ grant_type: grantType.jwtBearer, assertion })
    }
    case 'enterprise': {
      const assertion = await exchangeIdentity(auth, scope, context)
      return grant({ grant_type: grantType.jwtBearer, assertion })
    }
  }
}

function toClient(auth: MachineAuth, { metadata }: AuthorizationServer): ClientCredentials {
  const clientSecret = 'clientSecret' in auth ? auth.clientSecret : undefined
  const privateKeyJwk = 'privateKeyJwk' in auth ? auth.privateKeyJwk : undefined
  if (auth.type === 'client-credentials' && !clientSecret && !privateKeyJwk)
    throw new ConfigError('"auth" of type "client-credentials" needs "clientSecret" or "privateKeyJwk"', {
      data: { key: 'auth' },
    })
  const supported = metadata.token_endpoint_auth_methods_supported
  return {
    clientId: auth.clientId,
    authMethod: chooseAuthMethod({ clientSecret, privateKeyJwk, supported }),
    ...(clientSecret && { clientSecret }),
    ...(privateKeyJwk && { privateKeyJwk }),
  }
}

/**
 * Has the enterprise's identity provider turn an identity token into a grant for the MCP server's authorization server.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693#section-2}
 * @see {@link https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/enterprise-managed-authorization.mdx}
 */
async function exchangeIdentity(
  auth: MachineAuth & { type: 'enterprise' },
  scope: string | undefined,
  context: MachineContext,
): Promise<string> {
  const step = 'token-exchange'
  const { identityProvider, server, resource } = context
  const url = identityProvider?.metadata.token_endpoint
  if (!identityProvider || !url)
    throw new AuthorizationError(`The identity provider ${auth.identityProvider} names no token endpoint`, {
      data: { step, reason: 'token-endpoint' },
    })
  const clientId = auth.identityProviderClientId ?? auth.clientId
  const identityToken = await askAssertion(context, clientId, identityProvider.issuer)
  const fields = {
    grant_type: grantType.tokenExchange,
    requested_token_type: tokenType.identityGrant,
    audience: server.issuer,
    resource,
    scope,
    subject_token: identityToken,
    subject_token_type: tokenType.identityToken,
  }
  const { response, secrets } = await postForm(step, url, fields, {
    ...context,
    server: identityProvider,
    // The secret of the configuration is for the MCP server's authorization server, and goes nowhere else.
    client: { clientId, authMethod: 'none' },
    // What comes back is no access token; the identity provider has no use for a proof.
    dpop: undefined,
  })
  const reply = parseBody(response)
  const granted = reply?.access_token
  if (!response.ok || typeof granted !== 'string' || granted === '')
    throw refusal(response, reply, { step, url, secrets })
  if (reply?.issued_token_type !== tokenType.identityGrant)
    throw new AuthorizationError(
      `The identity provider ${identityProvider.issuer} gave another token than was asked for; it must support ${tokenType.identityGrant}`,
      { data: { step, reason: 'token-type' } },
    )
  return granted
}

async function askAssertion(context: MachineContext, audience: string, issuer: string): Promise<string> {
  const { auth, serverName, resource, assertion: ask } = context
  const kind = auth.type === 'enterprise' ? 'enterprise' : 'jwt-bearer'
  if (!ask) throw new ConfigError(`"auth" of type "${kind}" needs the assertion hook`, { data: { key: 'auth' } })
  let given: unknown
  try {
    given = await ask({ server: serverName, kind, audience, issuer, resource })
  } catch (cause) {
    throw new UnauthorizedError('The assertion hook failed, so there is nothing to sign in with', {
      cause,
      data: { reason: 'assertion' },
    })
  }
  if (typeof given === 'string' && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(given)) return given
  throw new ConfigError('The assertion hook must give a JWT in compact form', { data: { key: 'auth' } })
}
