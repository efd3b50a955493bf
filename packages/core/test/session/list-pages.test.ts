import { describe, expect, test } from 'vitest'
import type { Finding } from '../../src/protocol.js'
import { readPages } from '../../src/session/list-pages.js'

/** Reads a list whose page `n` is what `page(n)` gives; tells what was asked, found and reported. */
async function read(page: (index: number) => { items: number[]; nextCursor?: unknown }) {
  const asked: (string | undefined)[] = []
  const findings: Finding[] = []
  const { items } = await readPages(
    async (cursor) => {
      asked.push(cursor)
      return { freshUntil: 0, ...page(asked.length - 1) }
    },
    (item) => item,
    (finding) => findings.push(finding),
  )
  return { asked, findings, items }
}

test('pages are joined in order, each asked for with the cursor before it', async () => {
  const pages = [{ items: [1, 2], nextCursor: 'a' }, { items: [], nextCursor: 'b' }, { items: [3] }]
  expect(await read((index) => pages[index]!)).toEqual({ asked: [undefined, 'a', 'b'], findings: [], items: [1, 2, 3] })
})

test.each([[undefined], [null], ['']])('nextCursor %j is the end', async (nextCursor) => {
  expect(await read(() => ({ items: [1], nextCursor }))).toEqual({ asked: [undefined], findings: [], items: [1] })
})

describe('what was read is kept, with a finding, when', () => {
  test('a cursor comes again', async () => {
    const cursors = ['a', 'b', 'a']
    const { asked, findings, items } = await read((index) => ({ items: [index], nextCursor: cursors[index] }))
    expect(asked).toEqual([undefined, 'a', 'b'])
    expect(items).toEqual([0, 1, 2])
    expect(findings).toMatchObject([{ code: 'list-ended', message: expect.stringContaining('repeats') }])
  })

  test('a cursor is no string', async () => {
    const { asked, findings, items } = await read(() => ({ items: [1], nextCursor: 7 }))
    expect([asked, items]).toEqual([[undefined], [1]])
    expect(findings).toMatchObject([{ code: 'list-ended' }])
  })

  test('there are a thousand pages', async () => {
    const { asked, findings, items } = await read((index) => ({ items: [index], nextCursor: `${index}` }))
    expect([asked.length, items.length]).toEqual([1_000, 1_000])
    expect(findings).toMatchObject([{ code: 'list-ended', message: expect.stringContaining('1000 pages') }])
  })

  test('there are a hundred thousand items', async () => {
    const page = (first: number) => Array.from({ length: 40_000 }, (_, index) => first + index)
    const { asked, findings } = await read((index) => ({ items: page(index * 40_000), nextCursor: `${index}` }))
    expect(asked).toHaveLength(3)
    expect(findings).toMatchObject([{ code: 'list-ended', message: expect.stringContaining('120000 items') }])
  })
})

test('what came on an earlier page is left out of a later one; within a page nothing is', async () => {
  const pages = [{ items: [1, 1, 2], nextCursor: 'a' }, { items: [2, 3, 1], nextCursor: 'b' }, { items: [3] }]
  const { findings, items } = await read((index) => pages[index]!)
  expect(items).toEqual([1, 1, 2, 3])
  expect(findings).toMatchObject([{ code: 'item-repeated', message: expect.stringContaining('3 items') }])
})

test('a list is as fresh as the least fresh of its pages', async () => {
  const until = [30, 10, 20]
  let page = 0
  const fetchPage = async () => ({ items: [], freshUntil: until[page]!, nextCursor: ['a', 'b'][page++] })
  expect(
    (
      await readPages(
        fetchPage,
        (item) => item,
        () => {},
      )
    ).freshUntil,
  ).toBe(10)
})

test('a page that fails fails the list', async () => {
  const failure = new Error('page 2')
  const reading = read((index) => {
    if (index === 1) throw failure
    return { items: [1], nextCursor: 'a' }
  })
  await expect(reading).rejects.toBe(failure)
})
