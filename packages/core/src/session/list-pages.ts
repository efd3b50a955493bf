import type { Finding } from '../protocol.js'

/** Where each list method keeps its items, what tells one from another, and the kind of list by which changes are told. */
export const listMethods = {
  'tools/list': { key: 'tools', identity: 'name', kind: 'tools' },
  'resources/list': { key: 'resources', identity: 'uri', kind: 'resources' },
  'resources/templates/list': { key: 'resourceTemplates', identity: 'uriTemplate', kind: 'resources' },
  'prompts/list': { key: 'prompts', identity: 'name', kind: 'prompts' },
} as const

export type ListMethod = keyof typeof listMethods
export type ListKind = (typeof listMethods)[ListMethod]['kind']
export const listKinds: readonly ListKind[] = ['tools', 'resources', 'prompts']

export const isListMethod = (method: string): method is ListMethod => Object.hasOwn(listMethods, method)

/** Pages and items of one list that are read at the most. */
const maxPages = 1_000
const maxItems = 100_000

export interface Page<Item> {
  items: Item[]
  nextCursor?: unknown
  /** Milliseconds since the epoch, until which the page counts as the server's. */
  freshUntil: number
}

export interface Listing<Item = object> {
  items: Item[]
  /** Milliseconds since the epoch: a list is no fresher than the least fresh of its pages. */
  freshUntil: number
}

/**
 * Every page of a list. `nextCursor` absent, `null` or `""` is the end; a cursor that came before, or too many pages or
 * items, ends the list with a finding, and what was read is kept. So is an item that several pages name, once: servers
 * repeat pages, and a list may change while it is read.
 *
 * @param identity - What tells one item from another.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination}
 */
export async function readPages<Item>(
  fetchPage: (cursor?: string) => Promise<Page<Item>>,
  identity: (item: Item) => unknown,
  report: (finding: Finding) => void,
): Promise<Listing<Item>> {
  const items: Item[] = []
  const named = new Set<unknown>()
  const seen = new Set<string>()
  let freshUntil = Number.POSITIVE_INFINITY
  let count = 0
  let cursor: string | undefined
  const stop = (message: string) => report({ code: 'list-ended', message })
  const ended = () => {
    const repeated = count - items.length
    if (repeated > 0)
      report({ code: 'item-repeated', message: `${repeated} items had come on an earlier page and were left out` })
    return { items, freshUntil }
  }
  for (let page = 1; ; page++) {
    const { items: found, nextCursor, freshUntil: pageUntil } = await fetchPage(cursor)
    freshUntil = Math.min(freshUntil, pageUntil)
    const unique = found.filter((item) => !named.has(identity(item)))
    count += found.length
    for (const item of unique) {
      items.push(item)
      named.add(identity(item))
    }
    if (nextCursor === undefined || nextCursor === null || nextCursor === '') return ended()
    if (typeof nextCursor !== 'string') stop('The list ends with a nextCursor that is no string')
    else if (seen.has(nextCursor)) stop('The list repeats a cursor; it was ended there')
    else if (page >= maxPages || count >= maxItems) stop(`The list was ended after ${page} pages, ${count} items`)
    else {
      seen.add(nextCursor)
      cursor = nextCursor
      continue
    }
    return ended()
  }
}
