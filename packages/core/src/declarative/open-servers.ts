import type { McpClient } from '../client.js'
import type { ConnectOptions } from '../config.js'
import { ConfigError, McpError, withDetails } from '../errors.js'
import type { ServerSource } from '../toolset/server-source.js'
import type { ConnectAllOptions, Toolset } from '../toolset/toolset.js'
import { createLazyClient } from './lazy-client.js'
import type { StdioServer } from './server-entry.js'

/** A server to be opened, or a client that is open already. */
export type DeclaredServer = ServerSource | StdioServer

export interface OpenServersOptions extends ConnectAllOptions {
  /** `connectAll` of `@x/core` or of `@x/web`, or a host's. */
  connectAll(servers: Record<string, ServerSource>, options?: ConnectAllOptions): Promise<Toolset>
  /** Starts commands: `connect` of `@x/core/stdio`. Without it, servers that are commands fail, and the others don't. */
  stdio?(server: StdioServer & { name: string }, options: ConnectOptions): Promise<McpClient>
}

/**
 * Opens servers as {@link readServers} gives them, as `connectAll` does: one that can't be opened has its error in
 * `servers[name].state.error`, and takes no other down.
 *
 * @returns A set that closes what was opened for it, the commands among it.
 * @throws As `connectAll`.
 */
export async function openServers(
  servers: Readonly<Record<string, DeclaredServer>>,
  { connectAll, stdio, ...options }: OpenServersOptions,
): Promise<Toolset> {
  const commands = new Map<string, McpClient>()
  const sources = Object.entries(servers).map(([name, server]): [string, ServerSource] => {
    if (!isStdioServer(server)) return [name, server]
    const open = (signal: AbortSignal) => openCommand({ name, ...server }, stdio, hooksFor(name, options, signal))
    const client = createLazyClient(name, open, options.signal)
    commands.set(name, client)
    return [name, client]
  })
  const closeCommands = () => Promise.all([...commands.values()].map((client) => client.close()))
  try {
    const toolset = await connectAll(Object.fromEntries(sources), options)
    return withCommands(toolset, commands)
  } catch (error) {
    await closeCommands()
    throw error
  }
}

export function isStdioServer(server: DeclaredServer): server is StdioServer {
  return typeof server === 'object' && 'command' in server
}

/** What of a set's options is a single server's. */
function hooksFor(name: string, options: ConnectAllOptions, signal: AbortSignal): ConnectOptions {
  const {
    settleMs: _,
    filter: _filter,
    prefix: _prefix,
    appTools: _appTools,
    approve: _approve,
    pins: _pins,
    onEvent,
    ...hooks
  } = options
  return { ...hooks, signal, ...(onEvent && { onEvent: (event) => onEvent(event, name) }) }
}

async function openCommand(
  server: StdioServer & { name: string },
  stdio: OpenServersOptions['stdio'],
  options: ConnectOptions,
): Promise<McpClient> {
  const { name } = server
  const refuse = (message: string, key: string) => new ConfigError(message, { data: { server: name, key } })
  if (!stdio)
    throw refuse(
      `The server "${name}" is a command, which can't be started here: give "stdio", the connect of @x/core/stdio`,
      'stdio',
    )
  if (server.envFile !== undefined)
    throw refuse(
      `The server "${name}" has an "envFile", which is not read here: put its variables into "env"`,
      'envFile',
    )
  try {
    return await stdio(server, options)
  } catch (error) {
    throw McpError.is(error) ? withDetails(error, { server: name }) : error
  }
}

/** The set, with the commands that it did not open itself as its own. */
function withCommands(toolset: Toolset, commands: Map<string, McpClient>): Toolset {
  async function close(): Promise<void> {
    await toolset.close()
    await Promise.all([...commands.values()].map((client) => client.close()))
  }
  return Object.create(toolset, {
    close: { value: close },
    [Symbol.asyncDispose]: { value: close },
    remove: {
      async value(name: string) {
        await toolset.remove(name)
        await commands.get(name)?.close()
        commands.delete(name)
      },
    },
  }) as Toolset
}
