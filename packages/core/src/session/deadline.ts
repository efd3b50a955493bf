import { onAbort } from '../abort.js'
import { TimeoutError } from '../errors.js'

export interface Deadline {
  /** Fires when the caller aborts or time is up. */
  readonly signal: AbortSignal
  /** The caller's reason or a {@link TimeoutError}; only once `signal` has fired. */
  readonly reason: unknown
  /** Milliseconds until time is up, in all or without progress from now on; Infinity without a limit. */
  remainingMs(): number
  /** Begins the idle time anew. */
  progress(): void
  /** Removes every timer and listener. */
  end(): void
}

export interface DeadlineOptions {
  signal?: AbortSignal | undefined
  timeoutMs: number | null
  idleTimeoutMs?: number | null | undefined
  setTimer(ms: number, run: () => void): () => void
  now(): number
  /** What ran out of time, for the message, e.g. `Calling "search"`. */
  what: string
  /** What to do about it, or what was done. */
  advice: string
}

/** Milliseconds by which a timer is never late on a machine that is awake; and that one then waits for what has come. */
const sleptMs = 5_000

/** One call's time: in all, and since its last sign of life. */
export function createDeadline({
  signal,
  timeoutMs,
  idleTimeoutMs,
  setTimer,
  now,
  what,
  advice,
}: DeadlineOptions): Deadline {
  const abort = new AbortController()
  const endsAt = timeoutMs === null ? Number.POSITIVE_INFINITY : now() + timeoutMs
  let reason: unknown
  let over = false
  let cancelTotal = () => {}
  let cancelIdle = () => {}
  let stopWaiting = () => {}

  const end = () => {
    over = true
    cancelTotal()
    cancelIdle()
    stopWaiting()
  }
  const fire = (why: unknown) => {
    reason = why
    end()
    // A fixed text: the engine sends the reason's text to the server.
    abort.abort('The client cancelled the request')
  }
  const expired = (limit: number, since: string) =>
    fire(new TimeoutError(`${what} took longer than ${limit} ms ${since}; ${advice}`, { data: { limit } }))
  /**
   * A timer that comes far too late slept with the machine: what came meanwhile has not been read yet, and is heard
   * before time is called.
   */
  const awake = (ms: number, run: () => void, hold: (cancel: () => void) => void) => {
    const dueAt = now() + ms
    hold(
      setTimer(ms, () => (now() - dueAt > Math.min(ms, sleptMs) ? hold(setTimer(Math.min(ms, sleptMs), run)) : run())),
    )
  }
  const progress = () => {
    cancelIdle()
    if (over || !idleTimeoutMs) return
    awake(
      idleTimeoutMs,
      () => expired(idleTimeoutMs, 'without progress'),
      (cancel) => {
        cancelIdle = cancel
      },
    )
  }

  stopWaiting = onAbort(signal, () => fire(signal?.reason))
  if (timeoutMs && !over)
    awake(
      timeoutMs,
      () => expired(timeoutMs, 'in all'),
      (cancel) => {
        cancelTotal = cancel
      },
    )
  progress()
  return {
    signal: abort.signal,
    get reason() {
      return reason
    },
    remainingMs: () => Math.min(endsAt - now(), idleTimeoutMs ?? Number.POSITIVE_INFINITY),
    progress,
    end,
  }
}
