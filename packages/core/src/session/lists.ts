import { onAbort, untilAborted } from '../abort.js'
import { InvalidResponseError } from '../errors.js'
import type { Era, Finding, JsonObject, Tool } from '../protocol.js'
import { mendList } from '../transport/mend.js'
import type { SendOptions } from './link.js'
import { type Listing, type ListKind, type ListMethod, listMethods, type Page, readPages } from './list-pages.js'
import { type ReplayDeadline, withReplay } from './replay.js'
import type { ToolMemory } from './tool-memory.js'

/** The server's lists: whole, mended, shared by those who read at once, and kept for as long as they are fresh. */
export interface Lists {
  /** The whole list; of it the caller owns its own copy. */
  read(method: ListMethod, caller: Caller): Promise<object[]>
  /** One raw page. */
  readPage(method: ListMethod, params: { cursor: string }, caller: Caller): Promise<object>
  /** What is known of these lists is no longer so. */
  forget(kind: ListKind): void
  /** Which of these lists somebody has read. */
  known(kind: ListKind): ListMethod[]
  /**
   * Reads what was forgotten, unless somebody has; those who are told of it find it fresh for a moment.
   *
   * @returns Whether any of these lists differs from what it was when it was forgotten.
   */
  renew(methods: readonly ListMethod[], caller: Caller): Promise<boolean>
  /** What was forgotten, and could not be read again, is known once more. */
  restore(methods: readonly ListMethod[]): void
}

export interface Caller {
  deadline: ReplayDeadline
  options?: Omit<SendOptions, 'signal' | 'headers'>
  /** Asks the server, whatever is known. */
  refresh?: boolean | undefined
}

export interface ListsOptions {
  send(method: ListMethod, params: object, options: SendOptions): Promise<JsonObject>
  era(): Era
  /** `_meta` of every request: a caller's own that differs may bring another list. */
  meta: JsonObject
  /**
   * Of a server that tells of changes: numbers the time in which none can have been missed; undefined while it is not
   * heard. What was read at another time may have changed since.
   */
  heard(kind: ListKind): number | undefined
  toolMemory: ToolMemory
  report(finding: Finding): void
  /** By the wall clock: time in which a person is asked ages a list too. */
  now(): number
  setTimer(ms: number, run: () => void): () => void
  closing: AbortSignal
}

interface Entry {
  /** Counts how often the list was forgotten; what was read under an earlier number is stale. */
  generation: number
  kept?: Kept
  /** What was known when it was forgotten. */
  before?: Kept | undefined
  reading?: Reading
}

interface Kept extends Listing {
  generation: number
  /** When it was heard of changes as the reading began. */
  heard: number | undefined
  readAt: number
}

interface Reading {
  generation: number
  /** Whether a page has come: what the server changes from now on may not be in the list. */
  answered: boolean
  /** The deadlines of those who wait. */
  waiting: Set<ReplayDeadline>
  abort: AbortController
  result: Promise<Kept>
}

/** The longest that a server's `ttlMs` counts. */
const longestTtlMs = 86_400_000
/** Milliseconds that a list which was read because it changed stays fresh: whoever is told of it comes and reads it. */
const toldMs = 1_000
const methodNotFound = -32601

export function createLists(options: ListsOptions): Lists {
  const { send, era, meta, heard, toolMemory, report, now, setTimer, closing } = options
  const entries = new Map<ListMethod, Entry>()

  function entryOf(method: ListMethod): Entry {
    const entry = entries.get(method) ?? { generation: 0 }
    entries.set(method, entry)
    return entry
  }

  const heardOf = (method: ListMethod) => heard(listMethods[method].kind)
  const methodsOf = (kind: ListKind) => [...entries.keys()].filter((method) => listMethods[method].kind === kind)

  function isFresh(method: ListMethod): boolean {
    const { kept, generation } = entryOf(method)
    if (!kept || kept.generation !== generation) return false
    if (kept.freshUntil === Number.POSITIVE_INFINITY && (kept.heard === undefined || kept.heard !== heardOf(method)))
      return false
    // A clock that was set back makes nothing fresh.
    return now() >= kept.readAt && now() < kept.freshUntil
  }

  async function read(method: ListMethod, caller: Caller): Promise<object[]> {
    const entry = entryOf(method)
    if (differs(caller.options?.meta, meta)) return (await readAll(method, caller, caller.deadline, () => {})).items
    if (!caller.refresh && isFresh(method)) return structuredClone(entry.kept!.items)
    const { reading } = entry
    const joins =
      reading !== undefined &&
      !reading.abort.signal.aborted &&
      reading.generation === entry.generation &&
      !(caller.refresh && reading.answered) &&
      // Its progress would go to whoever began.
      !caller.options?.onProgress
    const { items } = await wait(joins ? reading : begin(method, entry, caller), caller.deadline)
    return structuredClone(items)
  }

  /** One who waits for a reading leaves at its own deadline; with the last one the reading ends. */
  async function wait({ waiting, abort, result }: Reading, deadline: ReplayDeadline): Promise<Kept> {
    const leave = () => {
      waiting.delete(deadline)
      if (waiting.size === 0) abort.abort()
    }
    waiting.add(deadline)
    const stopWatching = onAbort(deadline.signal, leave)
    try {
      return await untilAborted(deadline.signal, result)
    } finally {
      stopWatching()
      leave()
    }
  }

  function begin(method: ListMethod, entry: Entry, caller: Caller): Reading {
    const abort = new AbortController()
    const waiting = new Set<ReplayDeadline>()
    const heardAtFirst = heardOf(method)
    const deadline: ReplayDeadline = {
      signal: abort.signal,
      remainingMs: () => Math.max(...[...waiting].map((one) => one.remainingMs())),
      progress() {
        for (const one of waiting) one.progress()
      },
    }
    const reading: Reading = {
      generation: entry.generation,
      answered: false,
      waiting,
      abort,
      result: readAll(method, caller, deadline, () => {
        reading.answered = true
      }).then((listing) => {
        const kept = { ...listing, generation: reading.generation, heard: heardAtFirst, readAt: now() }
        // A later one knows more, whichever ends first.
        if (entry.reading === reading) {
          entry.kept = kept
          if (method === 'tools/list') toolMemory.keepOnly(kept.items as Tool[])
        }
        return kept
      }),
    }
    // Nobody may be left who waits for it.
    reading.result.catch(() => {})
    entry.reading = reading
    return reading
  }

  async function readAll(
    method: ListMethod,
    caller: Caller,
    deadline: ReplayDeadline,
    onPage: () => void,
  ): Promise<Listing> {
    const { identity } = listMethods[method]
    try {
      return await readPages(
        async (cursor) => {
          const page = await askPage(method, cursor === undefined ? {} : { cursor }, caller, deadline)
          onPage()
          return page
        },
        (item) => (item as { [key: string]: unknown })[identity],
        report,
      )
    } catch (error) {
      // A server without this list may say so only when asked.
      if ((error as { code?: unknown }).code === methodNotFound) return { items: [], freshUntil: freshUntil(undefined) }
      throw error
    }
  }

  async function askPage(
    method: ListMethod,
    params: { cursor?: string },
    { options }: Caller,
    deadline: ReplayDeadline,
  ): Promise<Page<object>> {
    const { key } = listMethods[method]
    const sending: SendOptions = { ...options, signal: deadline.signal }
    const result = await withReplay(() => send(method, params, sending), { deadline, setTimer, closing })
    const { [key]: raw, ...page } = result
    if (!Array.isArray(raw))
      throw new InvalidResponseError(`The server's answer to ${method} holds no list "${key}"`, {
        data: { reason: 'shape' },
      })
    const items: object[] = mendList(key, raw, report)
    return {
      ...page,
      items: key === 'tools' ? toolMemory.remember(items as Tool[], report) : items,
      freshUntil: freshUntil(page.ttlMs),
    }
  }

  /** Earlier revisions tell of changes and know no time; since 2026-07-28 each page has its own. */
  function freshUntil(ttlMs: unknown): number {
    if (era() === 'legacy') return Number.POSITIVE_INFINITY
    return typeof ttlMs === 'number' && ttlMs > 0 ? now() + Math.min(ttlMs, longestTtlMs) : 0
  }

  return {
    read,
    async readPage(method, params, caller) {
      const { items, freshUntil: _, ...page } = await askPage(method, params, caller, caller.deadline)
      return { ...page, [listMethods[method].key]: items }
    },
    forget(kind) {
      for (const method of methodsOf(kind)) {
        const entry = entryOf(method)
        entry.generation++
        entry.before ??= entry.kept
      }
    },
    known: (kind) => methodsOf(kind).filter((method) => entryOf(method).kept),
    async renew(methods, caller) {
      await Promise.all(methods.map((method) => isFresh(method) || read(method, caller)))
      const changed = methods.map((method) => {
        const entry = entryOf(method)
        const { kept, before } = entry
        entry.before = undefined
        if (kept) kept.freshUntil = Math.max(kept.freshUntil, now() + toldMs)
        return JSON.stringify(before?.items) !== JSON.stringify(kept?.items)
      })
      return changed.includes(true)
    },
    restore(methods) {
      for (const method of methods) {
        const entry = entryOf(method)
        if (entry.kept) entry.kept.generation = entry.generation
      }
    },
  }
}

function differs(own: JsonObject = {}, configured: JsonObject): boolean {
  return Object.entries(own).some(([key, value]) => JSON.stringify(value) !== JSON.stringify(configured[key]))
}
