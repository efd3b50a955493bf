/** Time that stands still while a person is asked. */
export interface Stopwatch {
  now(): number
  setTimer(ms: number, run: () => void): () => void
  /** Runs something whose time does not count. */
  uncounted<Value>(run: () => Promise<Value>): Promise<Value>
}

interface Timer {
  dueAt: number
  run(): void
  cancel(): void
}

/** Stops the time of all that runs by it, for as long as something is {@link Stopwatch.uncounted}. */
export function createStopwatch(now: () => number, setTimer: (ms: number, run: () => void) => () => void): Stopwatch {
  const timers = new Set<Timer>()
  let pauses = 0
  let pausedAt = 0
  let lostMs = 0
  const counted = () => (pauses > 0 ? pausedAt : now()) - lostMs

  const begin = (timer: Timer) => {
    timer.cancel = setTimer(Math.max(0, timer.dueAt - counted()), () => {
      timers.delete(timer)
      timer.run()
    })
  }

  return {
    now: counted,
    setTimer(ms, run) {
      const timer: Timer = { dueAt: counted() + ms, run, cancel() {} }
      timers.add(timer)
      if (pauses === 0) begin(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    async uncounted(run) {
      if (pauses++ === 0) {
        pausedAt = now()
        for (const timer of timers) timer.cancel()
      }
      try {
        return await run()
      } finally {
        if (--pauses === 0) {
          lostMs += now() - pausedAt
          for (const timer of timers) begin(timer)
        }
      }
    },
  }
}
