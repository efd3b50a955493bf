import { createEventBody, type EventBody } from './event-body.js'
import { errorBody, type RequestId, RpcError } from './rpc.js'

/** One request on its way to its reply, which is JSON, or events where something is said before it. */
export interface Exchange {
  readonly response: Promise<Response>
  readonly isDone: boolean
  /** Sends a notification or a question before the reply. */
  say(message: object): void
  /** The reply; what comes after it goes nowhere. */
  finish(result: object): void
  fail(error: unknown): void
}

/**
 * @param statusOf - The HTTP status of an error that comes before anything else.
 * @param onLeft - Told when the client lets go of it before the reply.
 */
export function createExchange(
  id: RequestId,
  statusOf: (code: number) => number,
  signal: AbortSignal,
  onLeft: () => void = () => {},
): Exchange {
  let resolve!: (response: Response) => void
  const response = new Promise<Response>((resolved) => {
    resolve = resolved
  })
  let events: EventBody | undefined
  let isDone = false
  const leave = () => {
    if (!isDone) onLeft()
  }
  signal.addEventListener('abort', leave, { once: true })

  function end(body: object, status = 200): void {
    isDone = true
    signal.removeEventListener('abort', leave)
    const message = { jsonrpc: '2.0', id, ...body }
    events?.push(message)
    events?.end()
    if (!events) resolve(Response.json(message, { status }))
  }

  return {
    response,
    get isDone() {
      return isDone
    },
    say(message) {
      if (isDone) return
      if (!events) {
        events = createEventBody(leave)
        resolve(events.response)
      }
      events.push({ jsonrpc: '2.0', ...message })
    },
    finish: (result) => end({ result }),
    fail: (error) => end(errorBody(error), error instanceof RpcError ? statusOf(error.code) : 200),
  }
}
