/** Who waits for whether something could be had, by its name. */
export interface Verdicts {
  /** Rejects with the error that {@link Verdicts.settle} is given. */
  wait(name: string): Promise<void>
  settle(name: string, error?: unknown): void
  /** Nothing will be settled any more. */
  end(error: unknown): void
}

export function createVerdicts(): Verdicts {
  const waiting = new Map<string, ((error?: unknown) => void)[]>()
  function settle(name: string, error?: unknown): void {
    const tell = waiting.get(name) ?? []
    waiting.delete(name)
    for (const one of tell) one(error)
  }
  return {
    wait(name) {
      const verdict = new Promise<void>((resolve, reject) => {
        const told = waiting.get(name) ?? []
        waiting.set(name, told)
        told.push((error) => (error === undefined ? resolve() : reject(error)))
      })
      // Who waited may have left.
      verdict.catch(() => {})
      return verdict
    },
    settle,
    end(error) {
      for (const name of [...waiting.keys()]) settle(name, error)
    },
  }
}
