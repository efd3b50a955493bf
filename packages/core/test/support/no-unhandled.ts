import { afterEach, beforeAll, expect } from 'vitest'

/** Fails a test of this file after which a promise was rejected that nobody handles, or an error thrown into nowhere. */
export function failOnUnhandled(): void {
  const found: unknown[] = []
  beforeAll(() => {
    const note = (error: unknown) => found.push(error)
    process.on('unhandledRejection', note)
    process.on('uncaughtException', note)
    return () => {
      process.off('unhandledRejection', note)
      process.off('uncaughtException', note)
    }
  })
  afterEach(async () => {
    // Node tells of a rejection after the microtasks, before the next turn of its loop.
    await new Promise(setImmediate)
    expect(found.splice(0)).toEqual([])
  })
}
