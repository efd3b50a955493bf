import {
  type ConnectionEvent,
  type ConnectionState,
  type ConnectOptions,
  closedError,
  createHostFrom,
  type EventFilter,
  endpointName,
  type Host,
  HostError,
  type McpConnection,
  type Method,
  type Methods,
  onAbort,
  type Progress,
  type RequestOptions,
  type ServerConfig,
  toErrorData,
} from '@x/core/client'
import { withCloneable } from './cloneable.js'
import type { HookName, HostMessage, Outcome } from './host-protocol.js'
import { createWorkerLink, type HostWorker, type WorkerLink } from './worker-link.js'

export interface WebHostOptions {
  /**
   * Makes the worker; its script is the one line `import '@x/web/worker'`. Default: a worker from a Blob, which needs
   * `worker-src blob:` where there is a Content-Security-Policy.
   */
  worker?: () => HostWorker
  /** Start a new worker when one has died and the next connection is opened. Calls are never repeated. Default true. */
  restart?: boolean
}

/** A host whose connections live in a worker. */
export interface WebHost extends Host {
  readonly mode: 'worker'
}

/** A connection as the page knows it. */
interface PageConnection {
  state: ConnectionState
  hooks: ConnectOptions
  /** Set when the worker died under it: calls then fail with that, not as after `close()`. */
  lost: boolean
  listeners: Set<(event: ConnectionEvent) => void>
}

/** Ids are unique in the page, so that one worker may serve several hosts. */
let lastId = 0
const nextId = () => ++lastId

/**
 * A host whose connections live in a Web Worker: their work never blocks the page, and its scripts see no token.
 *
 * @throws Nothing; the worker is started by the first connection, which rejects with {@link HostError} `ERR_MCP_HOST`
 *   when it does not load.
 */
export function createHost({ worker, restart = true }: WebHostOptions = {}): WebHost {
  const connections = new Map<number, PageConnection>()
  const progressListeners = new Map<number, (progress: Progress) => void>()
  const eventListeners = new Map<number, (event: ConnectionEvent) => void>()
  let current: Promise<WorkerLink> | undefined

  function receive(message: HostMessage, link: () => WorkerLink): void {
    switch (message.x) {
      case 'state': {
        const connection = connections.get(message.connection)
        if (connection) setState(message.connection, connection, message.state)
        break
      }
      case 'progress':
        progressListeners.get(message.call)?.(message.progress)
        break
      case 'event':
        eventListeners.get(message.listener)?.(message.event)
        break
      case 'connection-event':
        connections.get(message.connection)?.hooks.onEvent?.(message.event)
        break
      case 'hook':
        void answerHook(message, link())
    }
  }

  async function answerHook({ hook, connection, name, argument }: HostMessage & { x: 'hook' }, link: WorkerLink) {
    let outcome: Outcome<unknown>
    try {
      const run = connections.get(connection)?.hooks[name] as ((argument: unknown) => unknown) | undefined
      outcome = { ok: true, value: await run?.(argument) }
    } catch (error) {
      outcome = { ok: false, error: toErrorData(error) }
    }
    link.tell((api) => api.answer(hook, outcome))
  }

  function setState(id: number, connection: PageConnection, state: ConnectionState): void {
    connection.state = state
    if (state.status === 'closed') connections.delete(id)
    for (const listener of [...connection.listeners]) listener({ type: 'state', state })
  }

  async function start(): Promise<WorkerLink> {
    const made = worker ? worker() : await createDefaultWorker()
    const link: WorkerLink = createWorkerLink(
      made,
      (message) => receive(message, () => link),
      (error) => {
        for (const [id, connection] of connections) {
          connection.lost = true
          setState(id, connection, { ...connection.state, status: 'closed', error: toErrorData(error) })
        }
        if (restart) current = undefined
      },
    )
    return link
  }

  const ensureLink = () => {
    current ??= start().catch((error) => {
      current = undefined
      throw error
    })
    return current
  }

  async function open(config: ServerConfig, options: ConnectOptions, name?: string): Promise<McpConnection> {
    const { signal } = options
    signal?.throwIfAborted()
    const id = nextId()
    const connection: PageConnection = {
      state: { status: 'connecting' },
      hooks: options,
      lost: false,
      listeners: new Set(),
    }
    const hookNames = (Object.keys(options) as (keyof ConnectOptions)[]).filter(
      (key): key is HookName => key !== 'signal' && key !== 'onEvent' && typeof options[key] === 'function',
    )
    const url = absolute(config.url)
    const link = await ensureLink()
    connections.set(id, connection)
    const stopWaiting = onAbort(signal, () => link.tell((api) => api.abort(id)))
    try {
      connection.state = await orAborted(signal, () =>
        withCloneable({ ...config, url }, (plain) =>
          link.call((api) => api.open(id, plain, name, hookNames, options.onEvent !== undefined)),
        ),
      )
    } catch (error) {
      connections.delete(id)
      stopWaiting()
      throw error
    }
    return toConnection(id, connection, link, name ?? endpointName(url))
  }

  function toConnection(id: number, connection: PageConnection, link: WorkerLink, server: string): McpConnection {
    const isClosed = () => connection.state.status === 'closed' && !connection.lost

    /** A call under an id of its own, which the caller's signal cancels. */
    async function call<Value>(
      signal: AbortSignal | undefined,
      run: (call: number) => Promise<Value>,
      onProgress?: (progress: Progress) => void,
    ): Promise<Value> {
      signal?.throwIfAborted()
      const callId = nextId()
      const stopWaiting = onAbort(signal, () => link.tell((api) => api.cancel(callId)))
      if (onProgress) progressListeners.set(callId, onProgress)
      try {
        return await orAborted(signal, () => run(callId))
      } finally {
        progressListeners.delete(callId)
        stopWaiting()
      }
    }

    return {
      get state() {
        return connection.state
      },
      async request<M extends Method>(method: M, params: Methods[M]['params'], options: RequestOptions = {}) {
        const { signal, onProgress, ...rest } = options
        if (isClosed()) throw closedError(server, method, params)
        const send = (callId: number) =>
          withCloneable({ params, options: { ...rest, wantsProgress: onProgress !== undefined } }, (plain) =>
            link.call((api) => api.request(id, callId, method, plain.params, plain.options)),
          )
        return (await call(signal, send, onProgress)) as Methods[M]['result']
      },
      listen(filter: EventFilter, listener) {
        const listenerId = nextId()
        const onEvent = (event: ConnectionEvent) => {
          if (event.type !== 'state') listener(event)
        }
        // States are known here already, and the last one must be heard of a worker that died.
        const onState = (event: ConnectionEvent) => listener(event)
        if (filter.state) connection.listeners.add(onState)
        eventListeners.set(listenerId, onEvent)
        link.tell((api) => api.listen(id, listenerId, filter))
        return () => {
          connection.listeners.delete(onState)
          if (eventListeners.delete(listenerId)) link.tell((api) => api.unlisten(listenerId))
        }
      },
      async authorize({ signal } = {}) {
        if (isClosed()) throw closedError(server, 'authorize', {})
        await call(signal, (callId) => link.call((api) => api.authorize(id, callId)))
      },
      async close() {
        if (connection.state.status !== 'closed') await link.call((api) => api.close(id))
      },
    }
  }

  return {
    mode: 'worker',
    ...createHostFrom({
      open,
      async signOut(server) {
        await (await current)?.call((api) => api.signOut(server))
      },
      async close() {
        const link = await current
        current = undefined
        // Sessions are ended on their servers before the worker goes.
        await Promise.all([...connections.keys()].map((id) => link?.call((api) => api.close(id)).catch(() => {})))
        link?.end(new HostError('The host was closed', { data: { phase: 'run' } }))
      },
      setTimer(ms, run) {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    }),
  }
}

async function createDefaultWorker(): Promise<HostWorker> {
  if (typeof Worker === 'undefined')
    throw new HostError('There are no Web Workers here: on a server, import from "@x/core" instead of "@x/web"', {
      data: { phase: 'load' },
    })
  // Loaded on its own: its text is the whole worker, and who brings a worker file must not pay for it.
  const { createBlobWorker } = await import('./blob-worker.js')
  return createBlobWorker()
}

/** In a page an endpoint may be relative. */
function absolute(url: string): string {
  const base = globalThis.location?.href
  return base && !URL.canParse(url) && URL.canParse(url, base) ? new URL(url, base).href : url
}

/** The caller's abort rejects at once, whatever the worker is doing. */
function orAborted<Value>(signal: AbortSignal | undefined, run: () => Promise<Value>): Promise<Value> {
  if (!signal) return run()
  return new Promise((resolve, reject) => {
    const stopWaiting = onAbort(signal, () => reject(signal.reason))
    run().then(resolve, reject).finally(stopWaiting)
  })
}
