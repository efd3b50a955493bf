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
export { type StandardIssue, type StandardResult, type StandardSchema, structured } from './content/structured.js'
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
export type { ApprovalAnswer, PendingCall } from './toolset/approval.js'
export type { DefinitionChange } from './toolset/definition-changes.js'
export type { ToolDefinition } from './toolset/fingerprint.js'
export type { ToolHints } from './toolset/hints.js'
export type { LocalResult } from './toolset/local-result.js'
export { type LocalTool, type LocalTools, localTools } from './toolset/local-tools.js'
export type { HeldTool, PinStore } from './toolset/pins.js'
export type { ServerSource } from './toolset/server-source.js'
export type { ServerState } from './toolset/set-server.js'
export type { ToolHandle, ToolSelection } from './toolset/tools.js'
export type { ConnectAllOptions, Toolset } from './toolset/toolset.js'
