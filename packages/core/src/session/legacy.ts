import type { ResolvedConfig } from '../config.js'
import type { McpError } from '../errors.js'
import type { ProtocolVersion, ServerInfo } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import type { HttpTransport, TransportOptions } from '../transport/http-transport.js'
import { createSse } from '../transport/sse.js'
import { createStreamableHttp } from '../transport/streamable-http.js'
import type { Deadline } from './deadline.js'
import { explain } from './explain.js'
import { type Link, type LinkOptions, shakeHands, transportOptions } from './link.js'
import { type Attempts, attempt } from './negotiate.js'
import { withReplay } from './replay.js'
import {
  explainRefusal,
  legacyOffers,
  otherOffer,
  pinnedVersion,
  type RefusedHandshake,
  type VersionRefusal,
  versionRefusal,
} from './revisions.js'

export interface LegacyOptions extends Omit<LinkOptions, 'signal'> {
  endpoint: Endpoint
  /** Receives each attempt that failed. */
  attempts: Attempts
  deadline: Deadline
  /** Makes the transport of a step. Default: one of those over HTTP. */
  create?(step: Step['transport'], options: TransportOptions): HttpTransport
}

/** One way to make the handshake of earlier revisions. */
export interface Step {
  transport: ServerInfo['transport']
  /** The revision to offer; default: the newest. */
  offer?: ProtocolVersion
  /** Whether another revision was refused in this way: a third is not offered. */
  again?: true
}

/** How servers that have no Streamable HTTP answer a POST to the address of their event stream. */
const noStreamableHttp = new Set([400, 404, 405])

/**
 * Makes the handshake of earlier revisions: over Streamable HTTP, and HTTP+SSE where the server takes no POST there;
 * once more with another revision where it refuses the first.
 *
 * @returns The link, and the step that led to it.
 * @throws The error that says most: of the transport that the server seems to have.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility}
 */
export async function openLegacy(options: LegacyOptions, first: Step): Promise<{ link: Link; step: Step }> {
  const { config, endpoint, attempts, deadline } = options
  const { signal } = deadline
  const steps = [first]
  const failures: McpError[] = []
  for (let step = steps.shift(); step; step = steps.shift()) {
    const taken = step
    let refused: RefusedHandshake | undefined
    const onRefused = (refusal: RefusedHandshake) => {
      refused = refusal
    }
    try {
      // A refusal for now is waited out, as of calls.
      const link = await withReplay(() => take(taken, options, onRefused), { deadline, setTimer: endpoint.setTimer })
      return { link, step }
    } catch (error) {
      // Of a failure that the signal has caused, the signal's owner knows the reason.
      if (signal.aborted) throw signal.reason
      const failure = explain(error, refused ? { status: refused.status } : {})
      const refusal = isOfHandshake(failure) ? versionRefusal(failure, refused) : undefined
      attempts.push(attempt('legacy', failure.message, failure.data.status, step.transport))
      failures.push((refusal && explainRefusal(config, refusal, failure)) ?? failure)
      if (isOfHandshake(failure)) steps.unshift(...nextSteps(config, step, failure, refusal))
    }
  }
  throw failures.findLast(saysMore) ?? failures[0]
}

function take(
  { transport, offer }: Step,
  options: LegacyOptions,
  onRefused: (refusal: RefusedHandshake) => void,
): Promise<Link> {
  const { endpoint, deadline } = options
  const overHttp = (options: TransportOptions) =>
    transport === 'sse' ? createSse(endpoint, options) : createStreamableHttp(endpoint, options)
  const { create = (_, options) => overHttp(options) } = options
  return shakeHands(
    create(transport, { ...transportOptions('legacy', options), onRefused }),
    { era: 'legacy', ...(offer && { offer }) },
    transport,
    { ...options, signal: deadline.signal },
  )
}

/** Whether `initialize` was answered, and refused. The engine's errors are of nothing else here. */
const isOfHandshake = ({ code, data }: McpError) =>
  code === 'ERR_MCP_JSONRPC' || (code === 'ERR_MCP_HTTP' && data.method === 'initialize')

/** What is left to try after `initialize` was refused. */
function nextSteps(config: ResolvedConfig, step: Step, { code, data }: McpError, refusal?: VersionRefusal): Step[] {
  const { status = 0 } = data
  const [offered] = legacyOffers(config, step.offer)
  const mayOffer = (refusal || status === 400) && !step.again && !pinnedVersion(config)
  const offer = mayOffer ? otherOffer(offered!, step.transport, refusal) : undefined
  const again: Step[] = offer ? [{ ...step, offer, again: true }] : []
  const maySse =
    step.transport === 'streamable-http' && config.transport !== 'streamable-http' && !refusal && !step.again
  // A 400 without a word is how either says no.
  return maySse && code === 'ERR_MCP_HTTP' && noStreamableHttp.has(status) ? [{ transport: 'sse' }, ...again] : again
}

/** Of these another attempt's error tells as much, or more. */
const saysLittle = new Set(['ERR_MCP_HTTP', 'ERR_MCP_INVALID_RESPONSE', 'ERR_MCP_DISCONNECTED'])

/** A GET that brings an event stream, or a refusal of the credentials, shows which transport was meant. */
const saysMore = ({ code, data }: McpError) => data.reason === 'foreign-endpoint' || !saysLittle.has(code)
