import type { McpClient } from './client.js'
import type { ConnectOptions, Runtime, ServerConfig } from './config.js'
import { createHostFrom, type Host } from './host.js'
import { createInProcessPort } from './in-process-port.js'
import type { ServerSource } from './toolset/server-source.js'
import type { ConnectAllOptions, Toolset } from './toolset/toolset.js'

/**
 * A host whose connections live in this process.
 *
 * @param runtime - What to use instead of the global `fetch`, clock and timers.
 */
export function createHost(runtime?: Partial<Runtime>): Host {
  return createHostFrom(createInProcessPort(runtime))
}

/**
 * Connects to one server, in this process.
 *
 * @param server - The URL of the MCP endpoint, or a configuration.
 * @param options - Hooks of the app, and a signal that closes the connection.
 * @returns A client whose calls can be made at once.
 * @throws {ConfigError} `ERR_MCP_CONFIG`, {@link ConnectError} `ERR_MCP_CONNECT`, {@link CorsError} `ERR_MCP_CORS`,
 *   {@link UnauthorizedError} `ERR_MCP_UNAUTHORIZED`, {@link HttpError} `ERR_MCP_HTTP`,
 *   {@link InvalidResponseError} `ERR_MCP_INVALID_RESPONSE`, {@link TimeoutError} `ERR_MCP_TIMEOUT`.
 * @throws The caller's `signal.reason` when aborted.
 */
export function connect(server: string | URL | ServerConfig, options?: ConnectOptions): Promise<McpClient> {
  return createHost().connect(server, options)
}

/**
 * Connects to many servers and gives their tools as one live list. Resolves when each is ready or has failed, or after
 * `settleMs`; never rejects because of a server: `servers[name].state.error` says why its tools are missing.
 *
 * @param servers - Configurations or open clients by name; the names begin the tools' names.
 */
export function connectAll(servers: Record<string, ServerSource>, options?: ConnectAllOptions): Promise<Toolset> {
  return createHost().connectAll(servers, options)
}
