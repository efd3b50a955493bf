import type { ResolvedConfig } from '../config.js'
import type { Authorization, AuthorizationHooks, AuthorizationTools } from './credentials.js'
import { createMachineAuthorization } from './machine-authorization.js'
import { createOAuth } from './oauth.js'
import { createStaticAuthorization } from './static.js'

export type { Authorization } from './credentials.js'

/**
 * The credentials of one connection, of whatever kind.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a configuration that can't work.
 */
export function createAuthorization(
  config: ResolvedConfig,
  hooks: AuthorizationHooks,
  tools: AuthorizationTools,
): Authorization {
  const { auth } = config
  switch (auth?.type) {
    case 'oauth':
      return createOAuth(config, auth, hooks, tools)
    case 'client-credentials':
    case 'jwt-bearer':
    case 'enterprise':
      return createMachineAuthorization(config, auth, hooks, tools)
    default:
      return createStaticAuthorization({ ...config, auth }, hooks)
  }
}
