import { createClient, type McpClient } from '../client.js'
import { type ConnectOptions, type ServerConfig, toServerConfig } from '../config.js'
import type { McpConnection } from '../connection.js'
import type { LocalTools } from './local-tools.js'

/** A server of a tool set: an address, a configuration, a client that is open already, or functions of the app. */
export type ServerSource = string | URL | ServerConfig | McpClient | LocalTools

/** Opens a connection, as a host does. */
export type Open = (config: ServerConfig, options: ConnectOptions, name: string) => Promise<McpConnection>
export type SetTimer = (ms: number, run: () => void) => () => void

/** A source, told apart. */
export interface Origin {
  /** Open already, and not the set's to close. */
  given?: McpClient
  /** What is said of it. Functions of the app are believed: the app says so itself. */
  config: Pick<ServerConfig, 'tools' | 'trusted'>
  open(options: ConnectOptions): Promise<McpClient>
}

export function toOrigin(name: string, source: ServerSource, open: Open, setTimer?: SetTimer): Origin {
  if (typeof source === 'object' && 'request' in source) return { given: source, config: {}, open: async () => source }
  if (typeof source === 'object' && 'openLocal' in source)
    return { config: { trusted: true }, open: async () => createClient(source.openLocal(name, setTimer)) }
  const config = toServerConfig(source)
  return { config, open: async (options) => createClient(await open(config, options, name)) }
}
