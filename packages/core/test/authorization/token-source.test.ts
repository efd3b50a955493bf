import { describe, expect, test } from 'vitest'
import { createTokenSource, type TokenSourceOptions } from '../../src/authorization/token-source.js'
import { createMemoryTokenStore } from '../../src/authorization/token-store.js'
import type { Tokens } from '../../src/authorization/tokens.js'
import { AuthorizationError, UnauthorizedError } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'
import { createTokenStores } from '../support/token-stores.js'

failOnUnhandled()

const key = 'https://mcp.example/mcp'
const hourMs = 3_600_000

const tokens = (number: number, own: Partial<Tokens> = {}): Tokens => ({
  accessToken: `access-${number}`,
  refreshToken: `refresh-${number}`,
  tokenType: 'Bearer',
  obtainedAt: 0,
  expiresAt: hourMs,
  issuer: 'https://as.example',
  resource: key,
  clientId: 'client',
  ...own,
})

const failure = (reason: string, data: object = {}) =>
  new AuthorizationError(`refused: ${reason}`, { data: { step: 'refresh', reason, ...data } })

const unavailable = () => failure('http', { status: 503 })

/** A source over a store that holds tokens, at a time of its own. */
async function setUp(own: Partial<TokenSourceOptions> & { stored?: Tokens | null; at?: number } = {}) {
  const { stored = tokens(1), at = 0, ...options } = own
  const timers = createTimers()
  const store = own.store ?? createMemoryTokenStore()
  if (stored) await store.set(key, { ...stored })
  timers.advance(at)
  const renewals: (Tokens | undefined)[] = []
  const renew = options.renew ?? (async () => tokens(2, { obtainedAt: timers.now(), expiresAt: timers.now() + hourMs }))
  const source = createTokenSource({
    key,
    now: timers.now,
    setTimer: timers.setTimer,
    ...options,
    store,
    renew(current) {
      renewals.push(current)
      return renew(current)
    },
  })
  /** Lets everything happen that needs no time. */
  const settle = () => new Promise(setImmediate)
  return { source, store, timers, renewals, settle }
}

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

describe('a failure that passes', () => {
  test('is tried twice more, ever more slowly', async () => {
    let attempts = 0
    const { source, timers, settle } = await setUp({
      at: hourMs,
      renew: async () => {
        if (++attempts < 3) throw unavailable()
        return tokens(2, { expiresAt: 3 * hourMs })
      },
    })
    const getting = source.get()
    await settle()
    timers.advance(500)
    await settle()
    timers.advance(1_000)
    expect((await getting)?.accessToken).toBe('access-2')
    const [first = 0, second = 0] = timers.asked
    expect(first).toBeGreaterThanOrEqual(250)
    expect(first).toBeLessThanOrEqual(500)
    expect(second).toBeGreaterThanOrEqual(500)
    expect(second).toBeLessThanOrEqual(1_000)
  })

  /** Lets three attempts fail. */
  async function fail({ source, timers, settle }: Awaited<ReturnType<typeof setUp>>) {
    const failing = mcpRejection(source.get())
    for (let waits = 0; waits < 2; waits++) {
      await settle()
      timers.advance(1_000)
    }
    return failing
  }

  test('keeps the grant', async () => {
    const subject = await setUp({ at: hourMs, renew: () => Promise.reject(unavailable()) })
    expect((await fail(subject)).data).toMatchObject({ reason: 'http', status: 503 })
    expect(await subject.store.get(key)).toEqual(tokens(1))
  })

  test('has the server left alone for a while, then for longer', async () => {
    const subject = await setUp({ at: hourMs, renew: () => Promise.reject(unavailable()) })
    const { source, timers, renewals } = subject
    await fail(subject)
    expect(renewals).toHaveLength(3)
    const paused = await mcpRejection(source.get())
    expect(paused.data).toMatchObject({ reason: 'http', status: 503, retryAfterMs: 5_000 })
    timers.advance(4_999)
    expect((await mcpRejection(source.get())).data.retryAfterMs).toBe(1)
    expect(renewals).toHaveLength(3)
    timers.advance(1)
    await fail(subject)
    expect(renewals).toHaveLength(6)
    expect((await mcpRejection(source.get())).data.retryAfterMs).toBe(10_000)
  })

  test('has the server left alone for five minutes at most', async () => {
    const renew = () => Promise.reject(failure('http', { status: 503, retryAfterMs: 10 * hourMs }))
    const { source, timers } = await setUp({ at: hourMs, renew })
    await mcpRejection(source.get())
    expect((await mcpRejection(source.get())).data.retryAfterMs).toBe(300_000)
    // Too long to be waited for within a call.
    expect(timers.asked).toEqual([])
  })

  test('waits as the server asks', async () => {
    let attempts = 0
    const { source, timers, settle } = await setUp({
      at: hourMs,
      renew: async () => {
        if (++attempts === 1) throw failure('http', { status: 429, retryAfterMs: 7_000 })
        return tokens(2, { expiresAt: 3 * hourMs })
      },
    })
    const getting = source.get()
    await settle()
    expect(timers.asked).toEqual([7_000])
    timers.advance(7_000)
    expect((await getting)?.accessToken).toBe('access-2')
  })

  test('matters to nobody while the token is still good', async () => {
    const subject = await setUp({ at: hourMs - 20_000, renew: () => Promise.reject(failure('invalid_scope')) })
    const { source, timers, renewals } = subject
    expect((await source.get())?.accessToken).toBe('access-1')
    expect((await source.get())?.accessToken).toBe('access-1')
    expect(renewals).toHaveLength(1)
    timers.advance(20_000)
    expect((await mcpRejection(source.get())).data.reason).toBe('invalid_scope')
  })

  test('is forgotten after the next sign-in', async () => {
    const subject = await setUp({ at: hourMs, renew: () => Promise.reject(unavailable()) })
    await fail(subject)
    await subject.source.set(tokens(5, { expiresAt: 9 * hourMs }))
    expect((await subject.source.get())?.accessToken).toBe('access-5')
    subject.timers.advance(8 * hourMs)
    const again = fail(subject)
    await again
    expect(subject.renewals).toHaveLength(6)
  })

  test('of a grant says nothing of the next one, which another tab has signed in for', async () => {
    const subject = await setUp({ at: hourMs, renew: () => Promise.reject(unavailable()) })
    await fail(subject)
    await subject.store.set(key, { ...tokens(5) })
    await fail(subject)
    expect(subject.renewals.map((current) => current?.accessToken)).toEqual([
      ...['access-1', 'access-1', 'access-1'],
      ...['access-5', 'access-5', 'access-5'],
    ])
  })

  test('is not waited for when the connection is closed', async () => {
    const closing = new AbortController()
    const { source, settle, timers } = await setUp({
      at: hourMs,
      renew: () => Promise.reject(unavailable()),
      closing: closing.signal,
    })
    const getting = rejection(source.get())
    await settle()
    closing.abort(new Error('closed'))
    expect(((await getting) as Error).message).toBe('closed')
    expect(timers.pending()).toBe(0)
  })
})

describe('the end of a grant', () => {
  test.each(['invalid_grant', 'invalid_client'])(
    '%s: the tokens are deleted, and somebody has to sign in',
    async (reason) => {
      const { source, store, renewals } = await setUp({ at: hourMs, renew: () => Promise.reject(failure(reason)) })
      expect((await mcpRejection(source.get())).data.reason).toBe(reason)
      expect(await store.get(key)).toBeUndefined()
      expect(await source.get()).toBeUndefined()
      expect(renewals).toHaveLength(1)
    },
  )

  test.each(['invalid_request', 'invalid_scope', 'unauthorized_client', 'access_denied', 'invalid-response', 'issuer'])(
    'is not %s',
    async (reason) => {
      const { source, store } = await setUp({ at: hourMs, renew: () => Promise.reject(failure(reason)) })
      await mcpRejection(source.get())
      expect(await store.get(key)).toEqual(tokens(1))
    },
  )

  test('does not delete the tokens of a sign-in that came meanwhile', async () => {
    const store = createMemoryTokenStore()
    const { source } = await setUp({
      store,
      at: hourMs,
      async renew() {
        // Its turn was lost while the machine slept.
        await store.set(key, { ...tokens(9, { expiresAt: 9 * hourMs }) })
        throw failure('invalid_grant')
      },
    })
    expect((await source.get())?.accessToken).toBe('access-9')
    expect(await store.get(key)).toMatchObject({ accessToken: 'access-9' })
  })

  test('of a machine is not asked for again at once', async () => {
    const { source, renewals, timers } = await setUp({
      stored: null,
      renewable: () => true,
      renew: () => Promise.reject(failure('invalid_client')),
    })
    await mcpRejection(source.get())
    expect((await mcpRejection(source.get())).data).toMatchObject({ reason: 'invalid_client', retryAfterMs: 5_000 })
    expect(renewals).toHaveLength(1)
    timers.advance(5_000)
    await mcpRejection(source.get())
    expect(renewals).toHaveLength(2)
  })
})

test('a hook that fails is asked again by the next call, and its error keeps its class', async () => {
  const { source, renewals } = await setUp({
    stored: null,
    renewable: () => true,
    renew: () => Promise.reject(new UnauthorizedError('The assertion hook failed', { data: { reason: 'assertion' } })),
  })
  expect(await mcpRejection(source.get())).toBeInstanceOf(UnauthorizedError)
  await mcpRejection(source.get())
  expect(renewals).toHaveLength(2)
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
