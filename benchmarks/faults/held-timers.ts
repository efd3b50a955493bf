/** Timers that fire when the test says so: a deadline costs no time, and none passes because the machine is slow. */
export interface HeldTimers {
  setTimer(ms: number, run: () => void): () => void
  /** Fires what is held for at least so long. */
  fire(atLeastMs: number): void
  /** The milliseconds of each timer that was neither cancelled nor fired. */
  pending(): number[]
}

/** Up to here a timer is a pause before something is tried again, and no limit to anything: it passes at once. */
const pauseMs = 100

export function createHeldTimers(): HeldTimers {
  const timers = new Map<object, { ms: number; run: () => void }>()
  return {
    setTimer(ms, run) {
      const key = {}
      const fire = () => timers.delete(key) && run()
      timers.set(key, { ms, run: fire })
      const timer = ms <= pauseMs ? setTimeout(fire, 1) : undefined
      return () => {
        clearTimeout(timer)
        timers.delete(key)
      }
    },
    fire(atLeastMs) {
      for (const { ms, run } of [...timers.values()]) if (ms >= atLeastMs) run()
    },
    pending: () => [...timers.values()].map(({ ms }) => ms),
  }
}
