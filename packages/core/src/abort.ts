import type { Unsubscribe } from './connection.js'

interface FanOut {
  waiting: Set<() => void>
  fire(): void
}

const fanOuts = new WeakMap<AbortSignal, FanOut>()

/**
 * Runs `run` when the signal fires, at once if it has. Whatever waits on one signal shares one listener: an app may give
 * hundreds of calls the same signal, and Node warns of a leak at the eleventh listener. The last one to go takes it away.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): Unsubscribe {
  if (!signal) return () => {}
  if (signal.aborted) {
    run()
    return () => {}
  }
  const { waiting, fire } = fanOuts.get(signal) ?? fanOut(signal)
  // A function of its own: the same one may wait twice.
  const entry = () => run()
  waiting.add(entry)
  return () => {
    if (!waiting.delete(entry) || waiting.size > 0) return
    signal.removeEventListener('abort', fire)
    fanOuts.delete(signal)
  }
}

function fanOut(signal: AbortSignal): FanOut {
  const waiting = new Set<() => void>()
  const made: FanOut = {
    waiting,
    // The set itself, not a copy: who was told to stop by an earlier one must not be called any more.
    fire() {
      for (const run of waiting) run()
    },
  }
  fanOuts.set(signal, made)
  signal.addEventListener('abort', made.fire, { once: true })
  return made
}

/**
 * A signal of one's own that fires with another: what listens to it goes with it, though the other one lives on.
 */
export function linkedSignal(signal: AbortSignal): {
  signal: AbortSignal
  abort(reason?: unknown): void
  /** Aborts what still runs by it. */
  end(): void
} {
  const own = new AbortController()
  const stopWaiting = onAbort(signal, () => own.abort(signal.reason))
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    end() {
      stopWaiting()
      own.abort()
    },
  }
}

/**
 * The work's outcome, or a rejection with the signal's reason as soon as it fires, whatever the work does about it.
 *
 * @param drop - Takes what the work gives too late.
 */
export function untilAborted<Value>(
  signal: AbortSignal | undefined,
  work: Promise<Value>,
  drop?: (value: Value) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stopWaiting = onAbort(signal, () => reject(signal?.reason))
    work
      .then((value) => {
        if (signal?.aborted) drop?.(value)
        resolve(value)
      }, reject)
      .finally(stopWaiting)
  })
}

/**
 * Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it fires.
 *
 * @param wake - Tells when it is no use to wait any longer.
 */
export function delay(
  ms: number,
  signal: AbortSignal,
  setTimer: (ms: number, run: () => void) => () => void,
  wake?: (listener: () => void) => Unsubscribe,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let cancelTimer = () => {}
    let stopWatching: Unsubscribe | undefined
    const stopWaiting = onAbort(signal, () => {
      cancelTimer()
      stopWatching?.()
      reject(signal.reason)
    })
    if (signal.aborted) return
    const done = () => {
      cancelTimer()
      stopWatching?.()
      stopWaiting()
      resolve()
    }
    cancelTimer = setTimer(ms, done)
    stopWatching = wake?.(done)
  })
}
