import { describe, expect, test } from 'vitest'
import { initiallyExpanded, preview, toJsonText, toRows } from '../../src/json/rows.js'

const ids = (value: unknown, ...expanded: string[]) => toRows(value, new Set(expanded)).map(({ id }) => id)

describe('the lines of a tree', () => {
  test('are those of the opened containers, named by JSON Pointer', () => {
    const value = { 'a/b': { 'c~d': [1] }, e: 2 }
    expect(ids(value)).toEqual([''])
    expect(ids(value, '')).toEqual(['', '/a~1b', '/e'])
    expect(ids(value, '', '/a~1b', '/a~1b/c~0d')).toEqual(['', '/a~1b', '/a~1b/c~0d', '/a~1b/c~0d/0', '/e'])
  })

  test('know their depth and their place among their siblings', () => {
    const [, , second] = toRows(['a', 'b', 'c'], new Set(['']))
    expect(second).toMatchObject({ key: 1, depth: 1, position: 2, siblings: 3, expandable: false })
  })

  test('are never more than a hundred for one container, however many entries it has', () => {
    const million = new Array(1_000_000).fill(0)
    const top = toRows(million, new Set(['']))
    expect(top).toHaveLength(101)
    expect(top[1]).toMatchObject({ id: '[0-10000]', range: { from: 0, to: 10_000 } })
    const inner = toRows(million, new Set(['', '[990000-1000000]', '[999900-1000000]']))
    expect(inner).toHaveLength(301)
    expect(inner.at(-1)).toMatchObject({ id: '/999999', key: 999_999, depth: 3 })
  })

  test('open a long text, and not a short one', () => {
    expect(toRows('short', new Set(['']))[0]).toMatchObject({ expandable: false, expanded: false })
    expect(toRows('x'.repeat(500), new Set(['']))[0]).toMatchObject({ expandable: true, expanded: true })
  })

  test('take bytes for one value', () => {
    expect(toRows({ data: new Uint8Array(5_000) }, new Set(['', '/data']))).toHaveLength(2)
  })
})

describe('what is open at first', () => {
  test('is everything of a small value', () => {
    expect(initiallyExpanded({ a: { b: 1 } }, 60)).toEqual(new Set(['', '/a']))
  })

  test('is only the outermost level of a large one', () => {
    const value = Array.from({ length: 50 }, () => ({ a: 1, b: 2 }))
    expect(initiallyExpanded(value, 60)).toEqual(new Set(['']))
  })
})

test('a closed container is told by its first keys or its length', () => {
  expect(preview({ a: 1, b: 2 })).toBe('{ a, b }')
  expect(preview(Object.fromEntries('abcdefg'.split('').map((key) => [key, 1])))).toBe('{ a, b, c, d, e, … }')
  expect(preview(new Array(1234).fill(0))).toBe('[ 1,234 ]')
  expect(preview({})).toBe('{}')
})

test('JSON text says how long bytes are', () => {
  expect(toJsonText({ data: new Uint8Array(3) })).toBe('{\n  "data": "<3 bytes>"\n}')
})
