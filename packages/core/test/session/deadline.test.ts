import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { McpError } from '../../src/errors.js'
import { createDeadline, type DeadlineOptions } from '../../src/session/deadline.js'
import { createTimers } from '../support/timers.js'

function begin(options: Partial<DeadlineOptions> = {}) {
  const timers = createTimers()
  const { setTimer } = timers
  const deadline = createDeadline({
    timeoutMs: null,
    what: 'Calling "x"',
    advice: 'do this',
    setTimer,
    now: timers.now,
    ...options,
  })
  return { timers, deadline }
}

describe('the total time', () => {
  test('ends with a TimeoutError that says how long, of what, and what to do', () => {
    const { timers, deadline } = begin({ timeoutMs: 1_000 })
    timers.advance(999)
    expect(deadline.signal.aborted).toBe(false)
    timers.advance(1)
    expect(deadline.signal.aborted).toBe(true)
    expect(deadline.reason).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 1_000 } })
    expect((deadline.reason as Error).message).toBe('Calling "x" took longer than 1000 ms in all; do this')
  })

  test('is not prolonged by progress', () => {
    const { timers, deadline } = begin({ timeoutMs: 1_000, idleTimeoutMs: 600 })
    for (const ms of [500, 499]) {
      timers.advance(ms)
      deadline.progress()
    }
    expect(deadline.signal.aborted).toBe(false)
    timers.advance(1)
    expect(deadline.reason).toMatchObject({ data: { limit: 1_000 } })
  })

  test('null is none', () => {
    const { timers, deadline } = begin()
    timers.advance(1e12)
    expect(deadline.signal.aborted).toBe(false)
    expect(timers.asked).toEqual([])
  })
})

describe('the idle time', () => {
  test('begins anew with each progress', () => {
    const { timers, deadline } = begin({ idleTimeoutMs: 100 })
    for (let step = 0; step < 20; step++) {
      timers.advance(99)
      deadline.progress()
    }
    expect(deadline.signal.aborted).toBe(false)
    timers.advance(100)
    expect(deadline.reason).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 100 } })
    expect((deadline.reason as Error).message).toContain('100 ms without progress')
  })

  test('null is none', () => {
    const { timers, deadline } = begin({ idleTimeoutMs: null })
    deadline.progress()
    expect(timers.asked).toEqual([])
  })
})

describe('the caller’s abort', () => {
  test('gives the caller’s own reason, and the server a fixed text', () => {
    const abort = new AbortController()
    const { deadline } = begin({ signal: abort.signal })
    const reason = new Error('s3cret')
    abort.abort(reason)
    expect(deadline.reason).toBe(reason)
    expect(String(deadline.signal.reason)).not.toContain('s3cret')
  })

  test('before the start counts, and starts no timer', () => {
    const { timers, deadline } = begin({ signal: AbortSignal.abort('early'), timeoutMs: 10, idleTimeoutMs: 10 })
    expect(deadline.signal.aborted).toBe(true)
    expect(deadline.reason).toBe('early')
    expect(timers.asked).toEqual([])
  })

  test('after time is up changes nothing', () => {
    const abort = new AbortController()
    const { timers, deadline } = begin({ signal: abort.signal, timeoutMs: 10 })
    timers.advance(10)
    abort.abort('late')
    expect(McpError.is(deadline.reason)).toBe(true)
  })
})

describe('nothing is left', () => {
  const ways: [string, (parts: ReturnType<typeof begin> & { abort: AbortController }) => void][] = [
    ['its end', ({ deadline }) => deadline.end()],
    ['its end, and progress after it', ({ deadline }) => [deadline.end(), deadline.progress()]],
    ['the total time', ({ timers }) => timers.advance(1_000)],
    ['the idle time', ({ timers }) => timers.advance(100)],
    ['an abort', ({ abort }) => abort.abort()],
    ['an abort, and progress after it', ({ abort, deadline }) => [abort.abort(), deadline.progress()]],
  ]

  test.each(ways)('after %s: no timer, no listener', (_how, finish) => {
    const abort = new AbortController()
    const parts = begin({ signal: abort.signal, timeoutMs: 1_000, idleTimeoutMs: 100 })
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1)
    finish({ ...parts, abort })
    expect(parts.timers.pending()).toBe(0)
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0)
  })
})

test('what remains is the time in all, or without progress from now on, whichever is less', () => {
  expect(begin().deadline.remainingMs()).toBe(Number.POSITIVE_INFINITY)
  const { timers, deadline } = begin({ timeoutMs: 1_000, idleTimeoutMs: 600 })
  timers.advance(300)
  expect(deadline.remainingMs()).toBe(600)
  deadline.progress()
  timers.advance(200)
  expect(deadline.remainingMs()).toBe(500)
})

describe('a machine that slept', () => {
  /** Time as a sleeping machine sees it: the clock goes on, the timers don't. */
  function sleeping(options: Partial<DeadlineOptions>) {
    let sleptMs = 0
    const timers = createTimers()
    const { deadline } = begin({ setTimer: timers.setTimer, now: () => timers.now() + sleptMs, ...options })
    return {
      timers,
      deadline,
      sleep: (ms: number) => {
        sleptMs += ms
      },
    }
  }

  test('hears first what came meanwhile, before the idle time is over', () => {
    const { timers, deadline, sleep } = sleeping({ idleTimeoutMs: 300 })
    sleep(600_000)
    timers.advance(300)
    expect(deadline.signal.aborted).toBe(false)
    deadline.progress()
    timers.advance(299)
    expect(deadline.signal.aborted).toBe(false)
    timers.advance(1)
    expect(deadline.reason).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 300 } })
  })

  test('and waits for it once, not for ever', () => {
    const { timers, deadline, sleep } = sleeping({ timeoutMs: 60_000 })
    sleep(600_000)
    timers.advance(60_000)
    expect(deadline.signal.aborted).toBe(false)
    sleep(600_000)
    timers.advance(4_999)
    expect(deadline.signal.aborted).toBe(false)
    timers.advance(1)
    expect(deadline.reason).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 60_000 } })
    expect(timers.pending()).toBe(0)
  })

  test('a timer that is a little late is no sleep', () => {
    const { timers, deadline, sleep } = sleeping({ timeoutMs: 60_000 })
    sleep(4_000)
    timers.advance(60_000)
    expect(deadline.signal.aborted).toBe(true)
  })

  test('and what ends meanwhile leaves no timer', () => {
    const { timers, deadline, sleep } = sleeping({ timeoutMs: 60_000, idleTimeoutMs: 300 })
    sleep(600_000)
    timers.advance(300)
    deadline.end()
    expect(timers.pending()).toBe(0)
  })
})
