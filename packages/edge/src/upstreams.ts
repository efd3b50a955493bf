import { createHost, type McpConnection, TimeoutError, type Toolset } from '@x/core'
import { createToolset, onAbort } from '@x/core/client'
import type { Upstream } from './options.js'

/** Connections to upstreams, for one request: in a Worker no stream of one request may be used in another. */
export interface Upstreams {
  readonly toolset: Toolset
  /**
   * Connects, and resolves when each is ready or has failed, or after `withinMs`.
   *
   * @returns What failed or is late, by server.
   * @throws The signal's reason when the caller leaves.
   */
  connect(names: string[], withinMs?: number): Promise<Map<string, unknown>>
  close(): Promise<void>
}

/** @param signal - Fires when the caller leaves. */
export function createUpstreams(servers: Record<string, Upstream>, signal: AbortSignal): Upstreams {
  const calls = createCallWatch()
  // Without the signal: it would close the connection of a call before its server is told that the caller has left.
  const open: Parameters<typeof createToolset>[0] = async (config, options, name) => {
    const { fetch } = servers[name]!
    const connection = await createHost(fetch && { fetch }).open(config, options, name)
    calls.watch(connection)
    return connection
  }
  // Which tools are a server's own app's, the caller's client decides: it has the model.
  const toolset = createToolset(open, { appTools: true })

  async function add(name: string, failures: Map<string, unknown>): Promise<void> {
    const { fetch: _, ...config } = servers[name]!
    try {
      await toolset.add(name, config)
      failures.delete(name)
    } catch (error) {
      failures.set(name, error)
    }
  }

  return {
    toolset,
    async connect(names, withinMs) {
      const failures = new Map(names.map((name): [string, unknown] => [name, late(name, withinMs)]))
      let timer: ReturnType<typeof setTimeout> | undefined
      let stopWaiting = () => {}
      try {
        await new Promise<void>((resolve, reject) => {
          stopWaiting = onAbort(signal, () => reject(signal.reason))
          if (withinMs !== undefined) timer = setTimeout(resolve, withinMs)
          void Promise.all(names.map((name) => add(name, failures))).then(() => resolve())
        })
      } finally {
        clearTimeout(timer)
        stopWaiting()
      }
      return new Map(failures)
    },
    async close() {
      if (signal.aborted) await calls.ended()
      await toolset.close()
    },
  }
}

/**
 * Knows when calls have ended on the wire. One that is aborted rejects at once, and ends when its server was told: an
 * earlier revision's by a request of its own, which closing the connection would cut.
 */
function createCallWatch() {
  const running = new Set<number>()
  const waiting = new Set<() => void>()
  return {
    watch(connection: McpConnection): void {
      connection.listen({ wire: 'headers' }, (event) => {
        if (event.type !== 'wire') return
        if (event.phase === 'request' && event.method === 'tools/call') running.add(event.exchange)
        if (event.phase === 'end') running.delete(event.exchange)
        if (running.size === 0) for (const resolve of waiting) resolve()
      })
    },
    async ended(): Promise<void> {
      if (running.size > 0) await new Promise<void>((resolve) => waiting.add(resolve))
    },
  }
}

function late(server: string, limit = 0): TimeoutError {
  return new TimeoutError(`The server "${server}" was not ready within ${limit} ms`, {
    data: { server, limit, outcome: 'not-run' },
  })
}
