import type { Json } from '../protocol.js'
import { matches, type ReceivedRequest, type RequestMatch } from './received.js'

/** What is to go wrong with one request. */
export type TestFault =
  /** An HTTP status instead of the server: 401, 404, 429 with `retry-after`, 500. Nothing runs. */
  | { type: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** A JSON-RPC error instead of a result. Nothing runs. */
  | { type: 'error'; code: number; message: string; data?: Json }
  /** The network fails, before the server has the request, or with `ran` after it has run. */
  | { type: 'network'; ran?: boolean }
  /** The server answers, and its reply breaks off after so many bytes. */
  | { type: 'cut'; afterBytes: number }
  /** The same after so many events; a reply that is no event stream breaks off at its first byte. */
  | { type: 'cut'; afterEvents: number }
  /** The request, or with `ran` the reply, is held until the promise is settled. */
  | { type: 'delay'; until: Promise<unknown>; ran?: boolean }
  /** The session that the request names is gone: it is answered with 404. Of requests in a session only. */
  | { type: 'expired-session' }
  /** The list of tools has this as well. Default: a tool without a name. Of `tools/list` only. */
  | { type: 'malformed-tool'; tool?: Json }

export interface FaultTarget extends RequestMatch {
  /** Requests that it strikes; >= 1, `Infinity` for all. Default: 1. */
  times?: number
}

/** Faults that wait for their requests. */
export interface Faults {
  /** How many requests are still to be struck. */
  readonly left: number
  add(fault: TestFault, target: FaultTarget): () => void
  /** The oldest one that strikes this request. */
  take(request: ReceivedRequest): TestFault | undefined
}

export function createFaults(): Faults {
  const waiting = new Set<{ fault: TestFault; target: FaultTarget; left: number }>()
  return {
    get left() {
      return [...waiting].reduce((sum, { left }) => sum + left, 0)
    },
    add(fault, target) {
      const { times = 1 } = target
      if (times < 1) throw new RangeError('"times" must be at least 1')
      const entry = { fault, target, left: times }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    take(request) {
      for (const entry of waiting) {
        if (!strikes(entry.fault, entry.target, request)) continue
        if (--entry.left === 0) waiting.delete(entry)
        return entry.fault
      }
      return undefined
    },
  }
}

function strikes(fault: TestFault, target: FaultTarget, request: ReceivedRequest): boolean {
  if (!matches(request, target)) return false
  if (fault.type === 'expired-session' && request.session === undefined) return false
  if (fault.type === 'malformed-tool' && request.method !== 'tools/list') return false
  // What no answer is expected to is not meant, unless it is named.
  return target.method !== undefined || (request.body?.id !== undefined && request.method !== 'response')
}
