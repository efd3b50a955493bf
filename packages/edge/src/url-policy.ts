import { ConfigError } from '@x/core'
import { Refusal } from './refusal.js'

/** What a server may be called: a segment of a path that needs no encoding, and the beginning of tools' names. */
const legalName = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** @throws {ConfigError} `ERR_MCP_CONFIG` */
export function checkServerName(name: string): void {
  if (!legalName.test(name))
    throw new ConfigError(
      `The server name ${JSON.stringify(name)} must begin with a letter or digit and hold only letters, digits, - and _`,
      { data: { key: 'servers', server: name } },
    )
}

/**
 * The public URL without a slash at its end.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG`
 */
export function checkPublicUrl(value: string): string {
  const url = toHttpUrl(value)
  if (!url || url.search || url.hash)
    throw new ConfigError('"publicUrl" must be an absolute http or https URL without query, fragment and user name', {
      data: { key: 'publicUrl' },
    })
  return url.href.replace(/\/+$/, '')
}

/** @throws {ConfigError} `ERR_MCP_CONFIG` */
export function checkUpstreamUrl(server: string, value: string): void {
  if (!toHttpUrl(value))
    throw new ConfigError(
      `"url" of "${server}" must be an absolute http or https URL without user name; use "auth" or "headers"`,
      { data: { key: 'url', server } },
    )
}

function toHttpUrl(value: string): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined
}

/**
 * The upstream of that name. Upstreams are fixed by configuration: a name is looked up, and never read as a URL.
 *
 * @throws {Refusal} 404
 */
export function findServer<Server>(servers: Record<string, Server>, name: string, publicUrl: string): Server {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (!server) throw notFound(publicUrl)
  return server
}

/**
 * A query could only mean to name an upstream, or carry a credential into logs.
 *
 * @throws {Refusal} 400
 */
export function refuseQuery(request: Request): void {
  if (new URL(request.url).search)
    throw new Refusal(400, 'ERR_GATEWAY_QUERY', 'The gateway takes no query: its upstreams are fixed by configuration')
}

export function notFound(publicUrl: string): Refusal {
  return new Refusal(
    404,
    'ERR_GATEWAY_NOT_FOUND',
    `Nothing is served here; MCP endpoints are ${publicUrl}/mcp and ${publicUrl}/servers/<name>/mcp`,
  )
}
