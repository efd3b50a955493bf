import type { ConnectOptions, Runtime, ServerConfig } from '../../src/config.js'
import type { RequestOptions } from '../../src/connection.js'
import type { CallToolResult, Tool } from '../../src/protocol.js'

/** A client that a field report is tried on: ours, or the SDK with its own transport. */
export interface Subject {
  connect(fetch: typeof globalThis.fetch, settings?: Settings): Promise<Connection>
}

/** The configuration of ours; the SDK's adapter takes from it what the SDK knows. */
export interface Settings extends Omit<Partial<ServerConfig>, 'headers'> {
  headers?: HeadersInit
  hooks?: ConnectOptions
  /** What the page tells of itself; the SDK does not ask. */
  runtime?: Partial<Runtime>
  /** The app wants to hear of changed lists: what a GET stream is for. The SDK always does. */
  listens?: true
}

export interface Connection {
  listTools(): Promise<Tool[]>
  /** The text of the result's first block. */
  callTool(name: string, args?: Record<string, string>, options?: RequestOptions): Promise<string>
  /** The result as the client gives it. */
  callForResult(name: string): Promise<CallToolResult>
  close(): Promise<void>
  /** What the app was told since it connected that sounds like trouble. */
  readonly told: string[]
  /** How many times the app was told that the list of tools has changed. */
  readonly listChanges: number
}

/** What a JSON-RPC error holds, wherever a client keeps it. */
export interface RpcError {
  code: unknown
  data: unknown
  message: string
}

export const url = 'https://server.example/mcp'
