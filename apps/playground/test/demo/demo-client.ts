import type { CallToolResult, CompleteRequest, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import type { Era } from '../../demo/demo-server.js'
import { connectLegacy } from './legacy-client.js'
import { connectModern } from './modern-client.js'

export interface CallOptions {
  signal?: AbortSignal
  onProgress?(update: { progress: number; total?: number | undefined; message?: string | undefined }): void
}

export interface ClientHooks {
  /** Without it the client offers no elicitation. */
  elicit?(params: ElicitRequest['params']): ElicitResult
  onToolsChanged?(): void
  onLog?(level: string, data: unknown): void
}

/** What the tests read of a tool. */
export interface ListedTool {
  name: string
  title?: string | undefined
  description?: string | undefined
  annotations?: object | undefined
  inputSchema: { type: string }
}

/** What the tests ask of a client of either era; each is a real SDK's. */
export interface DemoClient {
  era: Era
  protocolVersion: string | undefined
  sessionId: string | undefined
  server: { name: string; title?: string | undefined; icons?: { src: string }[] | undefined } | undefined
  instructions: string | undefined
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallToolResult>
  toolPage(cursor?: string): Promise<{ tools: ListedTool[]; nextCursor?: string | undefined }>
  listResources(): Promise<{ uri: string; name: string }[]>
  listResourceTemplates(): Promise<{ uriTemplate: string }[]>
  readResource(uri: string): Promise<Record<string, unknown>[]>
  listPrompts(): Promise<{ name: string; arguments?: { name: string; required?: boolean | undefined }[] | undefined }[]>
  getPrompt(name: string, args?: Record<string, string>): Promise<{ role: string; content: { type: string } }[]>
  complete(params: CompleteRequest['params']): Promise<string[]>
  /** Resolves when the client hears of changes. */
  listening(): Promise<unknown>
  /** Legacy: DELETEs the session. */
  end(): Promise<void>
}

export const ERAS: readonly Era[] = ['modern', 'legacy']

/** Connects a real client of that era's SDK; it is closed when the test ends. */
export function connectDemo(era: Era, url: URL, hooks: ClientHooks = {}): Promise<DemoClient> {
  return era === 'modern' ? connectModern(url, hooks) : connectLegacy(url, hooks)
}
