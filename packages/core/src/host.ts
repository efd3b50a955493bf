import { createClient, type McpClient } from './client.js'
import { type ConnectOptions, type ServerConfig, toServerConfig } from './config.js'
import type { McpConnection } from './connection.js'
import { ConfigError } from './errors.js'
import type { ServerSource } from './toolset/server-source.js'
import { type ConnectAllOptions, checkPrefix, createToolset, type Toolset } from './toolset/toolset.js'

/** What opens connections: in this process, or in a worker. */
export interface Host {
  /**
   * Opens a connection: the port alone, without MCP's methods around it.
   *
   * @param name - What errors and hooks call the server. Default: its URL.
   * @throws As {@link Host.connect}.
   */
  open(config: ServerConfig, options?: ConnectOptions, name?: string): Promise<McpConnection>
  /** @see {@link connect} */
  connect(server: string | URL | ServerConfig, options?: ConnectOptions): Promise<McpClient>
  /** @see {@link connectAll} */
  connectAll(servers: Record<string, ServerSource>, options?: ConnectAllOptions): Promise<Toolset>
  /** Forgets the credentials of one server, or of all. */
  signOut(server?: string): Promise<void>
  /** Closes every connection that this host opened. */
  close(): Promise<void>
}

/** All that distinguishes one host from another. */
export interface HostPort {
  open(config: ServerConfig, options: ConnectOptions, name?: string): Promise<McpConnection>
  signOut(server?: string): Promise<void>
  close(): Promise<void>
  setTimer(ms: number, run: () => void): () => void
}

/** Milliseconds that `connectAll` waits for slow servers. */
const defaultSettleMs = 3_000
/** A longer timer fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** The public face of a host, the same for each. */
export function createHostFrom(port: HostPort): Host {
  return {
    open: (config, options = {}, name) => port.open(config, options, name),
    connect: (server, options) => connectBy(port, server, options),
    connectAll: (servers, options) => connectAllBy(port, servers, options),
    signOut: port.signOut,
    close: port.close,
  }
}

// Functions of their own, so that an app which connects to one server does not load the tool set.

/** {@link Host.connect} of a host with this port. */
export async function connectBy(
  port: HostPort,
  server: string | URL | ServerConfig,
  options: ConnectOptions = {},
): Promise<McpClient> {
  return createClient(await port.open(toServerConfig(server), options))
}

/** {@link Host.connectAll} of a host with this port. */
export async function connectAllBy(
  port: HostPort,
  servers: Record<string, ServerSource>,
  options: ConnectAllOptions = {},
): Promise<Toolset> {
  const { signal, settleMs = defaultSettleMs } = options
  const sources = Object.entries(servers)
  if (!(settleMs >= 0))
    throw new ConfigError('"settleMs" must be a number of at least 0', { data: { key: 'settleMs' } })
  checkPrefix(options, sources.length)
  signal?.throwIfAborted()
  const toolset = createToolset(port.open, options, port.setTimer)
  // What fails is told by the server's state: one dead server must not take the others down.
  const settled = Promise.allSettled(sources.map(([name, source]) => toolset.add(name, source)))
  let cancelTimer = () => {}
  const late = new Promise<void>((resolve) => {
    cancelTimer = port.setTimer(Math.min(settleMs, longestTimerMs), resolve)
  })
  await Promise.race([settled, late])
  cancelTimer()
  if (signal?.aborted) {
    await toolset.close()
    throw signal.reason
  }
  return toolset
}
