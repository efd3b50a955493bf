import { AuthorizationError } from '../errors.js'
import type { AuthMethod } from './client-information.js'
import type { AuthorizationServerMetadata } from './server-metadata.js'

/**
 * The method for a client with or without a secret, where no registration has said which.
 *
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION` with `data.reason: 'auth-method'` when the server takes no secret.
 */
export function authMethodFor(clientSecret: string | undefined, metadata: AuthorizationServerMetadata): AuthMethod {
  if (!clientSecret) return 'none'
  // RFC 8414 2: the default.
  const supported = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  // In the body first: `Authorization` would force a preflight, and its encoding is where servers differ.
  for (const method of ['client_secret_post', 'client_secret_basic', 'none'] as const)
    if (supported.includes(method)) return method
  throw new AuthorizationError(
    'The authorization server takes no client secret: its "token_endpoint_auth_methods_supported" name other ways only',
    { data: { step: 'registration', reason: 'auth-method' } },
  )
}
