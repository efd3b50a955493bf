export type { McpClient } from './client.js'
export type {
  AssertionRequest,
  AuthConfig,
  AuthorizationRequest,
  AuthorizationResponse,
  ConnectOptions,
  KeyValueStore,
  Runtime,
  ServerConfig,
  TokenStore,
} from './config.js'
export type * from './connection.js'
export type { ContentBudget, ModelOutputOptions } from './content/model-options.js'
export { toModelOutput } from './content/model-output.js'
export { createRestStore, type Rest, type RestPiece, type RestStore } from './content/rest-store.js'
export { estimateTokens } from './content/tokens.js'
export {
  AuthorizationError,
  ConfigError,
  type ConnectAttempt,
  ConnectError,
  CorsError,
  DeniedError,
  DisconnectedError,
  type ErrorCode,
  type ErrorData,
  type ErrorDetails,
  HostError,
  HttpError,
  InputRequiredError,
  InvalidResponseError,
  JsonRpcError,
  McpError,
  OutcomeUnknownError,
  ProtocolVersionError,
  TimeoutError,
  TooLargeError,
  ToolError,
  ToolNameError,
  UnauthorizedError,
} from './errors.js'
export type { Host } from './host.js'
export { connect, connectAll, createHost } from './in-process.js'
export type * from './protocol.js'
export type { ToolHandle, ToolHints } from './toolset/tools.js'
export type { ConnectAllOptions, ServerSource, ServerState, Toolset } from './toolset/toolset.js'
