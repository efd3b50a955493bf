import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { onAbort, untilAborted } from '../src/abort.js'
import { failOnUnhandled } from './support/no-unhandled.js'
import { rejection } from './support/rejection.js'

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
