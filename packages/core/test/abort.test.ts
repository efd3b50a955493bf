import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { delay, linkedSignal, onAbort, untilAborted } from '../src/abort.js'
import { failOnUnhandled } from './support/no-unhandled.js'
import { rejection } from './support/rejection.js'
import { createTimers } from './support/timers.js'

failOnUnhandled()

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

describe('onAbort', () => {
  test('runs each once when the signal fires, in order', () => {
    const abort = new AbortController()
    const ran: number[] = []
    for (let index = 0; index < 3; index++) onAbort(abort.signal, () => ran.push(index))
    expect(ran).toEqual([])
    abort.abort()
    abort.abort()
    expect(ran).toEqual([0, 1, 2])
  })

  test('runs at once when it has fired', () => {
    let ran = 0
    onAbort(AbortSignal.abort(), () => ran++)()
    expect(ran).toBe(1)
  })

  test('waits for nothing without a signal', () => {
    onAbort(undefined, () => expect.unreachable())()
  })

  test('shares one listener per signal, and takes it away with the last one', () => {
    const { signal } = new AbortController()
    const stops = Array.from({ length: 100 }, () => onAbort(signal, () => {}))
    expect(listeners(signal)).toBe(1)
    for (const stop of stops) stop()
    expect(listeners(signal)).toBe(0)
    onAbort(signal, () => {})
    expect(listeners(signal)).toBe(1)
  })

  test('does not run what was stopped, also not by one before it', () => {
    const abort = new AbortController()
    const ran: string[] = []
    onAbort(abort.signal, () => stop())
    const stop = onAbort(abort.signal, () => ran.push('stopped'))
    onAbort(abort.signal, () => ran.push('kept'))
    abort.abort()
    expect(ran).toEqual(['kept'])
  })

  test('runs the same function as often as it was given', () => {
    const abort = new AbortController()
    let ran = 0
    const run = () => ran++
    const stop = onAbort(abort.signal, run)
    onAbort(abort.signal, run)
    onAbort(abort.signal, run)
    stop()
    abort.abort()
    expect(ran).toBe(2)
  })

  test('may be stopped twice without harm to who came later', () => {
    const abort = new AbortController()
    let ran = 0
    const stop = onAbort(abort.signal, () => {})
    stop()
    onAbort(abort.signal, () => ran++)
    stop()
    onAbort(abort.signal, () => ran++)
    expect(listeners(abort.signal)).toBe(1)
    abort.abort()
    expect(ran).toBe(2)
  })
})

describe('untilAborted', () => {
  test('is the work’s outcome, and leaves no listener', async () => {
    const { signal } = new AbortController()
    const failure = new Error('no')
    expect(await untilAborted(signal, Promise.resolve(1))).toBe(1)
    expect(await rejection(untilAborted(signal, Promise.reject(failure)))).toBe(failure)
    expect(await untilAborted(undefined, Promise.resolve(1))).toBe(1)
    await new Promise(setImmediate)
    expect(listeners(signal)).toBe(0)
  })

  test('is the signal’s reason as soon as it fires, and drops what comes later', async () => {
    const abort = new AbortController()
    const dropped: string[] = []
    let finish = (_value: string) => {}
    const work = new Promise<string>((resolve) => {
      finish = resolve
    })
    const waiting = untilAborted(abort.signal, work, (value) => dropped.push(value))
    abort.abort('enough')
    expect(await rejection(waiting)).toBe('enough')
    finish('late')
    await work
    expect(dropped).toEqual(['late'])
  })

  test('ignores work that fails later', async () => {
    let fail = (_error: Error) => {}
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    expect(await rejection(untilAborted(AbortSignal.abort('early'), work))).toBe('early')
    fail(new Error('late'))
  })
})

describe('a delay', () => {
  test('resolves when its time has passed, and leaves no listener', async () => {
    const timers = createTimers()
    const abort = new AbortController()
    let isOver = false
    const waiting = delay(10, abort.signal, timers.setTimer).then(() => {
      isOver = true
    })
    timers.advance(9)
    await new Promise(setImmediate)
    expect(isOver).toBe(false)
    timers.advance(1)
    await waiting
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  test('rejects with the reason as soon as the signal fires, and leaves no timer', async () => {
    const timers = createTimers()
    const abort = new AbortController()
    const waiting = rejection(delay(10, abort.signal, timers.setTimer))
    abort.abort('enough')
    expect(await waiting).toBe('enough')
    expect(timers.pending()).toBe(0)
    expect(await rejection(delay(10, abort.signal, timers.setTimer))).toBe('enough')
    expect(timers.asked).toEqual([10])
  })

  test('is over when it is told to wake, and watches no longer than it lasts', async () => {
    const timers = createTimers()
    const abort = new AbortController()
    const watching = new Set<() => void>()
    const wake = (listener: () => void) => {
      watching.add(listener)
      return () => void watching.delete(listener)
    }
    const woken = delay(10, abort.signal, timers.setTimer, wake)
    for (const listener of watching) listener()
    await woken
    expect([watching.size, timers.pending(), getEventListeners(abort.signal, 'abort').length]).toEqual([0, 0, 0])
    const slept = delay(10, abort.signal, timers.setTimer, wake)
    timers.advance(10)
    await slept
    expect(watching.size).toBe(0)
    const stopped = rejection(delay(10, abort.signal, timers.setTimer, wake))
    abort.abort('enough')
    await stopped
    expect(watching.size).toBe(0)
  })
})

describe('a linked signal', () => {
  test('fires with the other one, and its reason', () => {
    const abort = new AbortController()
    const own = linkedSignal(abort.signal)
    expect(own.signal.aborted).toBe(false)
    abort.abort('enough')
    expect(own.signal.reason).toBe('enough')
    expect(linkedSignal(abort.signal).signal.reason).toBe('enough')
  })

  test('fires at its end, and leaves no listener', () => {
    const abort = new AbortController()
    const own = linkedSignal(abort.signal)
    own.end()
    expect([own.signal.aborted, abort.signal.aborted]).toEqual([true, false])
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })
})
