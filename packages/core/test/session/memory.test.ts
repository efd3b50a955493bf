import { afterEach, describe, expect, test, vi } from 'vitest'
import { type KeyValueStore, resolveConfig, type ServerConfig } from '../../src/config.js'
import type { Json, JsonObject } from '../../src/protocol.js'
import { createMemory, type Known } from '../../src/session/memory.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()
afterEach(() => vi.unstubAllGlobals())

const url = 'https://server.example/mcp'
const dayMs = 86_400_000
const discover = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 60_000,
  cacheScope: 'private',
}
const modern: Known = { era: 'modern', discover }
const legacy: Known = { era: 'legacy', transport: 'streamable-http' }

/** A store that tells what it holds, and when it was written. */
function createStore(own: Partial<KeyValueStore> = {}) {
  const kept = new Map<string, Json>()
  let written = () => {}
  const writing = new Promise<void>((resolve) => {
    written = resolve
  })
  const store: KeyValueStore = {
    get: async (key) => kept.get(key),
    async set(key, value) {
      kept.set(key, value)
      written()
    },
    async delete(key) {
      kept.delete(key)
    },
    ...own,
  }
  return { store, kept, writing }
}

const timers = createTimers()

function memoryOf(
  store: KeyValueStore | undefined,
  {
    config = {},
    headers = {},
    capabilities = {},
  }: { config?: Partial<ServerConfig>; headers?: Record<string, string>; capabilities?: JsonObject } = {},
) {
  const resolved = resolveConfig({ url, ...config })
  return createMemory({
    store,
    endpoint: { url: resolved.url, headers: async () => headers, now: timers.now, setTimer: timers.setTimer },
    config: resolved,
    identity: { clientInfo: { name: 'test', version: '1' }, capabilities },
  })
}

const { signal } = new AbortController()

describe('what was remembered', () => {
  test.each<[string, Known]>([
    ['of a modern server', modern],
    ['of a legacy server', legacy],
    ['of a server of HTTP+SSE that refuses new revisions', { era: 'legacy', transport: 'sse', offer: '2024-11-05' }],
  ])('%s is recalled', async (_what, known) => {
    const { store, writing } = createStore()
    memoryOf(store).remember(known)
    await writing
    expect(await memoryOf(store).recall(signal)).toEqual(known)
    expect(timers.pending()).toBe(0)
  })

  test.each<[string, Parameters<typeof memoryOf>[1]]>([
    ['another URL', { config: { url: `${url}/other` } }],
    ['another query', { config: { url: `${url}?tenant=b` } }],
    ['another credential', { headers: { authorization: 'Bearer other' } }],
    ['no credential', { headers: {} }],
    ['other hooks', { headers: { authorization: 'Bearer one' }, capabilities: { roots: {} } }],
    ['a pinned revision', { headers: { authorization: 'Bearer one' }, config: { protocolVersion: '2025-06-18' } }],
    ['another transport', { headers: { authorization: 'Bearer one' }, config: { transport: 'streamable-http' } }],
    ['cookies', { headers: { authorization: 'Bearer one' }, config: { credentials: 'include' } }],
  ])('is not for %s', async (_what, other) => {
    const { store, writing } = createStore()
    const headers = { authorization: 'Bearer one' }
    memoryOf(store, { headers }).remember(legacy)
    await writing
    expect(await memoryOf(store, { headers }).recall(signal)).toEqual(legacy)
    expect(await memoryOf(store, other).recall(signal)).toBeUndefined()
  })

  test('holds no credential, neither in the key nor in the value', async () => {
    const { store, kept, writing } = createStore()
    memoryOf(store, {
      config: { url: `${url}?key=s3cret-1` },
      headers: { authorization: 'Bearer s3cret-2', 'x-api-key': 's3cret-3' },
    }).remember(modern)
    await writing
    expect(JSON.stringify([...kept])).not.toMatch(/s3cret|Bearer/)
    expect([...kept.keys()]).toEqual([expect.stringMatching(/^x\/server\/[0-9a-f]{64}$/)])
  })
})

describe('it lasts', () => {
  test.each<[string, Known, number]>([
    ['a discover result as long as it says', modern, 60_000],
    [
      'a discover result that says a year, a day',
      { era: 'modern', discover: { ...discover, ttlMs: 365 * dayMs } },
      dayMs,
    ],
    ['a legacy verdict a day', legacy, dayMs],
  ])('%s', async (_what, known, ms) => {
    const { store, writing } = createStore()
    memoryOf(store).remember(known)
    await writing
    timers.advance(ms - 1)
    expect(await memoryOf(store).recall(signal)).toEqual(known)
    timers.advance(1)
    expect(await memoryOf(store).recall(signal)).toBeUndefined()
  })

  test('not at all where the clock was set back', async () => {
    const { store, kept } = createStore()
    const at = timers.now() + 1
    await store.set('any', { ...(legacy as unknown as JsonObject), at, until: at + dayMs })
    const [value] = kept.values()
    expect(await memoryOf({ ...store, get: async () => value }).recall(signal)).toBeUndefined()
    timers.advance(1)
    expect(await memoryOf({ ...store, get: async () => value }).recall(signal)).toEqual(legacy)
  })
})

describe('nothing is kept', () => {
  const withDiscover = (more: JsonObject): Known => ({ era: 'modern', discover: { ...discover, ...more } })
  test.each<[string, Known, Partial<ServerConfig>]>([
    ['of a server that says so', withDiscover({ ttlMs: 0 }), {}],
    ['below zero', withDiscover({ ttlMs: -1 }), {}],
    ['for no number of milliseconds', withDiscover({ ttlMs: '60000' }), {}],
    ['for NaN milliseconds', withDiscover({ ttlMs: Number.NaN }), {}],
    ['that is longer than 64 KiB', withDiscover({ instructions: 'x'.repeat(65_536) }), {}],
    ['that a cookie may have decided', modern, { credentials: 'include' }],
    ['that a cookie of the same origin may have decided', modern, { credentials: 'same-origin' }],
  ])('%s', async (_what, known, config) => {
    const { store, kept, writing } = createStore()
    const memory = memoryOf(store, { config })
    memory.remember(known)
    // What is written next has overtaken nothing.
    memoryOf(store, { headers: { other: 'server' } }).remember(legacy)
    await writing
    expect(kept.size).toBe(1)
    expect(await memory.recall(signal)).toBeUndefined()
  })

  test('without WebCrypto, as in a page without TLS', async () => {
    vi.stubGlobal('crypto', {})
    const calls: string[] = []
    const note = (name: string) => async () => void calls.push(name)
    const memory = memoryOf({ get: note('get'), set: note('set'), delete: note('delete') })
    memory.remember(legacy)
    expect(await memory.recall(signal)).toBeUndefined()
    memory.forget()
    await new Promise(setImmediate)
    expect(calls).toEqual([])
  })

  test('without a store', async () => {
    const memory = memoryOf(undefined)
    memory.remember(legacy)
    expect(await memory.recall(signal)).toBeUndefined()
    memory.forget()
  })
})

test('what is public is kept whoever the cookie says it is', async () => {
  const known: Known = { era: 'modern', discover: { ...discover, cacheScope: 'public' } }
  const { store, writing } = createStore()
  const memory = memoryOf(store, { config: { credentials: 'include' } })
  memory.remember(known)
  await writing
  expect(await memory.recall(signal)).toEqual(known)
})

describe('a store', () => {
  const inTime = { at: 0, until: Number.MAX_SAFE_INTEGER }
  test.each<[string, Json | undefined]>([
    ['null', null],
    ['a text', 'modern'],
    ['a list', [legacy as unknown as Json]],
    ['no times', legacy as unknown as Json],
    ['no era', { transport: 'sse', ...inTime }],
    ['an era to come', { era: 'future', ...inTime }],
    ['a modern server without its answer', { era: 'modern', ...inTime }],
    ['a modern server that is none', { era: 'modern', discover: { supportedVersions: ['2025-06-18'] }, ...inTime }],
    ['a transport that is none', { era: 'legacy', transport: 'stdio', ...inTime }],
    ['times that are none', { ...(legacy as object), at: '0', until: '1' }],
    ['a year', { ...(legacy as object), at: timers.now(), until: timers.now() + 365 * dayMs }],
  ])('that gives %s gives nothing', async (_what, value) => {
    const get = async () => value as Json
    expect(await memoryOf({ ...createStore().store, get }).recall(signal)).toBeUndefined()
  })

  test.each<[string, unknown]>([
    ['a revision that is none', '1999-01-01'],
    ['the modern revision', '2026-07-28'],
    ['no text', 7],
  ])('that gives a legacy server with %s gives the server alone', async (_what, offer) => {
    const value = { ...(legacy as object), offer, at: timers.now(), until: timers.now() + 1 } as Json
    expect(await memoryOf({ ...createStore().store, get: async () => value }).recall(signal)).toEqual(legacy)
  })

  test.each<[string, () => Promise<never>]>([
    ['rejects', () => Promise.reject(new Error('quota'))],
    [
      'throws',
      () => {
        throw new Error('locked')
      },
    ],
  ])('that %s gives nothing, and harms nothing', async (_what, fail) => {
    const memory = memoryOf({ get: fail, set: fail, delete: fail })
    memory.remember(legacy)
    expect(await memory.recall(signal)).toBeUndefined()
    memory.forget()
    await new Promise(setImmediate)
    expect(timers.pending()).toBe(0)
  })

  test('that never answers is waited for a second', async () => {
    const get = () => new Promise<never>(() => {})
    const recalling = memoryOf({ ...createStore().store, get }).recall(signal)
    timers.advance(999)
    expect(timers.pending()).toBe(1)
    timers.advance(1)
    expect(await recalling).toBeUndefined()
  })

  test('that never answers keeps nobody who has left', async () => {
    const abort = new AbortController()
    const get = () => new Promise<never>(() => {})
    const recalling = rejection(memoryOf({ ...createStore().store, get }).recall(abort.signal))
    abort.abort('enough')
    expect(await recalling).toBe('enough')
    expect(timers.pending()).toBe(0)
  })
})

test('what was forgotten is not recalled, also where the store can’t forget', async () => {
  const { store, kept, writing } = createStore()
  const memory = memoryOf({ ...store, delete: () => Promise.reject(new Error('read-only')) })
  memory.remember(legacy)
  await writing
  memory.forget()
  expect(await memory.recall(signal)).toBeUndefined()
  expect(kept.size).toBe(1)
  const other = memoryOf(store)
  expect(await other.recall(signal)).toEqual(legacy)
  other.forget()
  while (kept.size > 0) await new Promise(setImmediate)
})
