import { delay, linkedSignal } from '../abort.js'
import { McpError } from '../errors.js'
import type { Finding } from '../protocol.js'
import { type Endpoint, nextExchange, wireReport } from './endpoint.js'
import { isReply, type JsonRpcMessage } from './json-rpc.js'
import { type Cursor, cursorHeaders, eventMessages, openEventStream, retryWithinMs } from './reply-stream.js'

/** The stream on which a server of an earlier revision speaks by itself. */
export interface ServerStream {
  /** Opens it, and keeps it open, for as long as somebody listens. */
  want(wanted: boolean): void
  /** Numbers the time in which nothing that the server said can have been missed; undefined while it is not open. */
  heard(): number | undefined
}

export interface ServerStreamOptions {
  endpoint: Endpoint
  /** Version and session of this moment. */
  headers(): Record<string, string>
  onMessage(message: JsonRpcMessage): void
  report(finding: Finding): void
  /** The server had this stream, and now knows nothing of it: it has lost the session. */
  onNotFound?(): void
  /** It is open, and what was said before may have been missed. */
  onOpened?(): void
}

const firstWaitMs = 1_000
const longestWaitMs = 30_000

/**
 * Opens the stream by GET and takes it up again when it breaks, quietly and ever more slowly while nothing comes. A
 * server may not offer it (405, or anything that is no event stream); that is no error, and requests go on regardless.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server}
 */
export function createServerStream({
  endpoint,
  headers,
  onMessage,
  report,
  onNotFound,
  onOpened,
}: ServerStreamOptions): ServerStream {
  let running: AbortController | undefined
  let offered = true
  let opened = false
  let isNew = false
  let isOpen = false
  let times = 0

  async function run(signal: AbortSignal): Promise<void> {
    const cursor: Cursor = {}
    for (let vain = 0; ; ) {
      const outcome = await readOnce(signal, cursor)
      if (outcome === 'none') offered = false
      if (signal.aborted || !offered) return
      vain = outcome === 'something' ? 0 : vain + 1
      // Spread, so that the clients of a server that restarts don't all come at once.
      const backOffMs = Math.min(firstWaitMs * 2 ** Math.max(vain - 1, 0), longestWaitMs) * (0.75 + Math.random() / 2)
      const askedMs = cursor.retryMs === undefined ? 0 : retryWithinMs(cursor.retryMs)
      await delay(Math.max(askedMs, backOffMs), signal, endpoint.setTimer, endpoint.wake)
    }
  }

  async function readOnce(signal: AbortSignal, cursor: Cursor): Promise<'something' | 'nothing' | 'none'> {
    const number = nextExchange()
    const reportWire = wireReport(endpoint, number, 'GET')
    const own = linkedSignal(signal)
    cursor.alive = false
    try {
      const body = await openEventStream(endpoint, number, { ...headers(), ...cursorHeaders(cursor) }, own.signal)
      if (body === 'none') return 'none'
      if (body === 'not-found') {
        if (opened) onNotFound?.()
        return 'none'
      }
      if (body === 'not-now') return 'nothing'
      opened = true
      isOpen = true
      // What was said meanwhile comes now, where the server keeps it.
      const mayHaveMissed = isNew || !cursor.lastEventId
      if (!cursor.lastEventId) times++
      if (mayHaveMissed) onOpened?.()
      isNew = false
      for await (const message of eventMessages(body, endpoint.maxResponseBytes, own.signal, cursor)) {
        reportWire({ phase: 'message', body: message })
        // Replies come on their request's own stream: here one could end a request with a stranger's result.
        if (!isReply(message)) onMessage(message)
      }
    } catch (error) {
      // It would come again, and again be too large.
      if (McpError.is(error) && error.code === 'ERR_MCP_TOO_LARGE') {
        report({
          code: 'server-stream-ended',
          message: `What the server says by itself is heard no more: ${error.message}`,
        })
        return 'none'
      }
      // A broken network is expected: proxies end what is idle. Whoever waits for an answer waits elsewhere.
    } finally {
      isOpen = false
      own.end()
      reportWire({ phase: 'end' })
    }
    return cursor.alive ? 'something' : 'nothing'
  }

  return {
    want(wanted) {
      if (!wanted) {
        running?.abort()
        running = undefined
      } else if (!running && offered) {
        running = new AbortController()
        isNew = true
        // Rejects only when it is no longer wanted.
        run(running.signal).catch(() => {})
      }
    },
    heard: () => (isOpen ? times : undefined),
  }
}
