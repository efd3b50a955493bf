import type { TokenStore } from '../config.js'

export type { TokenStore } from '../config.js'

/** A store that lives as long as its realm. */
export function createMemoryTokenStore(): TokenStore {
  // As text, so that no object is shared.
  const values = new Map<string, string>()
  const lastTurns = new Map<string, Promise<void>>()
  return {
    async get(key) {
      const text = values.get(key)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async set(key, value) {
      values.set(key, JSON.stringify(value))
    },
    async delete(key) {
      values.delete(key)
    },
    async exclusively(key, run) {
      const before = lastTurns.get(key)
      const turn = (async () => {
        await before
        return run()
      })()
      const ended = turn.then(
        () => {},
        () => {},
      )
      lastTurns.set(key, ended)
      try {
        return await turn
      } finally {
        if (lastTurns.get(key) === ended) lastTurns.delete(key)
      }
    },
  }
}
