import { onAbort } from '../abort.js'
import { JsonRpcError, type McpError, TimeoutError } from '../errors.js'
import { type BackOff, createBackOff, isPassing } from './back-off.js'
import type { Carrier, CarrierOptions } from './carrier.js'
import type { Wanted } from './events.js'
import { explain } from './explain.js'
import {
  acknowledgedOf,
  describeName,
  isSame,
  type ListenFilter,
  resourceName,
  toFilter,
  toNotifications,
} from './listen-filter.js'
import { createVerdicts } from './verdicts.js'

interface Stream {
  /** What was asked for; once acknowledged, what the server tells of. */
  filter: ListenFilter
  abort: AbortController
  openedAt: number
}

/** Milliseconds that an acknowledgement may take. */
const acknowledgeMs = 30_000
/** Milliseconds that a server's stream lasts which does keep long ones. */
const longStreamMs = 60_000
const methodNotFound = -32601

/**
 * Since 2026-07-28: one stream for all that is wanted. Another filter opens another stream, and the one before is let go
 * once that is acknowledged, so that nothing is lost between.
 *
 * A stream that breaks is opened again, ever more slowly while that is in vain. One that the server has ended itself is
 * asked for again too, since somebody still listens, but only after half a minute and more: the server is going away, or
 * keeps no long streams.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions}
 */
export function createListenCarrier(options: CarrierOptions): Carrier {
  const { link, server, request, report, now, setTimer, wake, onGap } = options
  const ending = new AbortController()
  const verdicts = createVerdicts()
  const afterCut = createBackOff({ firstMs: 1_000, longestMs: 30_000, setTimer, wake })
  const afterEnd = createBackOff({ firstMs: 30_000, longestMs: 300_000, setTimer, wake })
  /** What the server won't tell of, and why; not asked for again while this stream, or this wish, lasts. */
  const declined = new Map<string, McpError>()
  let wanted: Wanted = { lists: false, resources: [] }
  let current: Stream | undefined
  let opening: Stream | undefined
  let waiting: AbortController | undefined
  /** Whether the wait is a long one, after an end that the server told. */
  let patient = false
  /** Whether nobody listened for a while: what was read before that may have changed unheard. */
  let gap = true
  let due = false

  /** Once for all that is said in one go. */
  function soon(): void {
    if (due) return
    due = true
    queueMicrotask(() => {
      due = false
      if (!ending.signal.aborted) sync()
    })
  }

  function sync(): void {
    const all = toFilter(wanted, link.server.capabilities)
    for (const name of declined.keys()) if (!all.has(name)) declined.delete(name)
    const filter = new Set([...all].filter((name) => !declined.has(name)))
    if (filter.size === 0) stop()
    else if (!opening && !waiting && !(current && isSame(current.filter, filter))) open(filter)
  }

  function stop(): void {
    for (const abort of [opening?.abort, current?.abort, waiting]) abort?.abort()
    opening = current = waiting = undefined
    gap = true
  }

  function open(filter: ListenFilter): void {
    const stream: Stream = { filter, abort: new AbortController(), openedAt: now() }
    opening = stream
    const cancelTimer = setTimer(acknowledgeMs, () => {
      if (opening !== stream) return
      const message = `${server} has not acknowledged a subscription within ${acknowledgeMs} ms`
      report({ code: 'not-acknowledged', message })
      ended(stream, new TimeoutError(message, { data: { server, limit: acknowledgeMs } }))
      stream.abort.abort()
    })
    request('subscriptions/listen', { notifications: toNotifications(filter) }, stream.abort.signal)
      .then(
        () => ended(stream),
        (error) => ended(stream, explain(error, { server })),
      )
      .finally(cancelTimer)
    // Not only when the request has ended: nothing is left behind by who listens no more.
    onAbort(stream.abort.signal, cancelTimer)
  }

  function acknowledge(stream: Stream, honored: ListenFilter): void {
    const asked = stream.filter
    opening = undefined
    current?.abort.abort()
    current = { ...stream, filter: honored }
    afterCut.reset()
    const missing = [...asked].filter((name) => !honored.has(name))
    for (const name of missing) decline(name, notOffered(name))
    for (const name of honored) verdicts.settle(name)
    if (missing.length > 0)
      report({
        code: 'subscription-refused',
        message: `${server} does not tell of ${missing.map(describeName).join(', ').slice(0, 300)}`,
      })
    const missed = gap
    gap = false
    if (missed) onGap()
    soon()
  }

  /** @param error - None: the server has ended it itself. */
  function ended(stream: Stream, error?: McpError): void {
    const wasOpening = opening === stream
    const isCurrent = current?.abort === stream.abort
    if (!wasOpening && !isCurrent) return
    if (wasOpening) opening = undefined
    if (isCurrent) {
      current = undefined
      gap = true
      // Another process may answer next, and offer more.
      declined.clear()
    }
    if (wasOpening) for (const name of stream.filter) verdicts.settle(name, error ?? notOffered(name))
    if (!error) {
      if (now() - stream.openedAt >= longStreamMs) afterEnd.reset()
      pause(afterEnd)
    } else if (isPassing(error) || (isCurrent && error.code === 'ERR_MCP_JSONRPC'))
      pause(afterCut, error.data.retryAfterMs)
    else refuse(stream, error)
  }

  /** What the server was asked for anew is what it refuses; where no stream is open, all of it. */
  function refuse({ filter }: Stream, error: McpError): void {
    const added = [...filter].filter((name) => !current?.filter.has(name))
    // A stream that tells of more than is wanted is as good.
    if (current && added.length === 0) current = { ...current, filter }
    const uris = added.filter((name) => name.startsWith(resourceName('')))
    for (const name of uris.length > 0 ? uris : added) decline(name, error)
    report({ code: 'subscription-refused', message: `${server} tells of no changes: ${error.message}` })
    soon()
  }

  function decline(name: string, error: McpError): void {
    declined.set(name, error)
    verdicts.settle(name, error)
  }

  function pause(backOff: BackOff, askedMs?: number): void {
    waiting?.abort()
    patient = backOff === afterEnd
    const abort = new AbortController()
    waiting = abort
    backOff.wait(abort.signal, askedMs).then(
      () => {
        if (waiting !== abort) return
        waiting = undefined
        sync()
      },
      () => {},
    )
  }

  function notOffered(name: string): McpError {
    return new JsonRpcError(`${server} does not offer updates of ${describeName(name)}`, {
      data: { server, rpcCode: methodNotFound },
    })
  }

  return {
    want(anew) {
      const isNew = toFilter(anew, link.server.capabilities)
      for (const name of toFilter(wanted, link.server.capabilities)) isNew.delete(name)
      wanted = anew
      // The server said that it ends the stream, not that it takes no other.
      if (patient && isNew.size > 0) {
        waiting?.abort()
        waiting = undefined
      }
      soon()
    },
    async confirmed(uri) {
      const name = resourceName(uri)
      const refused = declined.get(name)
      if (refused) throw refused
      if (!current?.filter.has(name)) await verdicts.wait(name)
    },
    acknowledged(notifications) {
      if (opening) acknowledge(opening, acknowledgedOf(opening.filter, notifications))
    },
    end(reason) {
      ending.abort(reason)
      stop()
      verdicts.end(reason)
    },
  }
}
