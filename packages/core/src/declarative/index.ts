/**
 * Servers and tools that files declare: text goes in, text comes out, and no runtime's file system or environment is
 * touched.
 */
export { type ActionSource, readActions, type ToolAction } from './actions-file.js'
export { parseAddCommand } from './add-command.js'
export { type ResolveAgentOptions, type ResolvedAgent, resolveAgent } from './agent.js'
export { type DeclaredServer, type OpenServersOptions, openServers } from './open-servers.js'
export { type RunActionsOptions, runActions } from './run-actions.js'
export type { FileServer, StdioServer } from './server-entry.js'
export { registerServer, type ServerMap, toServerMap } from './server-map.js'
export { type ReadServersOptions, readInputs, readServers, type ServerInput, type ServersFile } from './servers-file.js'
export type { VariableSources } from './variables.js'
export { type WriteServersOptions, writeServers } from './write-servers.js'
