import type { Caller, Gateway } from './options.js'

/** One request of a caller who is known and may ask. */
export interface Exchange {
  request: Request
  caller: Caller
  gateway: Gateway<unknown>
  /** The path's `:name`. */
  name: string
  /** Keeps the Worker alive for what must still go out after the response. */
  waitUntil(work: Promise<unknown>): void
}
