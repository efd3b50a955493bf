import type { KeyValueStore } from './config.js'
import type { Json } from './protocol.js'

/** Entries: a gateway meets many credentials, each with its own. */
const maxEntries = 1_000

/** A store that lasts as long as whoever holds it; what was written longest ago makes room. */
export function createMemoryStore(): KeyValueStore {
  const kept = new Map<string, Json>()
  return {
    get: async (key) => kept.get(key),
    async set(key, value) {
      kept.delete(key)
      kept.set(key, value)
      if (kept.size > maxEntries) kept.delete(kept.keys().next().value!)
    },
    async delete(key) {
      kept.delete(key)
    },
  }
}
