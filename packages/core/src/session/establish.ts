import type { McpError } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { createStreamableHttp } from '../transport/streamable-http.js'
import { createDeadline } from './deadline.js'
import { explain } from './explain.js'
import { type LegacyOptions, openLegacy, type Step } from './legacy.js'
import { type Link, shakeHands, transportOptions } from './link.js'
import type { Known, Memory } from './memory.js'
import { attempt, decidesNothing, diagnose, negotiate, saysNothing, type Verdict } from './negotiate.js'
import { onProbation } from './probation.js'
import { withReplay } from './replay.js'

export interface EstablishOptions extends LegacyOptions {
  memory: Memory
}

/** How a connection reaches its server, over HTTP or otherwise. */
export interface Reach {
  /** Makes one handshake. */
  establish(options: EstablishOptions): Promise<Link>
  /** Whether a server that was lost is lost for good, which ends the connection. Default: it is not. */
  isOver?(): boolean
  /** Makes the handshake after a link was lost, as often as may be; it is asked for at once, and does the waiting. */
  reopen?(begin: () => Promise<Link>, signal: AbortSignal): Promise<Link>
  /** Resolves when nothing is left of handshakes that led to no link. Default: there never is. */
  gone?(): Promise<void>
}

/**
 * Connects by the transports and revisions that the configuration allows: as is remembered of the server, or else over
 * Streamable HTTP, modern or not as `server/discover` shows; and by HTTP+SSE where the server takes no POST there.
 *
 * @throws The error that says most: of the transport that the server seems to have.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#backward-compatibility}
 */
export async function establish(options: EstablishOptions): Promise<Link> {
  const { config, endpoint, memory, attempts, deadline } = options
  const { signal } = deadline
  let unseen = false
  try {
    if (config.transport === 'sse') return (await openLegacy(options, { transport: 'sse' })).link
    const known = await memory.recall(signal)
    const link = known && (await openKnown(options, known))
    if (link) return link
    if (known) memory.forget()
    const verdict = await told(options, () => ask(options))
    if (verdict.era === 'legacy') {
      unseen = verdict.unseen === true
      const { offer } = verdict
      const { link, step } = await openLegacy(options, { transport: 'streamable-http', ...(offer && { offer }) })
      rememberStep(memory, step)
      return link
    }
    const modern = await told(options, () => openModern(options, verdict.discover))
    memory.remember(verdict)
    return onProbation(modern, (signal) => isModern(options, signal), true)
  } catch (error) {
    // Of a failure that the signal has caused, the signal's owner knows the reason.
    if (signal.aborted) throw signal.reason
    throw await diagnose(explain(error, {}), { unseen, attempts }, endpoint, signal)
  }
}

/**
 * Connects as is remembered of the server.
 *
 * @returns Undefined where the server may have changed since.
 */
async function openKnown(options: EstablishOptions, known: Known): Promise<Link | undefined> {
  const { memory, deadline } = options
  try {
    if (known.era === 'modern') {
      const link = await told(options, () => openModern(options, known.discover))
      return onProbation(link, (signal) => isModern(options, signal), false)
    }
    const { link, step } = await (known.transport === 'sse'
      ? inHalfTheTime(options, (half) => openLegacy(half, known))
      : openLegacy(options, known))
    // Only what is new: one that is met every day would never be asked anew.
    if (step !== known) rememberStep(memory, step)
    return link
  } catch (error) {
    if (deadline.signal.aborted) throw error
    const failure = explain(error, {})
    if (!mayHaveChanged(failure)) throw failure
    return undefined
  }
}

/** A stream by which nothing comes, of a server that has no such transport any more, must leave time to find out. */
async function inHalfTheTime<Result>(
  options: EstablishOptions,
  run: (options: EstablishOptions) => Promise<Result>,
): Promise<Result> {
  const { endpoint, attempts, deadline } = options
  const half = createDeadline({
    signal: deadline.signal,
    timeoutMs: Math.max(1, Math.floor(deadline.remainingMs() / 2)),
    setTimer: endpoint.setTimer,
    now: endpoint.now,
    what: 'Connecting by HTTP+SSE, as the last time,',
    advice: 'the server is asked anew',
  })
  try {
    return await run({ ...options, deadline: half })
  } catch (error) {
    if (!half.signal.aborted || deadline.signal.aborted) throw error
    const failure = explain(half.reason, {})
    attempts.push(attempt('legacy', failure.message, undefined, 'sse'))
    throw failure
  } finally {
    half.end()
  }
}

function rememberStep(memory: Memory, { transport, offer }: Step): void {
  if (transport !== 'stdio') memory.remember({ era: 'legacy', transport, ...(offer && { offer }) })
}

function ask({ endpoint, config, identity, attempts, deadline }: EstablishOptions): Promise<Verdict> {
  // A refusal for now is waited out, as of calls.
  return withReplay(() => negotiate(endpoint, config, identity, attempts, deadline.signal), {
    deadline,
    setTimer: endpoint.setTimer,
  })
}

function openModern(options: EstablishOptions, discover: JsonObject): Promise<Link> {
  const transport = createStreamableHttp(options.endpoint, transportOptions('modern', options))
  const { signal } = options.deadline
  return shakeHands(transport, { era: 'modern', discover }, 'streamable-http', { ...options, signal })
}

/** Whether the server still is modern; the answer is remembered. */
async function isModern(
  { endpoint, config, identity, memory }: EstablishOptions,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const verdict = await negotiate(endpoint, config, identity, [], signal)
    if (verdict.era === 'modern') memory.remember(verdict)
    return verdict.era === 'modern'
  } catch (error) {
    if (signal.aborted || !mayHaveChanged(explain(error, {}))) throw error
    return false
  }
}

/** Adds the attempt of a modern handshake that fails; that of earlier revisions adds its own. */
async function told<Result>({ attempts, deadline }: EstablishOptions, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (deadline.signal.aborted) throw error
    const failure = explain(error, {})
    attempts.push(attempt('modern', failure.message, failure.data.status))
    throw failure
  }
}

/** Whether a failure may come of speaking to a server as it was the last time. */
function mayHaveChanged(failure: McpError): boolean {
  const { code, data } = failure
  if (code === 'ERR_MCP_JSONRPC') return !saysNothing(data.status ?? 0)
  return code === 'ERR_MCP_PROTOCOL_VERSION' || code === 'ERR_MCP_TIMEOUT' || !decidesNothing(failure)
}
