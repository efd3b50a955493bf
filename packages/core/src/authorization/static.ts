import type { AuthConfig, ConnectOptions, ResolvedConfig } from '../config.js'
import { ConfigError, UnauthorizedError } from '../errors.js'
import type { Authorization } from './credentials.js'

/** A configuration whose credentials are the app's own. */
export interface StaticConfig extends Omit<ResolvedConfig, 'auth'> {
  auth?: Extract<AuthConfig, { type: 'bearer' | 'api-key' }> | undefined
}

/**
 * Bearer tokens and API keys.
 *
 * @returns `headers()` rejects with {@link UnauthorizedError} `ERR_MCP_UNAUTHORIZED` when the `token` hook fails, and
 *   with {@link ConfigError} when it gives what no header can hold.
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a bearer without `token` and without the `token` hook, and for a token
 *   that no header can hold.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2.1}
 */
export function createStaticAuthorization(config: StaticConfig, hooks: Pick<ConnectOptions, 'token'>): Authorization {
  const { auth, name: server } = config
  const wrong = (message: string) => new ConfigError(message, { data: { server, key: 'auth' } })
  if (!auth) return { headers: async () => ({}) }
  switch (auth.type) {
    case 'api-key': {
      const headers = { [auth.header.toLowerCase()]: auth.value }
      return { headers: async () => headers }
    }
    case 'bearer': {
      const toHeaders = (token: unknown) => {
        const value = bearer(token)
        if (value === undefined)
          throw wrong('the bearer token is empty, or holds a space or a character that HTTP does not allow')
        return { authorization: value }
      }
      if (auth.token !== undefined) {
        const headers = toHeaders(auth.token)
        return { headers: async () => headers }
      }
      if (!hooks.token) throw wrong('"auth" of type "bearer" needs "token", or the token hook')
      const ask = async (reason: 'first' | 'unauthorized') => {
        try {
          return toHeaders(await hooks.token!({ server, reason }))
        } catch (cause) {
          if (cause instanceof ConfigError) throw cause
          // Its text is the app's, and may tell of what it asked: only the cause keeps it.
          throw new UnauthorizedError('The token hook failed, so there is no token for the server', {
            cause,
            data: { server, reason: 'token' },
          })
        }
      }
      let current: Promise<Record<string, string>> | undefined
      const fetchToken = (reason: 'first' | 'unauthorized') => {
        const asked = ask(reason).catch((error) => {
          // The next request asks again.
          if (current === asked) current = undefined
          throw error
        })
        current = asked
        return asked
      }
      const headers = () => current ?? fetchToken('first')
      return {
        headers,
        forget() {
          current = undefined
        },
        async renew(refused) {
          const before = current
          const { authorization } = await headers()
          if (authorization !== refused.authorization) return true
          // One question for any number of refused requests.
          const renewed = await (current === before ? fetchToken('unauthorized') : headers())
          return renewed.authorization !== refused.authorization
        },
      }
    }
  }
}

/** A pasted token may come with its scheme and with white space around it. */
function bearer(token: unknown): string | undefined {
  if (typeof token !== 'string') return undefined
  const bare = token.trim().replace(/^bearer\s+/i, '')
  return /^[\x21-\x7e]+$/.test(bare) ? `Bearer ${bare}` : undefined
}
