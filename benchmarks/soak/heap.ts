import { setTimeout as pause } from 'node:timers/promises'

/** Collections in a row: finalizers run between them, and free what the next one takes. */
const collections = 8

/** Bytes of the heap that are really in use. */
export async function heapBytes(): Promise<number> {
  if (!globalThis.gc) throw new Error('run this with --expose-gc')
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < collections; count++) {
    globalThis.gc()
    await pause(20)
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}
