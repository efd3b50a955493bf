import {
  ConfigError,
  type ConnectionEvent,
  type ConnectionState,
  type ConnectOptions,
  closedError,
  type ErrorDetails,
  type EventFilter,
  fromErrorData,
  type HostError,
  type McpConnection,
  McpError,
  type Method,
  type Methods,
  onAbort,
  type Progress,
  type RequestOptions,
  reportError,
  type ServerConfig,
  toErrorData,
  untilAborted,
  withDetails,
} from '@x/core/client'
import type { AskedSignIns } from './asked-sign-ins.js'
import { postCloneable } from './cloneable.js'
import { type HostMessage, hookNames, type Outcome } from './host-protocol.js'
import type { RemoteApi, WorkerLink } from './worker-link.js'

/** A connection as the page knows it. */
export interface PageConnection {
  /** What the app gets, once it is open. */
  readonly port: McpConnection
  /** @throws What `connect` throws; the caller's `signal.reason` when aborted. */
  open(config: ServerConfig, name: string | undefined): Promise<void>
  receive(message: HostMessage): void
  /** The worker died under it. */
  lose(error: HostError): void
}

export interface PageConnectionOptions {
  id: number
  link: WorkerLink
  /** The server's name for errors. */
  server: string
  hooks: ConnectOptions
  /** Nothing will be received any more. */
  onGone(): void
}

/** How a call is watched while it runs. */
interface Watch {
  signal?: AbortSignal | undefined
  onProgress?: ((progress: Progress) => void) | undefined
}

/** Numbers are unique in the page, so that one worker may serve several hosts. */
let lastId = 0
export const nextId = (): number => ++lastId

/** The page's side of one connection. All that waits for messages of the worker is kept here, and goes with it. */
export function createPageConnection({ id, link, server, hooks, onGone }: PageConnectionOptions): PageConnection {
  const listeners = new Map<number, { filter: EventFilter; listener: (event: ConnectionEvent) => void }>()
  const progressListeners = new Map<number, (progress: Progress) => void>()
  /** Where somebody may have to sign in. */
  let signIns: AskedSignIns | undefined
  let state: ConnectionState = { status: 'connecting' }
  /** Set when the worker died under it: calls then fail with that, not as after `close()`. */
  let lost = false
  let stopWaiting = () => {}
  const isClosed = () => state.status === 'closed' && !lost

  function setState(next: ConnectionState): void {
    if (state.status === 'closed') return
    state = next
    if (state.status === 'closed') {
      stopWaiting()
      signIns?.end(closedError(server, 'authorize', {}))
    }
    // States are told by the page itself: the last one must be heard of a worker that died.
    const event: ConnectionEvent = { type: 'state', state }
    guarded(() => hooks.onEvent?.(event))
    for (const { filter, listener } of [...listeners.values()]) if (filter.state) guarded(() => listener(event))
  }

  function finish(error: unknown): void {
    setState({ ...state, status: 'closed', error: toErrorData(error) })
    onGone()
  }

  async function open(config: ServerConfig, name: string | undefined): Promise<void> {
    const { signal, onEvent, signIn } = hooks
    const given = hookNames.filter((hook) => typeof hooks[hook] === 'function')
    stopWaiting = onAbort(signal, () => {
      link.tell((api) => api.abort(id))
      finish(signal?.reason)
    })
    try {
      if (config.auth?.type === 'oauth') {
        const { createAskedSignIns, withRedirectUrl } = await import('./asked-sign-ins.js')
        config = withRedirectUrl(config)
        if (hooks.authorize) signIns = createAskedSignIns(hooks, server, fromErrorData)
      }
      const opened = await send({ server }, signal, config, (api, plain) =>
        api.open(id, plain, name, given, onEvent !== undefined, signIn),
      )
      setState(opened)
      if (isClosed()) throw closedError(server, 'connect', {})
    } catch (error) {
      const failure = isClosed() && !signal?.aborted ? closedError(server, 'connect', {}) : error
      finish(failure)
      throw failure
    }
  }

  /** Calls the worker, unless the caller has aborted, and says in the error what the call was about. */
  async function send<Data extends object, Value>(
    details: ErrorDetails,
    signal: AbortSignal | undefined,
    data: Data,
    post: (api: RemoteApi, data: Data) => Promise<Outcome<Value>>,
  ): Promise<Value> {
    let posted = false
    const called = link.call((api) =>
      postCloneable(data, async (plain) => {
        signal?.throwIfAborted()
        posted = true
        return post(api, plain)
      }),
    )
    try {
      // The caller's abort rejects at once, whatever the worker is doing.
      return await untilAborted(signal, called)
    } catch (error) {
      if (!McpError.is(error) || signal?.aborted) throw error
      const outcome = posted && error.code === 'ERR_MCP_HOST' ? 'unknown' : 'not-run'
      throw withDetails(error, { ...details, ...(details.method === 'tools/call' && { outcome }) })
    }
  }

  /** Sends under a number by which the caller's signal cancels the call in the worker. */
  async function call<Data extends object, Value>(
    details: ErrorDetails,
    { signal, onProgress }: Watch,
    data: Data,
    post: (api: RemoteApi, call: number, data: Data) => Promise<Outcome<Value>>,
  ): Promise<Value> {
    signal?.throwIfAborted()
    const callId = nextId()
    const stopCancelling = onAbort(signal, () => link.tell((api) => api.cancel(callId)))
    if (onProgress) progressListeners.set(callId, onProgress)
    try {
      return await send(details, signal, data, (api, plain) => post(api, callId, plain))
    } finally {
      progressListeners.delete(callId)
      stopCancelling()
    }
  }

  async function answer({ hook, name, argument }: Extract<HostMessage, { x: 'hook' }>): Promise<void> {
    let outcome: Outcome<unknown>
    try {
      const run = hooks[name] as ((argument: unknown) => unknown) | undefined
      const running = name === 'authorize' && signIns ? signIns.take(hook).answered : run?.call(hooks, argument)
      outcome = { ok: true, value: await running }
    } catch (error) {
      outcome = { ok: false, error: toErrorData(error) }
    }
    const unsendable = (cause: unknown) =>
      new ConfigError(`The hook "${name}" gave what can't be sent to the worker: only plain data can`, {
        cause,
        data: { server, key: name },
      })
    // The worker waits for an answer, whatever comes of it.
    link.tell((api) =>
      postCloneable(outcome, (plain) => api.answer(hook, plain)).catch((cause) =>
        api.answer(hook, { ok: false, error: toErrorData(unsendable(cause)) }),
      ),
    )
  }

  function receive(message: HostMessage): void {
    switch (message.x) {
      case 'state':
        // After the page's own close or abort this is no news, and what the worker still tells is heard.
        if (state.status === 'closed') break
        setState(message.state)
        if (message.state.status === 'closed') onGone()
        break
      case 'progress':
        guarded(() => progressListeners.get(message.call)?.(message.progress))
        break
      case 'event':
        guarded(() => listeners.get(message.listener)?.listener(message.event))
        break
      case 'connection-event':
        guarded(() => hooks.onEvent?.(message.event))
        break
      case 'hook':
        void answer(message)
        break
      case 'authorization-request':
        signIns?.settle(message.hook, message.outcome)
    }
  }

  const port: McpConnection = {
    get state() {
      return state
    },
    async request<M extends Method>(method: M, params: Methods[M]['params'], options: RequestOptions = {}) {
      const { signal, onProgress, ...rest } = options
      if (isClosed()) throw closedError(server, method, params)
      const tool = method === 'tools/call' ? { tool: (params as Methods['tools/call']['params']).name } : {}
      const data = {
        params,
        options: { ...rest, wantsProgress: onProgress !== undefined, cancellable: signal !== undefined },
      }
      const result = await call({ server, method, ...tool }, { signal, onProgress }, data, (api, callId, plain) =>
        api.request(id, callId, method, plain.params, plain.options),
      )
      return result as Methods[M]['result']
    },
    listen(filter, listener) {
      const listenerId = nextId()
      listeners.set(listenerId, { filter, listener })
      link.tell((api) => postCloneable({ ...filter }, async (plain) => api.listen(id, listenerId, plain)))
      return () => {
        if (listeners.delete(listenerId)) link.tell((api) => api.unlisten(id, listenerId))
      }
    },
    async authorize(options = {}) {
      if (isClosed()) throw closedError(server, 'authorize', {})
      options.signal?.throwIfAborted()
      // Before anything is waited for: only within the click may a window be opened.
      const drop = signIns?.early()
      try {
        await call({ server, method: 'authorize' }, options, {}, (api, callId) => api.authorize(id, callId))
        drop?.()
      } catch (error) {
        drop?.(error)
        throw error
      }
    },
    async close() {
      if (state.status === 'closed') return
      const ended = link.call((api) => api.close(id))
      setState({ ...state, status: 'closed' })
      try {
        await ended
      } catch (error) {
        // With the worker the connection is gone.
        if (!link.isDead) throw error
      } finally {
        onGone()
      }
    },
  }

  return {
    port,
    open,
    receive,
    lose(error) {
      if (state.status === 'closed') return
      lost = true
      finish(error)
    },
  }
}

/** Runs the app's function: what it throws is the app's to see. */
function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    reportError(error)
  }
}
