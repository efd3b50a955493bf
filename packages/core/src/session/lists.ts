import type { Finding } from '../protocol.js'

/** Pages and items of one list that are read at the most. */
const maxPages = 1_000
const maxItems = 100_000

interface Page<Item> {
  items: Item[]
  nextCursor?: unknown
}

/**
 * Every page of a list. `nextCursor` absent, `null` or `""` is the end; a cursor that came before, or too many pages or
 * items, ends the list with a finding, and what was read is kept.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination}
 */
export async function readPages<Item>(
  fetchPage: (cursor?: string) => Promise<Page<Item>>,
  report: (finding: Finding) => void,
): Promise<Item[]> {
  const items: Item[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  const stop = (message: string) => report({ code: 'list-ended', message })
  for (let page = 1; ; page++) {
    const { items: found, nextCursor } = await fetchPage(cursor)
    for (const item of found) items.push(item)
    if (nextCursor === undefined || nextCursor === null || nextCursor === '') return items
    if (typeof nextCursor !== 'string') stop('The list ends with a nextCursor that is no string')
    else if (seen.has(nextCursor)) stop('The list repeats a cursor; it was ended there')
    else if (page >= maxPages || items.length >= maxItems)
      stop(`The list was ended after ${page} pages, ${items.length} items`)
    else {
      seen.add(nextCursor)
      cursor = nextCursor
      continue
    }
    return items
  }
}
