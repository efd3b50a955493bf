import { expect, test } from 'vitest'
import { createStopwatch } from '../../src/session/stopwatch.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

/** Runs by a stopwatch; `answer` ends what is uncounted. */
function running() {
  const timers = createTimers()
  const stopwatch = createStopwatch(timers.now, timers.setTimer)
  const fired: number[] = []
  const ask = () => {
    let answer = () => {}
    const asking = stopwatch.uncounted(
      () =>
        new Promise<string>((resolve) => {
          answer = () => resolve('given')
        }),
    )
    return { asking, answer: () => answer() }
  }
  return { timers, stopwatch, ask, fire: () => fired.push(timers.now()), fired }
}

test('a timer fires after its time, or is cancelled', () => {
  const { timers, stopwatch, fire, fired } = running()
  stopwatch.setTimer(10, fire)
  stopwatch.setTimer(5, fire)()
  timers.advance(9)
  expect(fired).toEqual([])
  timers.advance(1)
  expect(fired).toEqual([10])
  expect(timers.pending()).toBe(0)
})

test('uncounted time stands still for every timer, those that begin meanwhile included', async () => {
  const { timers, stopwatch, ask, fire, fired } = running()
  stopwatch.setTimer(10, fire)
  timers.advance(4)
  const { asking, answer } = ask()
  expect(timers.pending()).toBe(0)
  stopwatch.setTimer(1, fire)
  stopwatch.setTimer(1, fire)()
  timers.advance(1_000)
  expect([stopwatch.now(), fired]).toEqual([4, []])
  answer()
  expect(await asking).toBe('given')
  timers.advance(5)
  expect(fired).toEqual([1_005])
  timers.advance(1)
  expect(fired).toEqual([1_005, 1_010])
  expect([stopwatch.now(), timers.pending()]).toEqual([10, 0])
})

test('two that overlap count once', async () => {
  const { timers, stopwatch, ask } = running()
  const first = ask()
  timers.advance(5)
  const second = ask()
  first.answer()
  await first.asking
  timers.advance(5)
  expect(stopwatch.now()).toBe(0)
  second.answer()
  await second.asking
  timers.advance(5)
  expect(stopwatch.now()).toBe(5)
})

test('what fails is uncounted too, and time goes on', async () => {
  const { timers, stopwatch } = running()
  const failure = new Error('no')
  expect(await rejection(stopwatch.uncounted(() => Promise.reject(failure)))).toBe(failure)
  timers.advance(5)
  expect(stopwatch.now()).toBe(5)
})
