import { linkedSignal, onAbort, untilAborted } from '../abort.js'
import { fromErrorData, McpError, ProtocolVersionError, toErrorData, withDetails } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { connectionClosed } from '../transport/http-transport.js'
import type { Link } from './link.js'
import { decidesNothing, modernErrors, unsupportedVersion } from './negotiate.js'

/** The word by which {@link isOutdated} knows its error. */
const outdated = 'outdated'

/** Whether what was remembered of a server holds no longer; no request that ended by it has run. */
export const isOutdated = (error: unknown) => McpError.is(error) && error.data.reason === outdated

/**
 * A modern link whose server may be another than it was, because that is only remembered, or because it has just refused
 * a request as no modern server does. Until a request was answered, lists alone are asked for at once, as they may be
 * asked for twice; anything else waits for `server/discover`, for a server of an earlier revision may run a tool and
 * answer in a way that can't be read.
 *
 * @param ask - Asks the server whether it is modern.
 * @param proven - Whether it has just been found to be.
 * @returns A link whose requests reject with an error that {@link isOutdated} knows, when it no longer is.
 */
export function onProbation(link: Link, ask: (signal: AbortSignal) => Promise<boolean>, proven: boolean): Link {
  const closed = new AbortController()
  const { client } = link
  const onClose = client.onclose
  client.onclose = () => {
    closed.abort(connectionClosed())
    onClose?.()
  }
  let asking: { signal: AbortSignal; answer: Promise<boolean> } | undefined

  /** One question serves all who want to know. */
  async function isModern(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      asking ??= begin(signal)
      const current = asking
      try {
        return await untilAborted(signal, current.answer)
      } catch (error) {
        // Who asked has left: the next one asks.
        if (signal.aborted || !current.signal.aborted) throw error
      }
    }
  }

  function begin(signal: AbortSignal) {
    const own = linkedSignal(signal)
    const stopWaiting = onAbort(closed.signal, () => own.abort(closed.signal.reason))
    const answer = ask(own.signal).finally(() => {
      asking = undefined
      stopWaiting()
      own.end()
    })
    return { signal, answer }
  }

  async function confirm(signal: AbortSignal): Promise<void> {
    let isStill: boolean
    try {
      isStill = await isModern(signal)
    } catch (error) {
      throw signal.aborted ? error : ownError(error)
    }
    if (!isStill) throw outdatedError()
    proven = true
  }

  /** What comes of a list that could not be had: the error itself, unless the server has changed. */
  async function explainFailure(error: unknown, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted || closed.signal.aborted || !leavesDoubt(error)) return error
    try {
      await confirm(signal)
      return error
    } catch (why) {
      return isOutdated(why) ? why : error
    }
  }

  return {
    ...link,
    async request(method, params, options): Promise<JsonObject> {
      const { signal } = options
      const isList = method.endsWith('/list')
      if (!proven && !isList) await confirm(signal)
      try {
        const result = await link.request(method, params, options)
        proven = true
        return result
      } catch (error) {
        if (isForeign(error)) proven = false
        // What may not be sent twice keeps its error, and the next request finds out.
        throw proven || !isList ? error : await explainFailure(error, signal)
      }
    },
  }
}

/** Whether it is how servers of earlier revisions refuse a modern request, and modern ones seldom refuse anything. */
const isForeign = (error: unknown) =>
  McpError.is(error)
    ? error.code === 'ERR_MCP_HTTP' && noModernServer.has(error.data.status ?? 0)
    : (error as { code?: unknown } | null)?.code === serverError

const noModernServer = new Set([400, 404, 405])
/** What the reference implementation says of a missing session, and of a revision that it doesn't know. */
const serverError = -32000

/** Whether the server that answers so may be one of another era. */
function leavesDoubt(error: unknown): boolean {
  if (McpError.is(error)) return !decidesNothing(error)
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'number' && !modernErrors.has(code) && code !== unsupportedVersion
}

const outdatedError = () =>
  new ProtocolVersionError('The server no longer speaks the revision that is remembered of it', {
    data: { reason: outdated, outcome: 'not-run' },
  })

/** Each who waited gets an error of its own, which says what its own request was about: it was never sent. */
function ownError(error: unknown): unknown {
  if (!McpError.is(error)) return error
  const { method: _, ...data } = error.data
  return withDetails(fromErrorData({ ...toErrorData(error), data }) as McpError, { outcome: 'not-run' })
}
