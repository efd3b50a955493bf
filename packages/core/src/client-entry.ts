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
export { type StandardIssue, type StandardResult, type StandardSchema, structured } from './content/structured.js'
export { estimateTokens } from './content/tokens.js'
export * from './errors.js'
export * from './host.js'
export * from './protocol.js'
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
export * from './toolset/toolset.js'
