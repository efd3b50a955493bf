import { expect, test } from 'vitest'
import { createMemoryStore } from '../src/memory-store.js'

test('what is set is what is got, until it is deleted', async () => {
  const store = createMemoryStore()
  expect(await store.get('a')).toBeUndefined()
  await store.set('a', { era: 'legacy' })
  await store.set('b', 1)
  expect([await store.get('a'), await store.get('b')]).toEqual([{ era: 'legacy' }, 1])
  await store.delete('a')
  expect([await store.get('a'), await store.get('b')]).toEqual([undefined, 1])
})

test('of more than a thousand entries those written last are kept', async () => {
  const store = createMemoryStore()
  for (let entry = 0; entry < 1_000; entry++) await store.set(`${entry}`, entry)
  await store.set('0', 'again')
  await store.set('new', 'new')
  expect([await store.get('0'), await store.get('1'), await store.get('2')]).toEqual(['again', undefined, 2])
})
