import { fromErrorData, HostError } from '@x/core/client'
import * as Comlink from 'comlink'
import { type Hello, type HostApi, type HostMessage, hostProtocol, type Outcome } from './host-protocol.js'

export type HostWorker = Worker | SharedWorker | MessagePort

/** One worker's life: started, called, and found out when it dies. */
export interface WorkerLink {
  readonly isDead: boolean
  /**
   * Calls the worker once it is up. Rejects with the call's own error; with a {@link HostError} when the worker is dead
   * or dies, a new one for each call.
   */
  call<Value>(run: (api: RemoteApi) => Promise<Outcome<Value>>): Promise<Value>
  /** Tells the worker something that has no answer; a dead worker doesn't hear it. */
  tell(run: (api: RemoteApi) => Promise<void>): void
  /** Ends the worker; what is pending rejects with this message. */
  end(message: string): void
}

export type RemoteApi = Comlink.Remote<HostApi>

export interface WorkerLinkOptions {
  onMessage(message: HostMessage): void
  /** Called once. */
  onDeath(error: HostError): void
}

/** Milliseconds that a worker may take until it answers for the first time. */
const startMs = 20_000

export function createWorkerLink(worker: HostWorker, { onMessage, onDeath }: WorkerLinkOptions): WorkerLink {
  const endpoint: Comlink.Endpoint & { close?(): void } = 'port' in worker ? worker.port : worker
  const api = keepMethods(Comlink.wrap<HostApi>(endpoint))
  const lifetime = new AbortController()
  let phase: 'load' | 'start' | 'run' = 'load'
  /** Set once the worker is dead. A new error for each who asks: each gets details of its own. */
  let death: (() => HostError) | undefined
  // Not a promise to race with: each race would leave a reaction on it for as long as the worker lives.
  const waiting = new Set<() => void>()

  function orDeath<Value>(run: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(death!())
      if (death) return fail()
      const work = run()
      waiting.add(fail)
      work.then(resolve, reject).finally(() => waiting.delete(fail))
    })
  }

  function end(message: string, cause?: unknown): void {
    if (death) return
    const data = { phase }
    death = () => new HostError(message, { cause, data: { ...data } })
    lifetime.abort()
    clearTimeout(timer)
    for (const fail of [...waiting]) fail()
    if ('terminate' in worker) worker.terminate()
    else endpoint.close?.()
    onDeath(death())
  }

  const timer = setTimeout(
    () => end(`The worker did not answer within ${startMs} ms; its script must import "@x/web/worker"`),
    startMs,
  )
  worker.addEventListener('error', (event) => {
    const { message } = event as ErrorEvent
    if (phase !== 'load') end(`The worker failed: ${message || 'no message'}`)
    else if (message) end(`The worker's script did not load: ${message}`)
    else end("The worker's script did not load; check its URL, and worker-src of the Content-Security-Policy")
  })
  endpoint.addEventListener('messageerror', () => end('The worker sent an unreadable message'))
  endpoint.addEventListener('close', () => end('The worker ended'))
  endpoint.addEventListener('message', (event) => {
    const { data } = event as MessageEvent
    if (typeof data === 'object' && data !== null && 'x' in data) onMessage(data as HostMessage)
  })
  endpoint.start?.()

  /** Never rejects: whoever waits for it looks whether the worker is dead. */
  const ready = orDeath(() => api.hello()).then(begin, (cause) => {
    if (!death) phase = 'start'
    end('The worker does not serve connections; its script must import "@x/web/worker"', cause)
  })

  function begin(hello: Partial<Hello> | undefined): void {
    clearTimeout(timer)
    phase = 'start'
    const protocol = hello?.protocol
    if (protocol !== hostProtocol) {
      end(`The worker's file is of another release (${protocol}, not ${hostProtocol}); build it anew`)
      return
    }
    phase = 'run'
    if (hello?.lock) watchLock(hello.lock, lifetime.signal, () => end('The worker ended'))
  }

  return {
    get isDead() {
      return death !== undefined
    },
    async call(run) {
      await ready
      const outcome = await orDeath(() => run(api))
      if (!outcome.ok) throw fromErrorData(outcome.error)
      return outcome.value
    },
    tell(run) {
      // Only a dead worker can fail here, and whoever waits for it is told by `call`.
      ready.then(() => (death ? undefined : run(api))).catch(() => {})
    },
    end,
  }
}

/** Comlink makes each method anew whenever it is named, and has its garbage watched: a cost of every call. */
function keepMethods(api: RemoteApi): RemoteApi {
  const kept = {} as RemoteApi
  return new Proxy(api, { get: (_, name: keyof RemoteApi) => (kept[name] ??= api[name] as never) })
}

/** A worker holds its lock for as long as it lives, so whoever gets it knows that the worker is gone. */
function watchLock(name: string, signal: AbortSignal, onReleased: () => void): void {
  navigator.locks?.request(name, { signal }, onReleased).catch(() => {})
}
