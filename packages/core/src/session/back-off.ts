import { delay } from '../abort.js'
import type { Unsubscribe } from '../connection.js'
import type { McpError } from '../errors.js'

/** Waits, longer each time, before what failed is tried again. */
export interface BackOff {
  /** @param atLeastMs - What the server asks for; counts up to a minute. */
  wait(signal: AbortSignal, atLeastMs?: number): Promise<void>
  /** It went well: the next wait is a short one again. */
  reset(): void
}

export interface BackOffOptions {
  firstMs: number
  longestMs: number
  setTimer(ms: number, run: () => void): () => void
  wake?: ((listener: () => void) => Unsubscribe) | undefined
}

const longestAskedMs = 60_000

export function createBackOff({ firstMs, longestMs, setTimer, wake }: BackOffOptions): BackOff {
  let waits = 0
  return {
    async wait(signal, atLeastMs = 0) {
      // Spread, so that the clients of a server that restarts don't all come at once.
      const ms = Math.min(firstMs * 2 ** waits++, longestMs) * (0.75 + Math.random() / 2)
      await delay(Math.max(ms, Math.min(atLeastMs, longestAskedMs)), signal, setTimer, wake)
    },
    reset() {
      waits = 0
    },
  }
}

const passing = new Set(['ERR_MCP_CONNECT', 'ERR_MCP_DISCONNECTED', 'ERR_MCP_INVALID_RESPONSE', 'ERR_MCP_TIMEOUT'])

const internalError = -32603

/** Whether the same request may succeed later on: nobody has refused it for good. */
export function isPassing({ code, data }: McpError): boolean {
  const { status = 0, rpcCode } = data
  if (code === 'ERR_MCP_JSONRPC') return rpcCode === internalError
  if (code === 'ERR_MCP_HTTP') return status === 408 || status === 429 || status >= 500 || data.reason === 'session'
  return passing.has(code)
}
