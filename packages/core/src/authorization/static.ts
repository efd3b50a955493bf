import type { ConnectOptions, ResolvedConfig } from '../config.js'
import { ConfigError } from '../errors.js'

/** Gives the credential headers of each request. */
export interface Authorization {
  headers(): Promise<Record<string, string>>
}

/**
 * Bearer tokens and API keys.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a bearer without `token` and without the `token` hook, for a token that
 *   no header can hold, and for methods that this version does not offer.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2.1}
 */
export function createAuthorization(config: ResolvedConfig, hooks: Pick<ConnectOptions, 'token'>): Authorization {
  const { auth, name: server } = config
  const wrong = (message: string) => new ConfigError(message, { data: { server, key: 'auth' } })
  if (!auth) return { headers: async () => ({}) }
  switch (auth.type) {
    case 'api-key':
      return { headers: async () => ({ [auth.header]: auth.value.trim() }) }
    case 'bearer': {
      if (auth.token === undefined && !hooks.token)
        throw wrong('"auth" of type "bearer" needs "token", or the token hook')
      let token = auth.token
      return {
        async headers() {
          token ??= await hooks.token!({ server, reason: 'first' })
          const value = bearer(token)
          if (value === undefined)
            throw wrong('the bearer token holds a space, a line break or a character that HTTP does not allow')
          return { authorization: value }
        },
      }
    }
    default:
      throw wrong(`"auth" of type "${auth.type}" is not offered yet; use "bearer" or "api-key"`)
  }
}

/** A pasted token may come with its scheme and with white space around it. */
function bearer(token: string): string | undefined {
  const bare = token.trim().replace(/^bearer\s+/i, '')
  return /^[\x21-\x7e]+$/.test(bare) ? `Bearer ${bare}` : undefined
}
