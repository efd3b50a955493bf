import type { Json } from '../protocol.js'

/**
 * Where tokens are kept; must not be readable by anybody who isn't meant to use them. What every store promises is
 * tested by `packages/testkit/src/contract/token-store.ts`.
 */
export interface TokenStore {
  /** A value of the caller's own: to change it changes nothing in the store. */
  get(key: string): Promise<Json | undefined>
  /** Takes the value as it is at the call. */
  set(key: string, value: Json): Promise<void>
  /** Of a key that is not there: nothing happens. */
  delete(key: string): Promise<void>
  /**
   * Runs `run` while nobody else runs by the same key, in any store over the same back end: in other tabs, workers and
   * processes too. In order of the calls; other keys don't wait. A holder that fails, or whose tab or process dies, gives
   * way to the next. Not re-entrant: to wait within `run` for another turn with the same key is to wait for ever. The
   * store's other functions don't wait for it.
   *
   * @returns What `run` gives or is rejected with.
   */
  exclusively<T>(key: string, run: () => Promise<T>): Promise<T>
}

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
