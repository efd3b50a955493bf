import type { TokenStore } from '@x/core'
import { equal, ok, rejection } from './expect.js'

/** The stores that a case runs with; each case has a back end of its own, empty at first. */
export interface TokenStoreSubject {
  /** Another store over the same back end, as another tab or process would open it. */
  open(): TokenStore
  /**
   * Ends what a store runs in, as the death of its tab or process would: nothing of it goes on. Absent where all stores
   * of a back end live and die together.
   */
  crash?(store: TokenStore): void | Promise<void>
}

export interface TokenStoreCase {
  name: string
  run(subject: TokenStoreSubject): Promise<void>
  /** Not for subjects without `crash`. */
  crashes?: true
}

/** What every token store promises. A case throws when it is broken, or waits for ever: give each a time limit. */
export const tokenStoreCases: readonly TokenStoreCase[] = [
  {
    name: 'gives what was set, and undefined for what was not',
    async run({ open }) {
      const store = open()
      equal(await store.get('key'), undefined, 'a key that was never set')
      for (const value of [{ a: [1, 'é\u0000😀', null, { b: false }] }, [], '', 0, false, null]) {
        await store.set('key', value)
        equal(await store.get('key'), value, 'the value that was set')
      }
    },
  },
  {
    name: 'deletes, also what is not there',
    async run({ open }) {
      const store = open()
      await store.delete('key')
      await store.set('key', 1)
      await store.set('other', 2)
      await store.delete('key')
      equal([await store.get('key'), await store.get('other')], [undefined, 2], 'the values after one was deleted')
    },
  },
  {
    name: 'keeps keys apart, whatever they are made of',
    async run({ open }) {
      const store = open()
      const keys = [
        '',
        'a',
        'A',
        'a/b',
        'a:b',
        'a b',
        '__proto__',
        'constructor',
        'https://mcp.example/mcp?a=1',
        'ключ',
      ]
      for (const key of keys) equal(await store.get(key), undefined, `the value of "${key}" before it was set`)
      for (const key of keys) await store.set(key, `value of ${key}`)
      for (const key of keys) equal(await store.get(key), `value of ${key}`, `the value of "${key}"`)
    },
  },
  {
    name: 'takes a value as it is when it is set',
    async run({ open }) {
      const store = open()
      const value = { token: 'first', list: ['first'] }
      const setting = store.set('key', value)
      value.token = 'second'
      value.list.push('second')
      await setting
      equal(await store.get('key'), { token: 'first', list: ['first'] }, 'the value that was changed after set()')
    },
  },
  {
    name: 'gives values that are the caller’s own',
    async run({ open }) {
      const store = open()
      await store.set('key', { list: ['first'] })
      const given = (await store.get('key')) as { list: string[] }
      given.list.push('second')
      equal(await store.get('key'), { list: ['first'] }, 'the value after what get() gave was changed')
    },
  },
  {
    name: 'shows what another store of the back end has set and deleted',
    async run({ open }) {
      const [one, other] = [open(), open()]
      await one.set('key', 1)
      equal(await other.get('key'), 1, 'what the other store sees')
      await other.delete('key')
      equal(await one.get('key'), undefined, 'what the first store sees')
    },
  },
  {
    name: 'exclusively gives what the holder gives or throws',
    async run({ open }) {
      const store = open()
      equal(await store.exclusively('key', async () => ({ a: 1 })), { a: 1 }, 'what the holder gave')
      const failure = new Error('the holder failed')
      const rejected = await rejection(
        store.exclusively('key', () => Promise.reject(failure)),
        'a holder that rejects',
      )
      ok(rejected === failure, 'the rejection is not the holder’s own')
      const thrown = await rejection(
        store.exclusively('key', () => {
          throw failure
        }),
        'a holder that throws',
      )
      ok(thrown === failure, 'the rejection is not what the holder threw')
    },
  },
  {
    name: 'exclusively lets one run at a time, of all stores',
    async run({ open }) {
      const stores = [open(), open(), open()]
      let holders = 0
      let most = 0
      const increment = (store: TokenStore) =>
        store.exclusively('key', async () => {
          most = Math.max(most, ++holders)
          const count = ((await store.get('key')) as number | undefined) ?? 0
          await store.get('other')
          await store.set('key', count + 1)
          holders--
        })
      await Promise.all(Array.from({ length: 30 }, (_, index) => increment(stores[index % 3] as TokenStore)))
      equal(
        { most, count: await stores[0]?.get('key') },
        { most: 1, count: 30 },
        'holders at once, and what they counted',
      )
    },
  },
  {
    name: 'exclusively runs in the order of the calls',
    async run({ open }) {
      const store = open()
      const order: number[] = []
      const turns = Array.from({ length: 10 }, (_, index) =>
        store.exclusively('key', async () => {
          order.push(index)
          await store.get('key')
        }),
      )
      await Promise.all(turns)
      equal(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'the order of the turns')
    },
  },
  {
    name: 'exclusively has other keys not wait, also from within a turn',
    async run({ open }) {
      const [one, other] = [open(), open()]
      const { promise: freed, resolve: free } = signal()
      const holding = one.exclusively('held', () => freed)
      await other.exclusively('key', async () => {
        equal(await other.exclusively('within', async () => 1), 1, 'a turn within the turn of another key')
      })
      free()
      await holding
    },
  },
  {
    name: 'exclusively holds back nobody who only reads and writes',
    async run({ open }) {
      const [one, other] = [open(), open()]
      await one.exclusively('key', async () => {
        await one.set('key', 1)
        equal(await other.get('key'), 1, 'what another store reads while the turn lasts')
        await other.set('key', 2)
        equal(await one.get('key'), 2, 'what another store wrote while the turn lasted')
      })
    },
  },
  {
    name: 'exclusively goes on after a holder that failed',
    async run({ open }) {
      const [one, other] = [open(), open()]
      const failing = one.exclusively('key', () => Promise.reject(new Error('the holder failed')))
      const [afterIt, elsewhere] = [one.exclusively('key', async () => 1), other.exclusively('key', async () => 2)]
      await rejection(failing, 'the holder that fails')
      equal(await Promise.all([afterIt, elsewhere]), [1, 2], 'the turns that waited for it')
      equal(await one.exclusively('key', async () => 3), 3, 'a turn that was asked for later')
    },
  },
  {
    name: 'exclusively goes on after a holder that died, with what it had set',
    crashes: true,
    async run({ open, crash }) {
      const [dying, one, other] = [open(), open(), open()]
      const { promise: holds, resolve: taken } = signal()
      let late = false
      const never = new Promise<void>(() => {})
      // Neither ends: who could be told is dead.
      const held = dying.exclusively('key', async () => {
        await dying.set('key', 'set before the crash')
        taken()
        await never
      })
      const queued = dying.exclusively('key', async () => {
        late = true
      })
      for (const turn of [held, queued]) turn.catch(() => {})
      await holds
      const waiting = [one, other].map((store) => store.exclusively('key', () => store.get('key')))
      await crash?.(dying)
      const expected = ['set before the crash', 'set before the crash']
      equal(await Promise.all(waiting), expected, 'what the waiting stores read in their turns')
      equal(late, false, 'whether the dead store had a turn')
    },
  },
]

function signal(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((resolved) => {
    resolve = resolved
  })
  return { promise, resolve: () => resolve() }
}
