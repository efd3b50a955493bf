import type { JsonRpcMessage } from './json-rpc.js'

/** Which requests wait for progress: what comes of others is late or a mistake, and the engine makes an error of it. */
export interface ProgressGate {
  begin(request: JsonRpcMessage): void
  /** The request has its reply, or was given up. */
  end(id: unknown): void
  /** Whether a message may pass: any, but progress that nobody waits for. */
  passes(message: JsonRpcMessage): boolean
}

export function createProgressGate(): ProgressGate {
  /** By token as text: servers send it back as either. The engine's token is its request's id. */
  const waiting = new Set<string>()
  return {
    begin({ id, params }) {
      const meta = params?._meta as { progressToken?: unknown } | undefined
      if (meta?.progressToken !== undefined) waiting.add(String(id))
    },
    end(id) {
      waiting.delete(String(id))
    },
    passes: ({ method, params }) => method !== 'notifications/progress' || waiting.has(String(params?.progressToken)),
  }
}
