import { expect, test } from 'vitest'
import {
  ConnectError,
  DisconnectedError,
  HttpError,
  InvalidResponseError,
  JsonRpcError,
  type McpError,
  TimeoutError,
  TooLargeError,
  UnauthorizedError,
} from '../../src/errors.js'
import { createBackOff, isPassing } from '../../src/session/back-off.js'
import { createTimers } from '../support/timers.js'

test('waits twice as long each time, a quarter more or less, up to the longest; what the server asks counts up to a minute', async () => {
  const timers = createTimers()
  const { signal } = new AbortController()
  const backOff = createBackOff({ firstMs: 1_000, longestMs: 8_000, setTimer: timers.setTimer })
  const wait = async (askedMs?: number) => {
    const waiting = backOff.wait(signal, askedMs)
    timers.advance(120_000)
    await waiting
    return timers.asked.at(-1)!
  }
  for (const ms of [1_000, 2_000, 4_000, 8_000, 8_000]) {
    const waited = await wait()
    expect(waited).toBeGreaterThanOrEqual(ms * 0.75)
    expect(waited).toBeLessThanOrEqual(ms * 1.25)
  }
  backOff.reset()
  expect(await wait()).toBeLessThanOrEqual(1_250)
  expect(await wait(20_000)).toBe(20_000)
  expect(await wait(3_600_000)).toBe(60_000)
})

test.each<[error: McpError, passing: boolean]>([
  [new DisconnectedError('gone', { data: { reason: 'network' } }), true],
  [new ConnectError('none there'), true],
  [new TimeoutError('late'), true],
  [new InvalidResponseError('cut', { data: { reason: 'no-reply' } }), true],
  [new HttpError('busy', { data: { status: 429 } }), true],
  [new HttpError('down', { data: { status: 503 } }), true],
  [new HttpError('lost', { data: { status: 404, reason: 'session' } }), true],
  [new HttpError('none', { data: { status: 404 } }), false],
  [new JsonRpcError('broken', { data: { rpcCode: -32603 } }), true],
  [new JsonRpcError('unknown', { data: { rpcCode: -32601 } }), false],
  [new UnauthorizedError('who'), false],
  [new TooLargeError('much'), false],
])('%s: worth trying again: %s', (error, passing) => {
  expect(isPassing(error)).toBe(passing)
})
