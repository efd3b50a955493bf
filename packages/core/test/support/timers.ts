export interface Timers {
  setTimer(ms: number, run: () => void): () => void
  /** Milliseconds that have passed. */
  now(): number
  /** Milliseconds of each timer that was ever set. */
  asked: number[]
  /** How many wait to fire. */
  pending(): number
  /** Lets time pass: fires what is due, in order. */
  advance(ms: number): void
}

/** Timers that move only when told to. */
export function createTimers(): Timers {
  const waiting = new Set<{ at: number; run: () => void }>()
  const asked: number[] = []
  let now = 0
  return {
    now: () => now,
    asked,
    setTimer(ms, run) {
      asked.push(ms)
      const timer = { at: now + ms, run }
      waiting.add(timer)
      return () => void waiting.delete(timer)
    },
    pending: () => waiting.size,
    advance(ms) {
      const end = now + ms
      for (;;) {
        const due = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!due) break
        now = due.at
        waiting.delete(due)
        due.run()
      }
      now = end
    },
  }
}
