import {
  type ConnectAllOptions,
  type ConnectOptions,
  connectAllBy,
  connectBy,
  type HostPort,
  type McpClient,
  type ServerConfig,
  type ServerSource,
  type Toolset,
} from '@x/core/client'
import { createWorkerPort } from './host.js'

export type * from '@x/core'
export {
  AuthorizationError,
  ConfigError,
  ConnectError,
  CorsError,
  createRestStore,
  DeniedError,
  DisconnectedError,
  estimateTokens,
  HostError,
  HttpError,
  InputRequiredError,
  InvalidResponseError,
  JsonRpcError,
  localTools,
  McpError,
  OutcomeUnknownError,
  ProtocolVersionError,
  structured,
  TimeoutError,
  TooLargeError,
  ToolError,
  ToolNameError,
  toModelOutput,
  UnauthorizedError,
} from '@x/core/client'
export { createHost, type WebHost, type WebHostOptions } from './host.js'
export type { HostWorker } from './worker-link.js'

let shared: HostPort | undefined

/** One worker for all that a page connects without a host of its own. */
const sharedPort = () => {
  shared ??= createWorkerPort()
  return shared
}

/**
 * Connects to one server, in a worker that needs no configuration.
 *
 * @param server - The URL of the MCP endpoint, which may be relative to the page; or a configuration.
 * @param options - Hooks of the app, which run in the page, and a signal that closes the connection.
 * @returns A client whose calls can be made at once.
 * @throws {HostError} `ERR_MCP_HOST` when the worker does not load; otherwise as `connect` of `@x/core`.
 */
export function connect(server: string | URL | ServerConfig, options?: ConnectOptions): Promise<McpClient> {
  return connectBy(sharedPort(), server, options)
}

/**
 * Connects to many servers, in one worker, and gives their tools as one live list.
 *
 * @param servers - Configurations or open clients by name; the names begin the tools' names.
 * @see `connectAll` of `@x/core`
 */
export function connectAll(servers: Record<string, ServerSource>, options?: ConnectAllOptions): Promise<Toolset> {
  return connectAllBy(sharedPort(), servers, options)
}
