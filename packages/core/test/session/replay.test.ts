import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { DisconnectedError, HttpError, InvalidResponseError } from '../../src/errors.js'
import { createDeadline } from '../../src/session/deadline.js'
import { type ReplayOptions, withReplay } from '../../src/session/replay.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

const refused = (status: number, retryAfterMs?: number) => () =>
  new HttpError('refused', { data: { status, ...(retryAfterMs !== undefined && { retryAfterMs }) } })
const lost = () => new DisconnectedError('cut', { data: { reason: 'network' } })
const noReply = () => new InvalidResponseError('ended', { data: { reason: 'no-reply' } })
const mismatch = () => Object.assign(new Error('mismatch'), { code: -32020 })

interface Given extends Partial<Omit<ReplayOptions, 'deadline'>> {
  timeoutMs?: number | null
  idleTimeoutMs?: number
}

/** Sends what fails in these ways, one after the other, and then succeeds. */
function sending(failures: (() => unknown)[], { timeoutMs = 60_000, idleTimeoutMs, ...more }: Given = {}) {
  const timers = createTimers()
  const abort = new AbortController()
  const deadline = createDeadline({
    signal: abort.signal,
    timeoutMs,
    idleTimeoutMs,
    setTimer: timers.setTimer,
    now: timers.now,
    what: 'It',
    advice: 'wait',
  })
  const sentAt: number[] = []
  const send = async () => {
    const failure = failures[sentAt.length]
    sentAt.push(timers.now())
    if (failure) throw failure()
    return 'done'
  }
  const done = withReplay(send, { deadline, setTimer: timers.setTimer, ...more })
  const pass = async (ms: number) => {
    await new Promise(setImmediate)
    timers.advance(ms)
    await new Promise(setImmediate)
  }
  return { done, sentAt, timers, abort, deadline, pass }
}

describe('a refusal for now', () => {
  test.each([
    ['429', 429],
    ['503', 503],
  ])('%s is waited out as long as the server says', async (_name, status) => {
    const { done, sentAt, pass } = sending([refused(status, 5_000)])
    await pass(4_999)
    expect(sentAt).toEqual([0])
    await pass(1)
    expect(await done).toBe('done')
    expect(sentAt).toEqual([0, 5_000])
  })

  test('429 without a time is waited out by a time of our own, longer each time', async () => {
    const { done, sentAt, pass } = sending([refused(429), refused(429)])
    await pass(1_500)
    await pass(3_000)
    expect(await done).toBe('done')
    const [first, second] = [sentAt[1]! - sentAt[0]!, sentAt[2]! - sentAt[1]!]
    expect(first).toBeGreaterThanOrEqual(500)
    expect(first).toBeLessThanOrEqual(1_500)
    expect(second).toBeGreaterThanOrEqual(1_000)
    expect(second).toBeLessThanOrEqual(3_000)
  })

  test('is waited out twice, no more', async () => {
    const { done, sentAt, pass } = sending([refused(429, 10), refused(503, 10), refused(429, 10)])
    const failing = mcpRejection(done)
    await pass(10)
    await pass(10)
    expect(await failing).toMatchObject({ data: { status: 429, retryAfterMs: 10 } })
    expect(sentAt).toEqual([0, 10, 20])
  })

  test.each<[string, Given]>([
    ['the deadline', { timeoutMs: 5_000 }],
    ['the idle time', { timeoutMs: null, idleTimeoutMs: 5_000 }],
  ])('whose wait does not fit %s fails at once', async (_what, given) => {
    const { done, sentAt, deadline, timers } = sending([refused(429, 5_000)], given)
    expect(await mcpRejection(done)).toMatchObject({ code: 'ERR_MCP_HTTP', data: { retryAfterMs: 5_000 } })
    expect(sentAt).toEqual([0])
    deadline.end()
    expect(timers.pending()).toBe(0)
  })

  test.each([
    ['503 without a time', refused(503)],
    ['another status', refused(500, 10)],
    ['401', refused(401, 10)],
  ])('is not %s', async (_what, failure) => {
    const { done, sentAt } = sending([failure])
    await mcpRejection(done)
    expect(sentAt).toHaveLength(1)
  })

  test('waits no longer than the caller: an abort ends it, and nothing is left', async () => {
    const closing = new AbortController()
    const { done, sentAt, abort, timers, deadline, pass } = sending([refused(429, 5_000)], { closing: closing.signal })
    const failing = rejection(done)
    await pass(10)
    abort.abort()
    await failing
    deadline.end()
    expect([sentAt.length, timers.pending()]).toEqual([1, 0])
    expect(getEventListeners(closing.signal, 'abort')).toEqual([])
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  test('waits no longer than the connection: the tool did not run', async () => {
    const closing = new AbortController()
    const { done, sentAt, timers, deadline, pass } = sending([refused(429, 5_000)], { closing: closing.signal })
    const failing = mcpRejection(done)
    await pass(10)
    closing.abort()
    expect(await failing).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { outcome: 'not-run' } })
    deadline.end()
    expect([sentAt.length, timers.pending()]).toEqual([1, 0])
  })
})

describe('a lost reply', () => {
  test.each([
    ['by the network', lost],
    ['by a response without it', noReply],
  ])('%s is asked for once more, of what may run twice alone', async (_how, failure) => {
    expect(await sending([failure], { repeatable: true }).done).toBe('done')
    for (const given of [{}, { repeatable: false }]) {
      const { done, sentAt } = sending([failure], given)
      await mcpRejection(done)
      expect(sentAt).toHaveLength(1)
    }
    const twice = sending([failure, failure], { repeatable: true })
    await mcpRejection(twice.done)
    expect(twice.sentAt).toHaveLength(2)
  })

  test('is none that a close or an answer of a wrong shape took', async () => {
    for (const error of [
      new DisconnectedError('closed'),
      new InvalidResponseError('x', { data: { reason: 'shape' } }),
    ]) {
      const { done, sentAt } = sending([() => error], { repeatable: true })
      expect(await rejection(done)).toBe(error)
      expect(sentAt).toHaveLength(1)
    }
  })
})

describe('headers that the server refuses', () => {
  test('are renewed once', async () => {
    let renewed = 0
    const onHeaderMismatch = async () => void renewed++
    expect(await sending([mismatch], { onHeaderMismatch }).done).toBe('done')
    const twice = sending([mismatch, mismatch], { onHeaderMismatch })
    expect(await rejection(twice.done)).toMatchObject({ code: -32020 })
    expect([renewed, twice.sentAt.length]).toEqual([2, 2])
  })

  test('are the error where nothing renews them, or that fails: nothing ran', async () => {
    expect(await rejection(sending([mismatch]).done)).toMatchObject({ code: -32020 })
    const failing = sending([mismatch], { onHeaderMismatch: () => Promise.reject(lost()) })
    expect(await rejection(failing.done)).toMatchObject({ code: -32020 })
    expect(failing.sentAt).toHaveLength(1)
  })
})

test('any other value that is thrown comes through', async () => {
  for (const value of [null, undefined, 'text', new Error('x')])
    expect(await rejection(sending([() => value]).done)).toBe(value)
})
