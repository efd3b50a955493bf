import { endpointName } from '../config.js'
import { ConfigError } from '../errors.js'
import { quote } from './faults.js'
import { type DeclaredServer, isStdioServer } from './open-servers.js'

/**
 * The servers that agent files and actions may name: by `stdio://NAME`, or by URL. A file reaches none but these, so it
 * can't make anybody connect to a server of its own choice.
 */
export type ServerMap = Map<string, DeclaredServer>

/**
 * Puts a server under a key: `stdio://NAME`, or its URL.
 *
 * @param source - A configuration, a command, or an open client. Default: the URL itself.
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a key that is neither, or is there already.
 */
export function registerServer(servers: ServerMap, key: string, source?: DeclaredServer): void {
  const used = serverKey(key)
  const name = quote(serverName(key))
  const refuse = (message: string) => new ConfigError(message, { data: { key: serverName(key) } })
  if (used === undefined)
    throw refuse(`${name} is no key of a server: it must be "stdio://NAME", or an http or https URL`)
  if (servers.has(used)) throw refuse(`There is a server ${name} already`)
  const server = source ?? (used.startsWith('stdio:') ? undefined : used)
  if (server === undefined) throw refuse(`${name} needs a server: a command, a configuration or an open client`)
  servers.set(used, server)
}

/**
 * The servers of a file as a map for agent files: those with a URL under that, commands and open clients under
 * `stdio://NAME`.
 *
 * @param servers - As {@link readServers} gives them.
 * @throws {ConfigError} `ERR_MCP_CONFIG` where two have one URL: which credentials are meant is not to be guessed.
 */
export function toServerMap(servers: Readonly<Record<string, DeclaredServer>>): ServerMap {
  const map: ServerMap = new Map()
  for (const [name, server] of Object.entries(servers)) {
    if (isStdioServer(server)) registerServer(map, `stdio://${name}`, server)
    else if (typeof server === 'string' || server instanceof URL) registerServer(map, String(server), server)
    else if ('url' in server) registerServer(map, server.url, server)
    else registerServer(map, `stdio://${name}`, server)
  }
  return map
}

/** A key as the map has it: URLs that mean the same are the same. */
export function serverKey(text: string): string | undefined {
  if (/^stdio:\/\/[^\s]/.test(text)) return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** What errors call the server: of a URL neither the query nor who signs in, which may be secrets. */
export function serverName(key: string): string {
  if (/^https?:/i.test(key) && URL.canParse(key)) return endpointName(key)
  if (key.startsWith('stdio://')) return key
  // What is neither may well be a URL with a typing error in it.
  const shown = key.slice(key.lastIndexOf('@') + 1)
  return (shown === key ? '' : '…@') + shown.replace(/[?#].*/s, '?…')
}
