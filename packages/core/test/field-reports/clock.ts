import { vi } from 'vitest'

/** Time stands still until `pass`, for ours and for the SDK, which takes no timers of another's. */
export function stopClock(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    // A whole second: HTTP dates know no finer one.
    now: new Date('2026-03-01T12:00:00Z'),
  })
}

export function startClock(): void {
  vi.useRealTimers()
}

/** The clock goes on, and no timer fires: a machine that sleeps. */
export function jump(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
}

/** How many timers wait. */
export const timersLeft = (): number => vi.getTimerCount()

/** Lets time pass, and everything happen that happens meanwhile. */
export async function pass(ms: number): Promise<void> {
  await turns(3)
  await vi.advanceTimersByTimeAsync(ms)
  await turns(3)
}

/**
 * All in these tests happens in this process: what needs no time has happened after so many turns of the event loop, and
 * after a while, since WebCrypto works in another thread.
 */
const manyTurns = 500
const manyMs = 500

function patience(): () => boolean {
  const began = performance.now()
  let turn = 0
  return () => ++turn > manyTurns && performance.now() - began > manyMs
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}

/** Waits, without time passing, for what must come to hold. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const isOver = patience()
  while (!holds()) {
    if (isOver()) throw new Error(`it never comes to this: ${what}`)
    await turns(1)
  }
}

export interface Watched<Value> {
  readonly state: 'pending' | 'fulfilled' | 'rejected'
  /** The promise's value or rejection, without time passing. */
  settled(): Promise<Value>
  /** What the promise is rejected with, without time passing. */
  rejection(): Promise<unknown>
}

/** Looks at a promise without waiting for it. */
export function watch<Value>(promise: Promise<Value>): Watched<Value> {
  let state: Watched<Value>['state'] = 'pending'
  const ending = promise.then(
    () => {
      state = 'fulfilled'
    },
    () => {
      state = 'rejected'
    },
  )
  const wait = async () => {
    const isOver = patience()
    while (state === 'pending' && !isOver()) await turns(1)
    if (state === 'pending') throw new Error('it is still pending')
    await ending
  }
  return {
    get state() {
      return state
    },
    async settled() {
      await wait()
      return promise
    },
    async rejection() {
      await wait()
      return promise.then(
        (value) => {
          throw new Error(`it is fulfilled with ${JSON.stringify(value)}`)
        },
        (error) => error,
      )
    },
  }
}
