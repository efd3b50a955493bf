import { onAbort } from '../../abort.js'

/** Which elicitations by URL have been completed, as their servers tell. */
export interface Completions {
  /** One is complete. Ids that nobody expects are ignored. */
  complete(id: unknown): void
  /** Begins to listen for these, before anybody can complete them. */
  expect(ids: string[]): Expected
}

export interface Expected {
  /** Resolves when all are complete, and after `ms` milliseconds all the same; rejects when the signal fires. */
  wait(ms: number, signal: AbortSignal, setTimer: (ms: number, run: () => void) => () => void): Promise<void>
  /** Stops listening. */
  end(): void
}

interface Entry {
  missing: Set<string>
  onAll(): void
}

export function createCompletions(): Completions {
  const expected = new Set<Entry>()
  return {
    complete(id) {
      for (const { missing, onAll } of expected) if (missing.delete(id as string) && missing.size === 0) onAll()
    },
    expect(ids) {
      const entry: Entry = { missing: new Set(ids), onAll() {} }
      expected.add(entry)
      return {
        wait: (ms, signal, setTimer) =>
          new Promise((resolve, reject) => {
            if (entry.missing.size === 0) return resolve()
            const stop = () => {
              cancelTimer()
              stopWaiting()
            }
            entry.onAll = () => {
              stop()
              resolve()
            }
            const cancelTimer = setTimer(ms, entry.onAll)
            const stopWaiting = onAbort(signal, () => {
              cancelTimer()
              reject(signal.reason)
            })
          }),
        end: () => void expected.delete(entry),
      }
    },
  }
}
