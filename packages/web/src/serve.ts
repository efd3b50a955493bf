import type { AuthorizationRequest, AuthorizationResponse, ConnectOptions, McpConnection, Runtime } from '@x/core'
import { closedError, fromErrorData, HostError, toErrorData } from '@x/core/client'
import { createInProcessPort } from '@x/core/port'
import * as Comlink from 'comlink'
import { type HookName, type HostApi, type HostMessage, hostProtocol, type Outcome } from './host-protocol.js'
import { ownCalls } from './own-calls.js'

export interface ServeOptions {
  /** What the connections use instead of the worker's own `fetch`, clock and timers. */
  runtime?: Partial<Runtime>
  /** Where the page listens. Default: the worker's own scope; in a shared worker, each page that connects. */
  port?: MessagePort
}

/**
 * Serves connections to the page at the other end. A worker's script that needs no options imports `@x/web/worker`
 * instead.
 *
 * @throws {HostError} `ERR_MCP_HOST` without `port` where there is no page at the other end.
 */
export function serve({ runtime = {}, port }: ServeOptions = {}): void {
  const scope = globalThis as unknown as Comlink.Endpoint & { onconnect?: unknown }
  if (port) attach(port, runtime)
  else if ('onconnect' in scope)
    scope.addEventListener('connect', (event) => attach((event as MessageEvent).ports[0]!, runtime))
  // In a window it would serve every frame that can send it a message.
  else if (!('postMessage' in scope) || 'document' in scope)
    throw new HostError('"@x/web/worker" is the script of a Web Worker and does nothing elsewhere', {
      data: { phase: 'load' },
    })
  else attach(scope, runtime)
}

/** A connection as the worker knows it, from the moment it begins to open. */
interface Served {
  abort: AbortController
  connection?: McpConnection
  listeners: Map<number, () => void>
}

function attach(endpoint: Comlink.Endpoint, runtime: Partial<Runtime>): void {
  const waking = new Set<() => void>()
  const leaving = new Set<() => void>()
  // A worker is not told what becomes of its page: the page tells.
  const host = createInProcessPort({ wake: listenersIn(waking), leave: listenersIn(leaving), ...runtime })
  const served = new Map<number, Served>()
  const calls = new Map<number, AbortController>()
  const hooks = new Map<number, (outcome: Outcome<unknown>) => void>()
  let lastHook = 0

  const post = (message: HostMessage) => endpoint.postMessage(message)

  function callHook(connection: number, name: HookName, argument: unknown): { hook: number; answered: Promise<never> } {
    const hook = ++lastHook
    post({ x: 'hook', hook, connection, name, argument })
    const answered = new Promise<never>((resolve, reject) => {
      hooks.set(hook, (outcome) =>
        outcome.ok ? resolve(outcome.value as never) : reject(fromErrorData(outcome.error)),
      )
    })
    return { hook, answered }
  }

  /** A promise doesn't cross: what it settles with follows the call. */
  function callAuthorize(connection: number, request: Promise<AuthorizationRequest>): Promise<AuthorizationResponse> {
    const { hook, answered } = callHook(connection, 'authorize', undefined)
    void settle(request).then((outcome) => post({ x: 'authorization-request', connection, hook, outcome }))
    return answered
  }

  /** Runs one call under its number, so that `cancel` reaches it. */
  async function run<Value>(call: number, work: (signal: AbortSignal) => Promise<Value>): Promise<Outcome<Value>> {
    const abort = new AbortController()
    calls.set(call, abort)
    try {
      return await settle(work(abort.signal))
    } finally {
      calls.delete(call)
    }
  }

  const api: HostApi = {
    hello,
    async open(connection, config, name, hookNames, wantsEvents, signIn = 'on-demand') {
      const entry: Served = { abort: new AbortController(), listeners: new Map() }
      served.set(connection, entry)
      const options: ConnectOptions = {
        signal: entry.abort.signal,
        signIn,
        ...(wantsEvents && {
          onEvent(event) {
            if (event.type !== 'state') post({ x: 'connection-event', connection, event })
          },
        }),
      }
      for (const hook of hookNames) {
        if (hook === 'authorize') options.authorize = (request) => callAuthorize(connection, request)
        else options[hook] = (argument: unknown) => callHook(connection, hook, argument).answered
      }
      const outcome = await settle(host.open(config, options, name))
      if (!outcome.ok) {
        served.delete(connection)
        return outcome
      }
      entry.connection = outcome.value
      outcome.value.listen({ state: true }, (event) => {
        if (event.type !== 'state') return
        if (event.state.status === 'closed') served.delete(connection)
        post({ x: 'state', connection, state: event.state })
      })
      return { ok: true, value: outcome.value.state }
    },
    async request(connection, call, method, params, { wantsProgress, cancellable, ...options }) {
      const send = async (signal?: AbortSignal) => {
        const open = served.get(connection)?.connection
        // It closed while the page's request was on its way.
        if (!open) throw closedError(undefined, method, params as object)
        return open.request(method, params as never, {
          ...options,
          ...(signal && { signal }),
          ...(wantsProgress && { onProgress: (progress) => post({ x: 'progress', connection, call, progress }) }),
        })
      }
      const outcome = await (cancellable ? run(call, send) : settle(send()))
      return Comlink.transfer(outcome, outcome.ok ? buffersOf(outcome.value) : [])
    },
    authorize: (connection, call) =>
      run(call, async (signal) => {
        const open = served.get(connection)?.connection
        if (!open) throw closedError(undefined, 'authorize', {})
        return open.authorize({ signal })
      }),
    cancel: (call) => calls.get(call)?.abort(),
    abort: (connection) => served.get(connection)?.abort.abort(),
    listen(connection, listener, filter) {
      const entry = served.get(connection)
      // States the page tells by itself; what else goes by that filter comes from here.
      const stop = entry?.connection?.listen(filter, (event) => {
        if (event.type !== 'state') post({ x: 'event', connection, listener, event })
      })
      if (stop) entry?.listeners.set(listener, stop)
    },
    unlisten(connection, listener) {
      const listeners = served.get(connection)?.listeners
      listeners?.get(listener)?.()
      listeners?.delete(listener)
    },
    async close(connection) {
      const entry = served.get(connection)
      if (entry?.connection) return settle(entry.connection.close())
      entry?.abort.abort()
      return { ok: true, value: undefined }
    },
    wake: () => tell(waking),
    leave: () => tell(leaving),
    signOut: (server) => settle(host.signOut(server)),
    answer(hook, outcome) {
      hooks.get(hook)?.(outcome)
      hooks.delete(hook)
    },
  }
  Comlink.expose(api, ownCalls(endpoint, api))
  // A page that went away takes its connections along; only a port tells, and not in every engine.
  endpoint.addEventListener('close', () => {
    for (const { abort } of served.values()) abort.abort()
  })
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

const listenersIn = (listeners: Set<() => void>) => (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function tell(listeners: Set<() => void>): void {
  for (const listener of [...listeners]) listener()
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
  const { content, contents, messages, bytes: file } = objectOf(result)
  const parts = [content, contents, messages, [{ data: file }]].flatMap((list) => (Array.isArray(list) ? list : []))
  return parts.flatMap((part) => {
    const block = objectOf(objectOf(part).content ?? part)
    const bytes = block.data ?? block.blob ?? objectOf(block.resource).blob
    return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : []
  })
}

function objectOf(value: unknown): { [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {}
}
