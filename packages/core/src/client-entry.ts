/**
 * All that is above the port, without the protocol engine: for hosts that run it elsewhere, as `@x/web` does.
 */
export { onAbort, untilAborted } from './abort.js'
export * from './client.js'
export {
  type AssertionRequest,
  type AuthConfig,
  type AuthorizationRequest,
  type AuthorizationResponse,
  type ConnectOptions,
  endpointName,
  type KeyValueStore,
  type Runtime,
  type ServerConfig,
  type TokenStore,
} from './config.js'
export * from './connection.js'
export type { ContentBudget, ModelOutputOptions } from './content/model-options.js'
export { toModelOutput } from './content/model-output.js'
export { createRestStore, type Rest, type RestPiece, type RestStore } from './content/rest-store.js'
export { estimateTokens } from './content/tokens.js'
export * from './errors.js'
export * from './host.js'
export * from './protocol.js'
export type { ToolHandle, ToolHints, ToolSelection } from './toolset/tools.js'
export * from './toolset/toolset.js'
