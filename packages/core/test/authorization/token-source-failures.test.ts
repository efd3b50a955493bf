import { describe, expect, test } from 'vitest'
import { createMemoryTokenStore } from '../../src/authorization/token-store.js'
import { UnauthorizedError } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { failure, hourMs, key, setUp, tokens, unavailable } from '../support/token-source.js'

failOnUnhandled()

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
