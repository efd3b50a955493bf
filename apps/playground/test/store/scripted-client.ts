import type { CallToolResult, ConnectionEvent, ConnectionState, McpClient, RequestOptions, Tool } from '@x/web'

/** What a test makes a connection do. */
export interface ClientScript {
  state?: ConnectionState
  tools?: () => Promise<Tool[]>
  call?: (name: string, options: RequestOptions) => Promise<CallToolResult>
}

/** A client whose answers a test gives, and whose events it sends. */
export function createScriptedClient(script: ClientScript = {}) {
  const ready: ConnectionState = {
    status: 'ready',
    server: {
      name: 'scripted',
      version: '1',
      era: 'modern',
      protocolVersion: '2026-07-28',
      transport: 'streamable-http',
      capabilities: { tools: {} },
    },
  }
  const listeners = new Set<(event: ConnectionEvent) => void>()
  let closed = 0
  const client = {
    state: script.state ?? ready,
    listen: (_filter: unknown, listener: (event: ConnectionEvent) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    listTools: script.tools ?? (async () => []),
    callTool: (name: string, _args: unknown, options: RequestOptions) =>
      script.call?.(name, options) ?? Promise.resolve({ content: [], findings: [] }),
    close: async () => {
      closed += 1
    },
  }
  return {
    client: client as unknown as McpClient,
    emit: (event: ConnectionEvent) => {
      for (const listener of listeners) listener(event)
    },
    closed: () => closed,
  }
}
