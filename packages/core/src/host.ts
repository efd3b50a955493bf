import { createClient, type McpClient } from './client.js'
import { type ConnectOptions, type ServerConfig, toServerConfig } from './config.js'
import type { McpConnection } from './connection.js'
import { type ConnectAllOptions, createToolset, type ServerSource, type Toolset } from './toolset.js'

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

/** The public face of a host, the same for each. */
export function createHostFrom(port: HostPort): Host {
  return {
    open: (config, options = {}, name) => port.open(config, options, name),
    connect: async (server, options = {}) => createClient(await port.open(toServerConfig(server), options)),
    async connectAll(servers, options = {}) {
      const toolset = createToolset(port.open, options)
      const { signal, settleMs = defaultSettleMs } = options
      signal?.throwIfAborted()
      // What fails is told by the server's state: one dead server must not take the others down.
      const settled = Promise.allSettled(Object.entries(servers).map(([name, source]) => toolset.add(name, source)))
      let cancelTimer = () => {}
      const late = new Promise<void>((resolve) => {
        cancelTimer = port.setTimer(settleMs, resolve)
      })
      await Promise.race([settled, late])
      cancelTimer()
      if (signal?.aborted) {
        await toolset.close()
        throw signal.reason
      }
      return toolset
    },
    signOut: port.signOut,
    close: port.close,
  }
}
