import type { AuthConfig } from '../config.js'
import { AuthorizationError, McpError, withDetails } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { type AuthMethod, chooseAuthMethod } from './client-authentication.js'
import type { ClientInformation } from './client-information.js'
import type { Discovered } from './discovery.js'
import { isObject, parseJson, textOf } from './metadata-document.js'
import { checkRedirectUrl, isLoopback } from './redirect-url.js'
import type { AuthorizationServerMetadata } from './server-metadata.js'
import { plainText } from './server-text.js'
import type { GuardedFetch } from './url-guard.js'

export interface RegistrationOptions {
  config: AuthConfig & { type: 'oauth' }
  discovered: Discovered
  redirectUrl: string
  /** Scopes that will be asked for, beside the configured ones and the resource's. */
  scopes?: string[]
  fetch: GuardedFetch
  signal?: AbortSignal
}

type Registered = Pick<ClientInformation, 'clientId' | 'clientSecret' | 'authMethod' | 'expiresAt'>

/**
 * Registers this client.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7591#section-3}
 */
export async function register(endpoint: string, options: RegistrationOptions): Promise<Registered> {
  const { fetch, signal, discovered } = options
  const asked = toRequest(options)
  try {
    const { ok, status, text } = await fetch(endpoint, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      ...(signal && { signal }),
    })
    const reply = parseJson(text)
    if (!ok) throw rejected(status, reply)
    return readReply(reply, discovered.metadata)
  } catch (error) {
    if (signal?.aborted || !McpError.is(error)) throw error
    throw withDetails(error, { step: 'registration' })
  }
}

function toRequest({ config, discovered, redirectUrl, scopes = [] }: RegistrationOptions): JsonObject {
  const { metadata, scopesSupported = [] } = discovered
  const { grant_types_supported: grants, scopes_supported: offered = [] } = metadata
  const redirect = checkRedirectUrl(redirectUrl)
  const refreshes = grants?.includes('refresh_token') ?? true
  // Some servers allow what was registered and no more, so all that may be asked for later is named.
  const scope = new Set([...(config.scopes ?? []), ...scopes, ...scopesSupported])
  if (scope.size > 0 && refreshes && offered.includes('offline_access')) scope.add('offline_access')
  return {
    client_name: config.clientName ?? redirect.host,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
    response_types: ['code'],
    token_endpoint_auth_method: methodToAskFor(metadata),
    // Left out it means `web`, for which OpenID allows no localhost.
    application_type: isLoopback(redirect) ? 'native' : 'web',
    ...(scope.size > 0 && { scope: [...scope].join(' ') }),
  }
}

/** None where that is possible: a secret that everybody can register is no secret. */
function methodToAskFor({ token_endpoint_auth_methods_supported: supported }: AuthorizationServerMetadata): AuthMethod {
  if (!supported || supported.includes('none')) return 'none'
  return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic'
}

/** Only the client's id is essential. What is not said of the method follows from the secret. */
function readReply(reply: unknown, metadata: AuthorizationServerMetadata): Registered {
  const members = isObject(reply) ? reply : {}
  const clientId = textOf(members.client_id)
  if (clientId === undefined) throw failed('reply', 'its reply holds no "client_id"')
  const secret = textOf(members.client_secret)
  const named = textOf(members.token_endpoint_auth_method)
  const supported = metadata.token_endpoint_auth_methods_supported
  const authMethod = chooseAuthMethod({ clientSecret: secret, registered: knownMethod(named), supported })
  const expiresAt = Number(members.client_secret_expires_at)
  return {
    clientId,
    authMethod,
    ...(secret !== undefined && authMethod !== 'none' && { clientSecret: secret }),
    // 0: never.
    ...(secret !== undefined && expiresAt > 0 && { expiresAt: expiresAt * 1000 }),
  }
}

function knownMethod(named: string | undefined): AuthMethod | undefined {
  if (named === undefined || named === 'none' || named === 'client_secret_basic' || named === 'client_secret_post')
    return named
  throw failed(
    'auth-method',
    `it registered the authentication method "${plainText(named)}", which is not offered here`,
  )
}

function rejected(status: number, reply: unknown): AuthorizationError {
  const { error, error_description: description } = isObject(reply) ? reply : {}
  const code = textOf(error)
  const said = textOf(description)
  const why = [code && plainText(code, 60), said && plainText(said)].filter(Boolean).join(': ')
  return failed(code ? plainText(code, 60) : 'http', `it answered ${status}${why && ` (${why})`}`, status)
}

function failed(reason: string, why: string, status?: number): AuthorizationError {
  return new AuthorizationError(`The authorization server did not register this client: ${why}`, {
    data: { reason, ...(status !== undefined && { status }) },
  })
}
