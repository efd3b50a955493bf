import type { Client } from '@modelcontextprotocol/client'
import type { ResolvedConfig } from '../config.js'
import { McpError } from '../errors.js'
import type { Finding } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import { createSse } from '../transport/sse.js'
import { createStreamableHttp } from '../transport/streamable-http.js'
import type { Deadline } from './deadline.js'
import { explain } from './explain.js'
import { type Link, shakeHands, transportOptions } from './link.js'
import { type Attempts, connectFailure, type Identity, negotiate, type Verdict } from './negotiate.js'
import { withReplay } from './replay.js'

export interface EstablishOptions {
  endpoint: Endpoint
  config: ResolvedConfig
  identity: Identity
  /** Receives each attempt that failed. */
  attempts: Attempts
  deadline: Deadline
  report(finding: Finding): void
  prepare(client: Client): void
}

/** How servers that have no Streamable HTTP answer a POST to the address of their event stream. */
const noStreamableHttp = new Set([400, 404, 405])

/**
 * Connects by the transports and revisions that the configuration allows: Streamable HTTP, modern or not as
 * `server/discover` shows; and HTTP+SSE where the server takes no POST there.
 *
 * @throws The error that says most: of the transport that the server seems to have.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility}
 */
export async function establish(options: EstablishOptions): Promise<Link> {
  const { config, endpoint, identity, attempts, deadline } = options
  const { signal } = deadline
  /** A refusal for now is waited out, as of calls. */
  const patiently = <Result>(run: () => Promise<Result>) => withReplay(run, { deadline, setTimer: endpoint.setTimer })
  /** Of a failure that the signal has caused, the signal's owner knows the reason. */
  const explained = async (error: unknown, verdict?: Verdict): Promise<unknown> =>
    signal.aborted
      ? signal.reason
      : connectFailure(explain(error, {}), { era: 'modern', ...verdict, attempts }, endpoint, signal)

  if (config.transport === 'sse') {
    return patiently(() => openSse(options)).catch(async (error) => {
      throw await explained(error, { era: 'legacy', transport: 'sse' })
    })
  }
  let verdict: Verdict | undefined
  try {
    const found = await patiently(() => negotiate(endpoint, config, identity, attempts, signal))
    verdict = found
    return await patiently(() => openStreamableHttp(options, found))
  } catch (error) {
    const failure = await explained(error, verdict)
    if (config.transport === 'streamable-http' || verdict?.era !== 'legacy' || !hasNoStreamableHttp(failure))
      throw failure
    try {
      return await patiently(() => openSse(options))
    } catch (error) {
      const sseFailure = await explained(error, { era: 'legacy', transport: 'sse' })
      throw saysMore(sseFailure) ? sseFailure : failure
    }
  }
}

const openStreamableHttp = (options: EstablishOptions, verdict: Verdict) =>
  shakeHands(
    createStreamableHttp(options.endpoint, transportOptions(verdict.era, options.report)),
    verdict,
    'streamable-http',
    { ...options, signal: options.deadline.signal },
  )

const openSse = (options: EstablishOptions) =>
  shakeHands(createSse(options.endpoint, transportOptions('legacy', options.report)), { era: 'legacy' }, 'sse', {
    ...options,
    signal: options.deadline.signal,
  })

/** Whether `initialize` was refused in a way that leaves HTTP+SSE possible, and not by a JSON-RPC error. */
const hasNoStreamableHttp = (error: unknown) =>
  McpError.is(error) &&
  error.code === 'ERR_MCP_HTTP' &&
  error.data.method === 'initialize' &&
  noStreamableHttp.has(error.data.status ?? 0)

/** A GET that brings an event stream, or a refusal of the credentials, shows that HTTP+SSE was meant. */
const saysMore = (error: unknown) =>
  !McpError.is(error) ||
  error.data.reason === 'foreign-endpoint' ||
  !['ERR_MCP_HTTP', 'ERR_MCP_INVALID_RESPONSE', 'ERR_MCP_CONNECT'].includes(error.code)
