import { type ConnectOptions, createHost, type McpConnection, type Runtime } from '@x/core'
import { fromErrorData, toErrorData } from '@x/core/client'
import * as Comlink from 'comlink'
import { type HookName, type HostApi, type HostMessage, hostProtocol, type Outcome } from './host-protocol.js'

export interface ServeOptions {
  /** What the connections use instead of the worker's own `fetch`, clock and timers. */
  runtime?: Partial<Runtime>
  /** Where the page listens. Default: the worker's own scope; in a shared worker, each page that connects. */
  port?: MessagePort
}

/**
 * Serves connections to the page at the other end. A worker's script that needs no options imports `@x/web/worker`
 * instead.
 */
export function serve({ runtime = {}, port }: ServeOptions = {}): void {
  const scope = globalThis as unknown as Comlink.Endpoint & { onconnect?: unknown }
  if (port) attach(port, runtime)
  else if (!('onconnect' in scope)) attach(scope, runtime)
  else scope.addEventListener('connect', (event) => attach((event as MessageEvent).ports[0]!, runtime))
}

function attach(endpoint: Comlink.Endpoint, runtime: Partial<Runtime>): void {
  const host = createHost(runtime)
  const connections = new Map<number, McpConnection>()
  const aborts = new Map<number, AbortController>()
  const calls = new Map<number, AbortController>()
  const listeners = new Map<number, () => void>()
  const hooks = new Map<number, (outcome: Outcome<unknown>) => void>()
  let lastHook = 0

  const post = (message: HostMessage) => endpoint.postMessage(message)

  function callHook(connection: number, name: HookName, argument: unknown): Promise<never> {
    const hook = ++lastHook
    post({ x: 'hook', hook, connection, name, argument })
    return new Promise((resolve, reject) => {
      hooks.set(hook, (outcome) =>
        outcome.ok ? resolve(outcome.value as never) : reject(fromErrorData(outcome.error)),
      )
    })
  }

  /** Runs one call under its id, so that `cancel` reaches it. */
  async function run<Value>(call: number, work: (signal: AbortSignal) => Promise<Value>): Promise<Outcome<Value>> {
    const abort = new AbortController()
    calls.set(call, abort)
    try {
      return await settle(work(abort.signal))
    } finally {
      calls.delete(call)
    }
  }

  const forget = (connection: number) => {
    connections.delete(connection)
    aborts.delete(connection)
  }

  const connectionOf = (connection: number): McpConnection => {
    const found = connections.get(connection)
    if (!found) throw new Error(`The worker has no connection ${connection}`)
    return found
  }

  const api: HostApi = {
    hello,
    async open(connection, config, name, hookNames, wantsEvents) {
      const abort = new AbortController()
      aborts.set(connection, abort)
      const options: ConnectOptions = {
        signal: abort.signal,
        ...(wantsEvents && { onEvent: (event) => post({ x: 'connection-event', connection, event }) }),
      }
      for (const hook of hookNames) options[hook] = (argument) => callHook(connection, hook, argument)
      const outcome = await settle(host.open(config, options, name))
      if (!outcome.ok) {
        forget(connection)
        return outcome
      }
      connections.set(connection, outcome.value)
      outcome.value.listen({ state: true }, (event) => {
        if (event.type !== 'state') return
        if (event.state.status === 'closed') forget(connection)
        post({ x: 'state', connection, state: event.state })
      })
      return { ok: true, value: outcome.value.state }
    },
    async request(connection, call, method, params, { wantsProgress, ...options }) {
      const outcome = await run(call, async (signal) =>
        connectionOf(connection).request(method, params as never, {
          ...options,
          signal,
          ...(wantsProgress && { onProgress: (progress) => post({ x: 'progress', call, progress }) }),
        }),
      )
      return Comlink.transfer(outcome, outcome.ok ? buffersOf(outcome.value) : [])
    },
    authorize: (connection, call) => run(call, async (signal) => connectionOf(connection).authorize({ signal })),
    cancel: (call) => calls.get(call)?.abort(),
    abort: (connection) => aborts.get(connection)?.abort(),
    listen(connection, listener, filter) {
      listeners.set(
        listener,
        connectionOf(connection).listen(filter, (event) => post({ x: 'event', listener, event })),
      )
    },
    unlisten(listener) {
      listeners.get(listener)?.()
      listeners.delete(listener)
    },
    close: (connection) => settle(connections.get(connection)?.close() ?? Promise.resolve()),
    signOut: (server) => settle(host.signOut(server)),
    answer(hook, outcome) {
      hooks.get(hook)?.(outcome)
      hooks.delete(hook)
    },
  }
  Comlink.expose(api, endpoint)
  // A page that went away takes its connections along; only a port tells, and not in every engine.
  endpoint.addEventListener('close', () => void host.close())
}

/** A lock that is held for as long as this worker lives: its release is the only sign of a worker's death. */
let lock: Promise<string | undefined> | undefined

async function hello() {
  lock ??= holdLock()
  const name = await lock
  return { protocol: hostProtocol, ...(name && { lock: name }) }
}

function holdLock(): Promise<string | undefined> {
  const { locks } = (globalThis.navigator ?? {}) as { locks?: LockManager }
  if (!locks) return Promise.resolve(undefined)
  const name = `x-host-${crypto.randomUUID()}`
  return new Promise((resolve) => {
    locks
      .request(name, () => {
        resolve(name)
        return new Promise(() => {})
      })
      // Not allowed in this context: the page does without.
      .catch(() => resolve(undefined))
  })
}

async function settle<Value>(work: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work }
  } catch (error) {
    return { ok: false, error: toErrorData(error) }
  }
}

/** The buffers of a result's binary content: handed over to the page, not copied. */
function buffersOf(result: unknown): ArrayBuffer[] {
  const { content, contents, messages } = result as { [key: string]: unknown[] | undefined }
  const parts = [...(content ?? []), ...(contents ?? []), ...(messages ?? [])]
  return parts.flatMap((part) => {
    const block = (part as { content?: unknown }).content ?? part
    const { data, blob, resource } = block as { data?: unknown; blob?: unknown; resource?: { blob?: unknown } }
    const bytes = data ?? blob ?? resource?.blob
    return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : []
  })
}
