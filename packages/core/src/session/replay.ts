import { delay, onAbort } from '../abort.js'
import { DisconnectedError, McpError } from '../errors.js'
import type { Deadline } from './deadline.js'

/** How often a request that was refused for now is sent again. */
const maxRefusals = 2
/** Milliseconds to wait where the server doesn't say; doubled each time, and spread so that clients don't come at once. */
const firstWaitMs = 1_000

/** What of a deadline decides whether something is sent again. */
export type ReplayDeadline = Pick<Deadline, 'signal' | 'remainingMs' | 'progress'>

export interface ReplayOptions {
  deadline: ReplayDeadline
  setTimer(ms: number, run: () => void): () => void
  /** Fires when the connection is closed: nothing is sent any more. */
  closing?: AbortSignal
  /** Whether the tool may run twice: it only reads, or the same call again changes nothing, and the server is trusted. */
  repeatable?: boolean
  /** Called before a request is sent again whose headers didn't fit; what it fetches anew decides them. */
  onHeaderMismatch?(): Promise<void>
}

const headerMismatch = -32020

/**
 * Sends a request, and again only where nothing can run twice: the server refused it for now (429, 503 with
 * `Retry-After`) and its wait fits the deadline; it refused the headers; or the reply was lost of what may be repeated.
 */
export async function withReplay<Result>(send: () => Promise<Result>, options: ReplayOptions): Promise<Result> {
  const { deadline, closing, repeatable = false, onHeaderMismatch } = options
  let refusals = 0
  let repeated = false
  let headersRenewed = false
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (deadline.signal.aborted || closing?.aborted) throw error
      const waitMs = refusedForMs(error, refusals)
      if (waitMs !== undefined) {
        // An answer is a sign of life.
        deadline.progress()
        if (refusals === maxRefusals || waitMs >= deadline.remainingMs()) throw error
        refusals++
        await wait(waitMs, options)
        deadline.progress()
      } else if (isHeaderMismatch(error) && onHeaderMismatch && !headersRenewed) {
        headersRenewed = true
        // The refusal says more than what came of asking why.
        await onHeaderMismatch().catch(() => Promise.reject(error))
      } else if (repeatable && !repeated && isLost(error)) repeated = true
      else throw error
    }
  }
}

async function wait(ms: number, { deadline, closing, setTimer }: ReplayOptions): Promise<void> {
  const abort = new AbortController()
  const stopWaiting = [
    onAbort(deadline.signal, () => abort.abort(deadline.signal.reason)),
    onAbort(closing, () =>
      abort.abort(
        new DisconnectedError('The connection was closed before the request was sent again', {
          data: { outcome: 'not-run' },
        }),
      ),
    ),
  ]
  try {
    await delay(ms, abort.signal, setTimer)
  } finally {
    for (const stop of stopWaiting) stop()
  }
}

/** Milliseconds to wait before a request is sent again that the server refused for now. */
function refusedForMs(error: unknown, refusals: number): number | undefined {
  if (!McpError.is(error) || error.code !== 'ERR_MCP_HTTP') return undefined
  const { status, retryAfterMs } = error.data
  if (status !== 429 && !(status === 503 && retryAfterMs !== undefined)) return undefined
  return retryAfterMs ?? firstWaitMs * 2 ** refusals * (0.5 + Math.random() / 2)
}

const isHeaderMismatch = (error: unknown) => (error as { code?: unknown } | null)?.code === headerMismatch

/** Whether the reply is missing: the network failed, the response ended without it, or the server's process did. */
function isLost(error: unknown): boolean {
  return McpError.is(error) && (error.data.reason === 'no-reply' || isBroken(error))
}

const isBroken = ({ code, data }: McpError) =>
  code === 'ERR_MCP_DISCONNECTED' && (data.reason === 'network' || data.reason === 'exited')
