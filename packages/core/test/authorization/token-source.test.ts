import { describe, expect, test } from 'vitest'
import type { Tokens } from '../../src/authorization/tokens.js'
import { AuthorizationError, UnauthorizedError } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { failure, hourMs, key, setUp, tokens, unavailable } from '../support/token-source.js'
import { createTokenStores } from '../support/token-stores.js'

failOnUnhandled()

describe('tokens', () => {
  test('are given while they are good', async () => {
    const { source, renewals } = await setUp({ at: hourMs - 30_001 })
    expect(await source.get()).toEqual(tokens(1))
    expect(renewals).toEqual([])
  })

  test('are renewed half a minute before they expire', async () => {
    const { source, renewals, store } = await setUp({ at: hourMs - 30_000 })
    expect((await source.get())?.accessToken).toBe('access-2')
    expect(renewals).toEqual([tokens(1)])
    expect(await store.get(key)).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' })
    expect((await source.get())?.accessToken).toBe('access-2')
    expect(renewals).toHaveLength(1)
  })

  test('that live for seconds are renewed a tenth of that before', async () => {
    const stored = tokens(1, { expiresAt: 2_000 })
    const early = await setUp({ stored, at: 1_799 })
    await early.source.get()
    const due = await setUp({ stored, at: 1_800 })
    await due.source.get()
    expect([early.renewals.length, due.renewals.length]).toEqual([0, 1])
  })

  test('without an end are given until they are refused', async () => {
    const { expiresAt, ...stored } = tokens(1)
    const { source } = await setUp({ stored, at: 100 * hourMs })
    expect((await source.get())?.accessToken).toBe('access-1')
    expect((await source.get({ refused: 'access-1' }))?.accessToken).toBe('access-2')
  })

  test('that come expired are given once all the same', async () => {
    const { source } = await setUp({ at: hourMs, renew: async () => tokens(2, { expiresAt: 0 }) })
    expect((await source.get())?.accessToken).toBe('access-2')
  })

  test('are undefined where there are none', async () => {
    const { source, renewals } = await setUp({ stored: null })
    expect(await source.get()).toBeUndefined()
    expect(renewals).toEqual([])
  })

  test('of another version are none', async () => {
    const { source, store } = await setUp({ stored: null })
    await store.set(key, { accessToken: 'from long ago' })
    expect(await source.get()).toBeUndefined()
  })

  test('of another key are neither used, renewed nor deleted', async () => {
    const stored = tokens(1, { tokenType: 'DPoP', keyThumbprint: 'of another tab' })
    const { source, store } = await setUp({ stored, usable: ({ keyThumbprint }) => keyThumbprint === 'mine' })
    expect(await source.get()).toBeUndefined()
    expect(await store.get(key)).toEqual(stored)
  })
})

describe('tokens without a refresh token', () => {
  const { refreshToken, ...stored } = tokens(1)

  test('are good to their last millisecond', async () => {
    const { source } = await setUp({ stored, at: hourMs - 1 })
    expect((await source.get())?.accessToken).toBe('access-1')
  })

  test.each([
    ['expired', hourMs, undefined],
    ['refused', 0, 'access-1'],
  ])('are deleted when %s', async (_, at, refused) => {
    const { source, store, renewals } = await setUp({ stored, at })
    expect(await source.get({ refused })).toBeUndefined()
    expect(await store.get(key)).toBeUndefined()
    expect(renewals).toEqual([])
  })

  test('are got by the machine itself', async () => {
    const { source, renewals } = await setUp({ stored: null, renewable: () => true })
    expect((await source.get())?.accessToken).toBe('access-2')
    expect(renewals).toEqual([undefined])
  })
})

describe('a refused token', () => {
  test('is renewed', async () => {
    const { source } = await setUp()
    expect((await source.get({ refused: 'access-1' }))?.accessToken).toBe('access-2')
  })

  test('that was renewed since is not renewed again', async () => {
    const { source, renewals } = await setUp()
    expect((await source.get({ refused: 'access-0' }))?.accessToken).toBe('access-1')
    expect(renewals).toEqual([])
  })

  test('is not given again when the renewal brings the same one', async () => {
    const { source, renewals } = await setUp({ renew: async () => tokens(1) })
    expect(await source.get({ refused: 'access-1' })).toBeUndefined()
    expect(renewals).toHaveLength(1)
  })

  test('is renewed also by who joined a renewal that found it', async () => {
    const stores = createTokenStores()
    const [mine, theirs] = [stores.open(), stores.open()]
    const { source, renewals } = await setUp({ store: mine, stored: tokens(1) })
    let free = () => {}
    const held = theirs.exclusively(key, () => new Promise<void>((resolve) => (free = resolve)))
    const early = source.get({ refused: 'access-1' })
    // Meanwhile another tab renewed, and this one's next request was refused with what it brought.
    await theirs.set(key, { ...tokens(7) })
    const late = source.get({ refused: 'access-7' })
    free()
    await held
    expect((await early)?.accessToken).toBe('access-7')
    expect((await late)?.accessToken).toBe('access-2')
    expect(renewals).toEqual([tokens(7)])
  })
})

describe('parallel callers', () => {
  test('wait for one renewal', async () => {
    const { source, renewals } = await setUp({ at: hourMs })
    const given = await Promise.all(Array.from({ length: 20 }, () => source.get()))
    expect(new Set(given.map((one) => one?.accessToken))).toEqual(new Set(['access-2']))
    expect(renewals).toHaveLength(1)
  })

  test('get an error of their own each', async () => {
    const { source } = await setUp({ at: hourMs, renew: () => Promise.reject(failure('invalid_grant')) })
    const errors = await Promise.all([1, 2, 3].map(() => mcpRejection(source.get())))
    expect(new Set(errors).size).toBe(3)
    for (const error of errors) {
      expect(error).toBeInstanceOf(AuthorizationError)
      expect(error.data).toEqual({ step: 'refresh', reason: 'invalid_grant' })
    }
  })

  test('may leave; the renewal goes on, and what it brings is kept', async () => {
    let answer = (_: Tokens) => {}
    const { source, store, settle } = await setUp({
      at: hourMs,
      renew: () => new Promise((resolve) => (answer = resolve)),
    })
    const abort = new AbortController()
    const leaving = rejection(source.get({ signal: abort.signal }))
    await settle()
    abort.abort(new Error('enough'))
    expect(((await leaving) as Error).message).toBe('enough')
    answer(tokens(2, { expiresAt: 3 * hourMs }))
    await settle()
    expect(await store.get(key)).toMatchObject({ refreshToken: 'refresh-2' })
    expect((await source.get())?.accessToken).toBe('access-2')
  })

  test('that are aborted already ask nothing', async () => {
    const { source, renewals } = await setUp({ at: hourMs })
    const signal = AbortSignal.abort(new Error('enough'))
    expect(((await rejection(source.get({ signal }))) as Error).message).toBe('enough')
    expect(renewals).toEqual([])
  })
})

describe('two tabs', () => {
  test('renew once', async () => {
    const stores = createTokenStores()
    const first = await setUp({ store: stores.open(), at: hourMs })
    const second = await setUp({ store: stores.open(), stored: null, at: hourMs })
    const given = await Promise.all([first.source.get(), second.source.get()])
    expect(given.map((one) => one?.accessToken)).toEqual(['access-2', 'access-2'])
    expect(first.renewals.length + second.renewals.length).toBe(1)
  })

  test('one of which dies while it renews: the other does it', async () => {
    const stores = createTokenStores()
    const dying = stores.open()
    const first = await setUp({ store: dying, at: hourMs, renew: () => new Promise(() => {}) })
    const second = await setUp({ store: stores.open(), stored: null, at: hourMs })
    first.source.get()
    await first.settle()
    const getting = second.source.get()
    await first.settle()
    expect([first.renewals.length, second.renewals.length]).toEqual([1, 0])
    stores.crash(dying)
    expect((await getting)?.accessToken).toBe('access-2')
  })
})

describe('sign-out', () => {
  test('gives the tokens that are to be revoked', async () => {
    const { source, store } = await setUp()
    expect(await source.clear()).toEqual(tokens(1))
    expect(await store.get(key)).toBeUndefined()
    expect(await source.get()).toBeUndefined()
    expect(await source.clear()).toBeUndefined()
  })

  test('waits for no server that is away', async () => {
    const { source, store, settle, timers } = await setUp({ at: hourMs, renew: () => Promise.reject(unavailable()) })
    const getting = mcpRejection(source.get())
    await settle()
    expect(timers.pending()).toBe(1)
    expect(await source.clear()).toEqual(tokens(1))
    expect(await getting).toBeInstanceOf(UnauthorizedError)
    expect([timers.pending(), await store.get(key)]).toEqual([0, undefined])
  })

  test('is not undone by a renewal under way', async () => {
    let answer = (_: Tokens) => {}
    const { source, store, settle } = await setUp({
      at: hourMs,
      renew: () => new Promise((resolve) => (answer = resolve)),
    })
    const getting = source.get()
    await settle()
    const clearing = source.clear()
    answer(tokens(2))
    await getting
    expect(await clearing).toMatchObject({ refreshToken: 'refresh-2' })
    expect(await store.get(key)).toBeUndefined()
  })
})
