import { describe, expect, test } from 'vitest'
import { createRestStore } from '../../src/content/rest-store.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe('a store of what was left out', () => {
  test('gives bytes by their handle, whole and in pieces, as copies', () => {
    const store = createRestStore()
    const kept = bytes(1, 2, 3, 4, 5)
    const handle = store.keep({ mimeType: 'image/png', bytes: kept })!
    expect(store.read(handle)).toEqual({ mimeType: 'image/png', bytes: kept, size: 5 })
    expect(store.read(handle, { length: 2 })).toEqual({ mimeType: 'image/png', bytes: bytes(1, 2), size: 5, next: 2 })
    expect(store.read(handle, { offset: 3, length: 2 })).toEqual({ mimeType: 'image/png', bytes: bytes(4, 5), size: 5 })
    const read = store.read(handle) as { bytes: Uint8Array }
    read.bytes.fill(0)
    expect(store.read(handle)).toMatchObject({ bytes: bytes(1, 2, 3, 4, 5) })
  })

  test('gives text without cutting a character, and its size as UTF-8', () => {
    const store = createRestStore()
    const text = 'aé😀中'
    const handle = store.keep({ text })!
    expect(store.read(handle)).toEqual({ text, size: 1 + 2 + 4 + 3 })
    expect(store.read(handle, { length: 3 })).toMatchObject({ text: 'aé', next: 2 })
    // An offset within the emoji begins at the emoji, and a piece that is shorter than it holds it all the same.
    expect(store.read(handle, { offset: 3, length: 1 })).toMatchObject({ text: '😀', next: 4 })
    const pieces: string[] = []
    for (let next: number | undefined = 0; next !== undefined; ) {
      const piece = store.read(handle, { offset: next, length: 1 }) as { text: string; next?: number }
      pieces.push(piece.text)
      next = piece.next
    }
    expect(pieces).toEqual(['a', 'é', '😀', '中'])
  })

  test.each([
    [{ offset: -5 }, 'abc'],
    [{ offset: 99 }, ''],
    [{ offset: Number.NaN, length: Number.NaN }, ''],
    [{ length: 0 }, ''],
    [{ offset: 1.9, length: 1.9 }, 'b'],
  ])('a range %j is brought into bounds', (range, text) => {
    const store = createRestStore()
    expect(store.read(store.keep({ text: 'abc' })!, range)).toMatchObject({ text })
  })

  test('knows what it keeps already, equal or the same', () => {
    const store = createRestStore()
    const image = bytes(1, 2, 3)
    const handle = store.keep({ mimeType: 'image/png', bytes: image })
    expect(store.keep({ mimeType: 'image/png', bytes: image })).toBe(handle)
    expect(store.keep({ mimeType: 'image/png', bytes: bytes(1, 2, 3) })).toBe(handle)
    const others = [
      { mimeType: 'image/gif', bytes: image },
      { bytes: image },
      { mimeType: 'image/png', bytes: bytes(1, 2, 4) },
      { mimeType: 'image/png', text: '\x01\x02\x03' },
    ].map((rest) => store.keep(rest))
    expect(new Set([handle, ...others]).size).toBe(5)
  })

  test('lets the oldest go at its bound, and what was kept again is not the oldest', () => {
    const store = createRestStore({ maxBytes: 10 })
    const first = store.keep({ text: 'aaaa' })!
    const second = store.keep({ text: 'bbbb' })!
    store.keep({ text: 'aaaa' })
    const third = store.keep({ text: 'éé' })!
    expect([first, second, third].map((handle) => store.read(handle)?.size)).toEqual([4, undefined, 4])
    expect(store.keep({ text: 'x'.repeat(11) })).toBeUndefined()
    expect(store.read(third)).toBeDefined()
    expect(store.keep({ text: 'x'.repeat(10) })).toBeDefined()
    expect([first, third].map((handle) => store.read(handle))).toEqual([undefined, undefined])
  })

  test('keeps so many things at the most, however small', () => {
    const store = createRestStore({ maxItems: 2 })
    const handles = ['a', 'b', 'a', 'c'].map((text) => store.keep({ text })!)
    expect(handles[2]).toBe(handles[0])
    expect(handles.map((handle) => store.read(handle)?.size)).toEqual([1, undefined, 1, 1])
    const full = createRestStore()
    const first = full.keep({ text: 'first' })!
    for (let count = 0; count < 1_000; count++) full.keep({ text: String(count) })
    expect(full.read(first)).toBeUndefined()
  })

  test('lets go on demand, and has room again', () => {
    const store = createRestStore({ maxBytes: 4 })
    const handle = store.keep({ text: 'aaaa' })!
    expect(store.delete(handle)).toBe(true)
    expect(store.delete(handle)).toBe(false)
    expect(store.read(handle)).toBeUndefined()
    const next = store.keep({ text: 'bb' })!
    store.keep({ text: 'cc' })
    expect(store.read(next)).toBeDefined()
  })

  test('has handles that nobody can guess, and that are no other store’s', () => {
    const stores = [createRestStore(), createRestStore()]
    const handles = stores.map((store) => store.keep({ text: 'secret' })!)
    for (const handle of handles) expect(handle).toMatch(/^[a-z2-9]{12}$/)
    expect(handles[0]).not.toBe(handles[1])
    expect(stores[1]!.read(handles[0]!)).toBeUndefined()
    for (const name of ['__proto__', 'constructor', '']) expect(stores[0]!.read(name)).toBeUndefined()
  })

  test('has no longer what was transferred to another realm', () => {
    const store = createRestStore()
    const moved = bytes(1, 2, 3)
    const handle = store.keep({ bytes: moved })!
    structuredClone(moved, { transfer: [moved.buffer] })
    expect(store.read(handle)).toBeUndefined()
  })
})
