import { fromErrorData, HostError } from '@x/core/client'
import * as Comlink from 'comlink'
import { type HostApi, type HostMessage, hostProtocol, type Outcome } from './host-protocol.js'

export type HostWorker = Worker | SharedWorker | MessagePort

/** One worker's life: started, called, and found out when it dies. */
export interface WorkerLink {
  /** Why the worker can't be used any more. */
  readonly death: HostError | undefined
  /**
   * Calls the worker once it is up. Rejects with the call's own error, or with {@link HostError} when the worker dies.
   */
  call<Value>(run: (api: Comlink.Remote<HostApi>) => Promise<Outcome<Value>>): Promise<Value>
  /** Tells the worker something that has no answer; a dead worker doesn't hear it. */
  tell(run: (api: Comlink.Remote<HostApi>) => Promise<void>): void
  end(reason: HostError): void
}

/** Milliseconds that a worker may take until it answers for the first time. */
const startMs = 20_000

export function createWorkerLink(
  worker: HostWorker,
  onMessage: (message: HostMessage) => void,
  onDeath: (error: HostError) => void,
): WorkerLink {
  const endpoint: Comlink.Endpoint & { close?(): void } = 'port' in worker ? worker.port : worker
  const api = Comlink.wrap<HostApi>(endpoint)
  const lifetime = new AbortController()
  let death: HostError | undefined
  let started = false
  // Not a promise to race with: each race would leave a reaction on it for as long as the worker lives.
  const waiting = new Set<(reason: HostError) => void>()

  function orDeath<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (death) return reject(death)
      waiting.add(reject)
      work.then(resolve, reject).finally(() => waiting.delete(reject))
    })
  }

  const end = (reason: HostError) => {
    if (death) return
    death = reason
    lifetime.abort()
    for (const reject of [...waiting]) reject(reason)
    clearTimeout(timer)
    if ('terminate' in worker) worker.terminate()
    else endpoint.close?.()
    onDeath(reason)
  }
  const die = (message: string) => end(new HostError(message, { data: { phase: started ? 'run' : 'load' } }))

  const timer = setTimeout(
    () => die(`The worker did not answer within ${startMs} ms; does its script import "@x/web/worker"?`),
    startMs,
  )
  worker.addEventListener('error', (event) => {
    const { message } = event as ErrorEvent
    die(
      started
        ? `The worker failed: ${message || 'an error without a message'}`
        : `The worker's script did not load${message ? `: ${message}` : '; check its URL, and worker-src of the Content-Security-Policy'}`,
    )
  })
  endpoint.addEventListener('messageerror', () => die('The worker sent a message that could not be read'))
  endpoint.addEventListener('close', () => die('The worker ended'))
  endpoint.addEventListener('message', (event) => {
    const { data } = event as MessageEvent
    if (typeof data === 'object' && data !== null && 'x' in data) onMessage(data as HostMessage)
  })
  endpoint.start?.()

  const ready = orDeath(api.hello()).then(({ protocol, lock }) => {
    started = true
    clearTimeout(timer)
    if (protocol !== hostProtocol)
      die(`The worker's file is of another release (${protocol}, not ${hostProtocol}); build or copy it anew`)
    else if (lock) watchLock(lock, lifetime.signal, () => die('The worker ended'))
  })
  // Whoever calls is told; without a call nobody has to be.
  ready.catch(() => {})

  return {
    get death() {
      return death
    },
    async call(run) {
      await ready
      const outcome = await orDeath(run(api))
      if (!outcome.ok) throw fromErrorData(outcome.error)
      return outcome.value
    },
    tell(run) {
      // Only a dead worker can fail here, and whoever waits for it is told by `call`.
      ready.then(() => run(api)).catch(() => {})
    },
    end,
  }
}

/** A worker holds its lock for as long as it lives, so whoever gets it knows that the worker is gone. */
function watchLock(name: string, signal: AbortSignal, onReleased: () => void): void {
  navigator.locks?.request(name, { signal }, onReleased).catch(() => {})
}
