import type { McpError } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { createStreamableHttp } from '../transport/streamable-http.js'
import { createDeadline } from './deadline.js'
import { explain } from './explain.js'
import { type LegacyOptions, openLegacy } from './legacy.js'
import { type Link, shakeHands, transportOptions } from './link.js'
import type { Known, Memory } from './memory.js'
import { attempt, decidesNothing, diagnose, negotiate, saysNothing, type Verdict } from './negotiate.js'
import { onProbation } from './probation.js'
import { withReplay } from './replay.js'

export interface EstablishOptions extends LegacyOptions {
  memory: Memory
}

/**
 * Connects by the transports and revisions that the configuration allows: as is remembered of the server, or else over
 * Streamable HTTP, modern or not as `server/discover` shows; and by HTTP+SSE where the server takes no POST there.
 *
 * @throws The error that says most: of the transport that the server seems to have.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#backward-compatibility}
 */
export async function establish(options: EstablishOptions): Promise<Link> {
  const { config, endpoint, identity, memory, attempts, deadline } = options
  const { signal } = deadline
  let verdict: Verdict | undefined
  try {
    if (config.transport === 'sse') return (await openLegacy(options, { transport: 'sse' })).link
    const known = await memory.recall(signal)
    const link = known && (await openKnown(options, known))
    if (link) return link
    if (known) memory.forget()
    verdict = await withReplay(() => negotiate(endpoint, config, identity, attempts, signal), {
      deadline,
      setTimer: endpoint.setTimer,
    })
    if (verdict.era === 'legacy') {
      const { offer } = verdict
      const { link, step } = await openLegacy(options, { transport: 'streamable-http', ...(offer && { offer }) })
      memory.remember({ era: 'legacy', transport: step.transport, ...(step.offer && { offer: step.offer }) })
      return link
    }
    const modern = await openModern(options, verdict.discover)
    memory.remember(verdict)
    return modern
  } catch (error) {
    // Of a failure that the signal has caused, the signal's owner knows the reason.
    if (signal.aborted) throw signal.reason
    const failure = explain(error, {})
    // What came of the handshake of earlier revisions has told its attempts.
    if (config.transport !== 'sse' && verdict?.era !== 'legacy')
      attempts.push(attempt('modern', failure.message, failure.data.status))
    const unseen = verdict?.era === 'legacy' && verdict.unseen === true
    throw await diagnose(failure, { unseen, attempts }, endpoint, signal)
  }
}

/**
 * Connects as is remembered of the server.
 *
 * @returns Undefined where the server may have changed since.
 */
async function openKnown(options: EstablishOptions, known: Known): Promise<Link | undefined> {
  const { config, endpoint, identity, memory, attempts, deadline } = options
  // A stream on which nothing comes any more must leave time to find out why.
  const half = createDeadline({
    signal: deadline.signal,
    timeoutMs: Math.max(1, Math.floor(deadline.remainingMs() / 2)),
    setTimer: endpoint.setTimer,
    now: endpoint.now,
    what: 'Connecting as the last time',
    advice: 'the server is asked anew',
  })
  try {
    if (known.era === 'legacy') return (await openLegacy({ ...options, deadline: half }, known)).link
    const link = await openModern(options, known.discover)
    return onProbation(link, async (signal) => {
      try {
        const verdict = await negotiate(endpoint, config, identity, [], signal)
        if (verdict.era === 'modern') memory.remember(verdict)
        return verdict.era === 'modern'
      } catch (error) {
        if (signal.aborted || !mayHaveChanged(explain(error, {}))) throw error
        return false
      }
    })
  } catch (error) {
    if (deadline.signal.aborted) throw error
    const failure = explain(half.signal.aborted ? half.reason : error, {})
    if (!mayHaveChanged(failure)) throw failure
    if (known.era === 'modern' || half.signal.aborted)
      attempts.push(attempt(known.era, failure.message, failure.data.status, transportOf(known)))
    return undefined
  } finally {
    half.end()
  }
}

const transportOf = (known: Known) => (known.era === 'legacy' ? known.transport : 'streamable-http')

function openModern({ endpoint, report, deadline, ...options }: EstablishOptions, discover: JsonObject): Promise<Link> {
  const transport = createStreamableHttp(endpoint, transportOptions('modern', report))
  const { signal } = deadline
  return shakeHands(transport, { era: 'modern', discover }, 'streamable-http', { ...options, report, signal })
}

/** Whether a failure may come of speaking to a server as it was the last time. */
function mayHaveChanged(failure: McpError): boolean {
  const { code, data } = failure
  if (code === 'ERR_MCP_JSONRPC') return !saysNothing(data.status ?? 0)
  return code === 'ERR_MCP_PROTOCOL_VERSION' || code === 'ERR_MCP_TIMEOUT' || !decidesNothing(failure)
}
