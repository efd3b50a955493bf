import { type TokenStoreSubject, tokenStoreCases } from '@x/testkit/token-store'
import { describe, expect, test } from 'vitest'
import { createMemoryTokenStore, type TokenStore } from '../../src/authorization/token-store.js'
import type { Json } from '../../src/protocol.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createTokenStores } from '../support/token-stores.js'

failOnUnhandled()

/** One store is all that shares a realm's memory. */
function memory(change: (store: TokenStore) => Partial<TokenStore> = () => ({})): TokenStoreSubject {
  const store = createMemoryTokenStore()
  const changed = { ...store, ...change(store) }
  return { open: () => changed }
}

describe('the memory store', () => {
  test.each(tokenStoreCases.filter(({ crashes }) => !crashes))('$name', ({ run }) => run(memory()))
})

describe('stores of several tabs', () => {
  test.each(tokenStoreCases)('$name', ({ run }) => run(createTokenStores()))
})

describe('the suite finds', () => {
  const failures = async (subject: () => TokenStoreSubject) => {
    const names: string[] = []
    for (const { name, run, crashes } of tokenStoreCases)
      if (!crashes) await run(subject()).catch(() => names.push(name))
    return names
  }

  test('nothing wrong with a store that is right', async () => {
    expect(await failures(() => memory())).toEqual([])
  })

  test('a store without turns', async () => {
    const found = await failures(() => memory(() => ({ exclusively: async (_, run) => run() })))
    expect(found).toEqual(['exclusively lets one run at a time, of all stores'])
  })

  test('turns of one tab alone', async () => {
    const found = await failures(() => {
      const shared = createMemoryTokenStore()
      return { open: () => ({ ...shared, exclusively: createMemoryTokenStore().exclusively }) }
    })
    expect(found).toEqual(['exclusively lets one run at a time, of all stores'])
  })

  test('turns in another order', async () => {
    const found = await failures(() =>
      memory((store) => {
        let calls = 0
        return {
          async exclusively(key, run) {
            if (calls++ % 2 === 0) await store.get(key)
            return store.exclusively(key, run)
          },
        }
      }),
    )
    expect(found).toEqual(['exclusively runs in the order of the calls'])
  })

  test('objects that are shared', async () => {
    const found = await failures(() => {
      const values = new Map<string, Json>()
      return memory(() => ({
        get: async (key) => values.get(key),
        set: async (key, value) => void values.set(key, value),
        delete: async (key) => void values.delete(key),
      }))
    })
    expect(found).toEqual(['takes a value as it is when it is set', 'gives values that are the caller’s own'])
  })

  test('keys of an object that has some already', async () => {
    const found = await failures(() => {
      const values: Record<string, Json> = {}
      return memory(() => ({
        get: async (key) => structuredClone(values[key]),
        set: async (key, value) => {
          values[key] = structuredClone(value)
        },
        delete: async (key) => {
          delete values[key]
        },
      }))
    })
    expect(found).toEqual(['keeps keys apart, whatever they are made of'])
  })
})
