import { ConfigError } from '../errors.js'
import { networkZone } from './network-zone.js'

/**
 * Checks where a sign-in comes back to: https, or http on loopback. Schemes of an app's own can be claimed by any app.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG`, `data.key` is `auth`.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations}
 */
export function checkRedirectUrl(redirectUrl: string): URL {
  const refuse = (why: string): never => {
    throw new ConfigError(`"redirectUrl" in "auth" ${why}`, { data: { key: 'auth', reason: 'redirect-url' } })
  }
  if (!URL.canParse(redirectUrl)) return refuse('must be an absolute URL')
  const url = new URL(redirectUrl)
  const isLocal = url.protocol === 'http:' && isLoopback(url)
  if (url.protocol !== 'https:' && !isLocal)
    return refuse('must begin with https://, or with http:// on localhost: serve the app over https')
  // RFC 6749 3.1.2.
  if (redirectUrl.includes('#')) return refuse('must have no fragment')
  if (url.username || url.password) return refuse('must hold no user name or password')
  return url
}

export function isLoopback({ hostname }: URL): boolean {
  return networkZone(hostname) === 'loopback'
}
