import {
  type ConnectOptions,
  createHostFrom,
  endpointName,
  type Host,
  HostError,
  type HostPort,
  type McpConnection,
  McpError,
  reportError,
  type ServerConfig,
} from '@x/core/client'
import { createPageConnection, nextId, type PageConnection } from './page-connection.js'
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

/** A worker and the connections in it, by number. */
interface Running {
  link: WorkerLink
  connections: Map<number, PageConnection>
}

/** Milliseconds that sessions may take to end on their servers before the worker goes. */
const endMs = 5_000

/**
 * A host whose connections live in a Web Worker: their work never blocks the page, and its scripts see no token.
 *
 * @throws Nothing; the worker is started by the first connection, which rejects with {@link HostError} `ERR_MCP_HOST`
 *   when it does not load.
 */
export function createHost(options?: WebHostOptions): WebHost {
  return { mode: 'worker', ...createHostFrom(createWorkerPort(options)) }
}

/** All of a host that is about its worker. */
export function createWorkerPort({ worker, restart = true }: WebHostOptions = {}): HostPort {
  let current: Promise<Running> | undefined

  function ensureRunning(): Promise<Running> {
    if (current) return current
    const starting = start(worker, forget)
    current = starting
    function forget(): void {
      if (restart && current === starting) current = undefined
    }
    starting.catch(forget)
    return starting
  }

  async function open(config: ServerConfig, hooks: ConnectOptions, name?: string): Promise<McpConnection> {
    hooks.signal?.throwIfAborted()
    const url = absolute(config.url)
    const { link, connections } = await ensureRunning()
    const id = nextId()
    const server = name ?? (URL.canParse(url) ? endpointName(url) : 'the server')
    const connection = createPageConnection({ id, link, server, hooks, onGone: () => connections.delete(id) })
    connections.set(id, connection)
    await connection.open({ ...config, url }, name)
    return connection.port
  }

  async function close(): Promise<void> {
    const running = await current?.catch(() => undefined)
    current = undefined
    if (!running) return
    const ended = Promise.allSettled([...running.connections.values()].map(({ port }) => port.close()))
    let cancelTimer = () => {}
    const late = new Promise<void>((resolve) => {
      cancelTimer = setTimer(endMs, resolve)
    })
    await Promise.race([ended, late])
    cancelTimer()
    running.link.end('The host was closed')
  }

  return {
    open,
    close,
    async signOut(server) {
      await (await current)?.link.call((api) => api.signOut(server))
    },
    setTimer,
  }
}

function setTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

async function start(worker: WebHostOptions['worker'], onDeath: () => void): Promise<Running> {
  const connections: Running['connections'] = new Map()
  let stopWatching = () => {}
  try {
    const link = createWorkerLink(worker ? worker() : await createDefaultWorker(), {
      onMessage: (message) => connections.get(message.connection)?.receive(message),
      onDeath(error) {
        stopWatching()
        onDeath()
        for (const connection of [...connections.values()]) connection.lose(error)
      },
    })
    // Nobody waits for it: a page that has just begun neither wakes nor leaves.
    import('./page-life.js').then(({ watchPage }) => {
      stopWatching = watchPage(link)
    }, reportError)
    return { link, connections }
  } catch (cause) {
    if (McpError.is(cause)) throw cause
    // Engines throw here, or send an error event, for a script that the Content-Security-Policy forbids.
    throw new HostError(`The worker could not be made: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      data: { phase: 'load' },
    })
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

/** In a page an endpoint may be relative, as it may for `fetch`. */
function absolute(url: string): string {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href
  // Without a URL at all, the page itself would be it.
  return base && url && URL.canParse(url, base) ? new URL(url, base).href : url
}
