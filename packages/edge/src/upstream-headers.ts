import { ConfigError } from '@x/core'
import type { Upstream } from './options.js'

/**
 * The headers that the gateway adds on the way up: the configured ones and its own credentials.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for what no header can hold, and for a sign-in that needs a person.
 */
export function upstreamHeaders(name: string, { auth, headers: configured = {} }: Upstream): Headers {
  const wrong = (key: string, message: string) => new ConfigError(message, { data: { server: name, key } })
  const headers = new Headers()
  const set = (key: string, header: string, value: string) => {
    // workerd sends other characters as UTF-8 instead of refusing them.
    if (!/^[\t\x20-\x7e]*$/.test(value))
      throw wrong(key, `"${key}" of "${name}" holds a character that HTTP does not allow`)
    try {
      headers.set(header, value)
    } catch {
      // Not the engine's message: it quotes the value.
      throw wrong(key, `"${key}" of "${name}" holds what no header can hold`)
    }
  }
  for (const [header, value] of Object.entries(configured)) set('headers', header, value)
  switch (auth?.type) {
    case undefined:
      break
    case 'api-key':
      set('auth', auth.header, auth.value)
      break
    case 'bearer': {
      const token = auth.token?.trim().replace(/^bearer\s+/i, '')
      if (!token || /\s/.test(token)) throw wrong('auth', `"auth" of "${name}" needs a "token" without white space`)
      set('auth', 'authorization', `Bearer ${token}`)
      break
    }
    default:
      throw wrong('auth', `"auth" of type "${auth?.type}" is not offered by the gateway; use "bearer" or "api-key"`)
  }
  return headers
}
