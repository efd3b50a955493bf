import type { TokenStore } from '../../src/authorization/token-store.js'
import type { Json } from '../../src/protocol.js'

export interface TokenStores {
  /** A store of a tab of its own. */
  open(): TokenStore
  /** The end of a store's tab: it waits no more, holds nothing, and is told nothing. */
  crash(store: TokenStore): void
}

interface Turn {
  store: TokenStore
  run(): void
}

/** Stores over one back end, each in a realm of its own that can die, as tabs do that share an IndexedDB and Web Locks. */
export function createTokenStores(): TokenStores {
  const values = new Map<string, string>()
  const queues = new Map<string, Turn[]>()
  const dead = new Set<TokenStore>()

  const leave = (key: string, turn: Turn) => {
    const queue = queues.get(key) ?? []
    const held = queue[0] === turn
    queue.splice(queue.indexOf(turn), 1)
    if (held) queue[0]?.run()
  }

  return {
    open() {
      /** Never settles in a realm that is gone. */
      const alive = <T>(work: () => T) =>
        new Promise<T>((resolve, reject) => {
          if (dead.has(store)) return
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
        })
      const store: TokenStore = {
        get: (key) =>
          alive(() => {
            const text = values.get(key)
            return text === undefined ? undefined : (JSON.parse(text) as Json)
          }),
        set: (key, value) => alive(() => void values.set(key, JSON.stringify(value))),
        delete: (key) => alive(() => void values.delete(key)),
        exclusively: (key, run) =>
          new Promise((resolve, reject) => {
            if (dead.has(store)) return
            const turn: Turn = {
              store,
              run() {
                alive(run).then(
                  (value) => {
                    if (dead.has(store)) return
                    leave(key, turn)
                    resolve(value)
                  },
                  (error) => {
                    if (dead.has(store)) return
                    leave(key, turn)
                    reject(error)
                  },
                )
              },
            }
            const queue = queues.get(key) ?? []
            queues.set(key, queue)
            queue.push(turn)
            if (queue.length === 1) turn.run()
          }),
      }
      return store
    },
    crash(store) {
      dead.add(store)
      for (const [key, queue] of queues) {
        const [holder] = queue
        const left = queue.filter((turn) => turn.store !== store)
        queues.set(key, left)
        if (holder?.store === store) left[0]?.run()
      }
    },
  }
}
