import { delay, linkedSignal } from '../abort.js'
import { McpError } from '../errors.js'
import { discard, type Endpoint, nextExchange, send, wireReport } from './endpoint.js'
import { readEvents } from './event-stream.js'
import { essence } from './http-error.js'
import { type JsonRpcMessage, parseJson, toMessages } from './json-rpc.js'

/** How far one event stream was read: each has its own, and no other's ids count. */
export interface Cursor {
  lastEventId?: string
  /** Milliseconds that the server asks to wait before the stream is taken up again. */
  retryMs?: number
  /** Whether anything came at all, a keep-alive included. */
  alive?: boolean
  /** Why the first event could not be read that should have been a message. */
  unreadable?: unknown
}

/** The messages of an event stream. An event that is no JSON may be a keep-alive of the server's own. */
export async function* eventMessages(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
  cursor: Cursor,
): AsyncGenerator<JsonRpcMessage, void> {
  const callbacks = {
    onRetry(retryMs: number) {
      cursor.retryMs = retryMs
    },
    onComment() {
      cursor.alive = true
    },
  }
  for await (const { event = 'message', data, id } of readEvents(body, maxBytes, signal, callbacks)) {
    cursor.alive = true
    if (id !== undefined) cursor.lastEventId = id
    // Other types are the server's own (ping, heartbeat), but for an error that is the reply.
    if ((event !== 'message' && event !== 'error') || !data) continue
    let messages: JsonRpcMessage[] = []
    try {
      messages = toMessages(parseJson(data))
    } catch (error) {
      if (event === 'message') cursor.unreadable ??= error
    }
    yield* messages
  }
}

/** What takes up the stream where the cursor is. An empty id says that there is none. */
export function cursorHeaders({ lastEventId }: Cursor): Record<string, string> {
  if (!lastEventId) return {}
  // A header holds bytes: an id past ASCII goes as its UTF-8, as browsers' own event streams do it.
  const bytes = new TextEncoder().encode(lastEventId)
  return { 'last-event-id': Array.from(bytes, (byte) => String.fromCharCode(byte)).join('') }
}

/** Statuses that say "not now": another stream is still held, or the server is overloaded. All others mean never. */
const isNotNow = (status: number) => [409, 429, 500, 502, 503, 504].includes(status)

/** Attempts to take a stream up again, in a row, that bring nothing. */
const maxVainAttempts = 3
const defaultRetryMs = 1_000
const shortestRetryMs = 100
const longestRetryMs = 60_000

export const retryWithinMs = (retryMs = defaultRetryMs) => Math.min(Math.max(retryMs, shortestRetryMs), longestRetryMs)

export interface Resumption {
  cursor: Cursor
  headers: Record<string, string>
  signal: AbortSignal
  isDone(): boolean
  onMessage(message: JsonRpcMessage): void
}

/**
 * Takes up an event stream where it broke off, until its reply is there, or the server doesn't offer it.
 *
 * @throws {TooLargeError} `ERR_MCP_TOO_LARGE`
 * @throws The signal's reason when aborted.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery}
 */
export async function resume(endpoint: Endpoint, resumption: Resumption): Promise<void> {
  const { cursor, signal, isDone, onMessage } = resumption
  for (let vain = 0; vain < maxVainAttempts && cursor.lastEventId; vain++) {
    await delay(retryWithinMs(cursor.retryMs), signal, endpoint.setTimer)
    const before = cursor.lastEventId
    const number = nextExchange()
    const report = wireReport(endpoint, number, 'GET')
    const own = linkedSignal(signal)
    try {
      const headers = { ...resumption.headers, ...cursorHeaders(cursor) }
      const body = await openEventStream(endpoint, number, headers, own.signal)
      if (body === 'none' || body === 'not-found') return
      if (body === 'not-now') continue
      for await (const message of eventMessages(body, endpoint.maxResponseBytes, own.signal, cursor)) {
        report({ phase: 'message', body: message })
        onMessage(message)
        if (isDone()) return
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!isBroken(error)) throw error
    } finally {
      own.end()
      report({ phase: 'end' })
    }
    if (cursor.lastEventId !== before) vain = -1
  }
}

/**
 * Asks for an event stream by GET.
 *
 * @returns Its body; `none` where the server has none to give, or wants other credentials for it than there are;
 *   `not-found` where nothing is known of it, or of the session; `not-now` where it may be worth asking again.
 * @throws The signal's reason when aborted.
 */
export async function openEventStream(
  endpoint: Endpoint,
  exchange: number,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | 'none' | 'not-found' | 'not-now'> {
  let response: Response
  try {
    response = await send(endpoint, {
      exchange,
      httpMethod: 'GET',
      headers: { accept: 'text/event-stream', ...headers },
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return isBroken(error) ? 'not-now' : 'none'
  }
  if (response.ok && essence(response) === 'text/event-stream' && response.body) return response.body
  discard(response)
  if (response.status === 404 || response.status === 400) return 'not-found'
  return isNotNow(response.status) ? 'not-now' : 'none'
}

/** Whether a stream broke off, so that the rest of it may still be had. */
export function isBroken(error: unknown): boolean {
  return !McpError.is(error) || (error.code === 'ERR_MCP_DISCONNECTED' && error.data.reason === 'network')
}
