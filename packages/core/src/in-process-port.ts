import { onAbort } from './abort.js'
import { createMemoryTokenStore } from './authorization/token-store.js'
import { type ConnectOptions, type Runtime, resolveConfig, type ServerConfig } from './config.js'
import type { McpConnection } from './connection.js'
import { closedError } from './errors.js'
import type { HostPort } from './host.js'
import { createMemoryStore } from './memory-store.js'

/**
 * Loads the protocol engine when the first connection needs it: importing this package has no effect, and costs nothing.
 * zod must be told not to generate code before the engine's schemas are made, or a strict CSP reports a violation.
 */
export async function loadSession(): Promise<typeof import('./session/session.js')> {
  const { forbidCodeGeneration } = await import('./zod-setup.js')
  forbidCodeGeneration()
  return import('./session/session.js')
}

/** The global `fetch`, clock and timers. */
export const globalRuntime: Omit<Runtime, 'tokenStore'> = {
  // Looked up at each call, and called unbound: a patched fetch is used, and browsers don't refuse it.
  fetch: (...args) => globalThis.fetch(...args),
  now: () => Date.now(),
  setTimer(ms, run) {
    // Past this setTimeout fires at once.
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}

/**
 * What opens connections in this process, without what is above the port: all that a worker needs.
 *
 * @param runtime - What to use instead of the global `fetch`, clock and timers.
 */
export function createInProcessPort(runtime: Partial<Runtime> = {}): HostPort {
  const used: Runtime = {
    ...globalRuntime,
    memory: createMemoryStore(),
    tokenStore: createMemoryTokenStore(),
    ...runtime,
  }
  const open = new Set<McpConnection>()
  const opening = new Map<AbortController, string>()
  const signOuts = new Set<(server: string | undefined) => void>()
  return {
    async open(config: ServerConfig, options: ConnectOptions, name?: string) {
      const resolved = resolveConfig(config, name)
      const abort = new AbortController()
      const stopWaiting = onAbort(options.signal, () => abort.abort(options.signal?.reason))
      opening.set(abort, resolved.name)
      try {
        const { openSession } = await loadSession()
        const connection = await openSession(resolved, { ...options, signal: abort.signal }, used, signOuts)
        const forgetClosed = () => {
          if (connection.state.status !== 'closed') return
          open.delete(connection)
          stopWaiting()
        }
        open.add(connection)
        connection.listen({ state: true }, forgetClosed)
        // Its stream may have broken between the handshake and here.
        forgetClosed()
        return connection
      } catch (error) {
        stopWaiting()
        throw error
      } finally {
        opening.delete(abort)
      }
    },
    async signOut(server) {
      // The sign-ins under way end first: what they bring would be kept.
      for (const forget of [...signOuts]) forget(server)
      // Loaded when it is needed, as all that connections are made of.
      const { forgetTokens } = await import('./authorization/sign-out.js')
      await forgetTokens(used, server)
    },
    async close() {
      for (const [abort, server] of opening) abort.abort(closedError(server, 'connect', {}))
      await Promise.all([...open].map((connection) => connection.close()))
    },
    setTimer: used.setTimer,
  }
}
