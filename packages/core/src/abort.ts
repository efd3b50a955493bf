import type { Unsubscribe } from './connection.js'

const fanOuts = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Runs `run` when the signal fires, at once if it has. Whatever waits on one signal shares one listener: an app may give
 * hundreds of calls the same signal, and Node warns of a leak at the eleventh listener.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): Unsubscribe {
  if (!signal) return () => {}
  if (signal.aborted) {
    run()
    return () => {}
  }
  const waiting = fanOuts.get(signal) ?? new Set()
  // A function of its own: the same one may wait twice.
  const entry = () => run()
  waiting.add(entry)
  if (!fanOuts.has(signal)) {
    fanOuts.set(signal, waiting)
    const fire = () => {
      for (const each of [...waiting]) each()
    }
    signal.addEventListener('abort', fire, { once: true })
  }
  return () => void waiting.delete(entry)
}
