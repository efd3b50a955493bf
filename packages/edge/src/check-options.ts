import { ConfigError } from '@x/core'
import { checkOrigin } from './cors.js'
import type { Gateway, GatewayEvent, GatewayOptions } from './options.js'
import { upstreamHeaders } from './upstream-headers.js'
import { checkPublicUrl, checkServerName, checkUpstreamUrl } from './url-policy.js'

const minSecretLength = 32
const defaultLimits = { maxRequestBytes: 4 * 1024 * 1024, settleMs: 3_000 }

/**
 * Checks options and fills in their defaults.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` names the wrong key, and no value is in the message.
 */
export function checkOptions<E>(options: GatewayOptions<E>): Gateway<E> {
  const { secret, limits = {}, onFailure = 'open' } = options
  if (typeof options.authenticate !== 'function') throw wrong('authenticate', '"authenticate" must be a function')
  if (typeof secret !== 'string' || secret.length < minSecretLength)
    throw wrong('secret', `"secret" must have at least ${minSecretLength} characters`)
  if (onFailure !== 'open' && onFailure !== 'closed') throw wrong('onFailure', '"onFailure" must be "open" or "closed"')
  for (const [key, value] of Object.entries(limits))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      throw wrong(`limits.${key}`, `"limits.${key}" must be an integer of at least 1`)
  if (!Array.isArray(options.origins)) throw wrong('origins', '"origins" must be a list')
  for (const origin of options.origins) checkOrigin(origin)
  if (typeof options.servers !== 'object' || options.servers === null)
    throw wrong('servers', '"servers" must be an object')
  for (const [name, server] of Object.entries(options.servers)) {
    checkServerName(name)
    checkUpstreamUrl(name, server.url)
    upstreamHeaders(name, server)
  }
  return {
    ...options,
    publicUrl: checkPublicUrl(options.publicUrl),
    onFailure,
    limits: { ...defaultLimits, ...limits },
    report(event) {
      try {
        ;(options.onEvent ?? logFailure)(event)
      } catch (error) {
        // The app's own fault: no request may suffer from it.
        console.error(error)
      }
    },
  }
}

function logFailure(event: GatewayEvent): void {
  if (event.type !== 'failed') return
  const { server } = event
  console.error(`The gateway: failed in ${event.in}${server === undefined ? '' : ` "${server}"`}:`, event.error)
}

function wrong(key: string, message: string): ConfigError {
  return new ConfigError(message, { data: { key } })
}
