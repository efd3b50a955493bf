/** What a test has changed of the server while it runs. */
export interface Stage {
  /** Whether the user has been where the tool `visit` sends them. */
  visited: boolean
  /** Waits until what waits in this tool is let go; rejects with the signal's reason. */
  hold(tool: string, signal: AbortSignal): Promise<void>
  release(tool: string): void
}

export function createStage(): Stage {
  const held = new Map<string, Set<() => void>>()
  return {
    visited: false,
    hold: (tool, signal) =>
      new Promise((resolve, reject) => {
        const waiting = held.get(tool) ?? new Set()
        held.set(tool, waiting)
        waiting.add(resolve)
        const stop = () => {
          waiting.delete(resolve)
          reject(signal.reason)
        }
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop)
      }),
    release(tool) {
      for (const resolve of held.get(tool) ?? []) resolve()
      held.delete(tool)
    },
  }
}
