import { Client } from '@modelcontextprotocol/client'
import { onAbort } from '../abort.js'
import type { ResolvedConfig } from '../config.js'
import { McpError } from '../errors.js'
import type { Era, Finding, JsonObject, ProtocolVersion, ServerInfo } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import type { HttpTransport, TransportOptions } from '../transport/http-transport.js'
import type { JsonRpcMessage } from '../transport/json-rpc.js'
import { mendHandshake } from '../transport/mend.js'
import { createSse } from '../transport/sse.js'
import { createStreamableHttp } from '../transport/streamable-http.js'
import { version } from '../version.js'
import type { Deadline } from './deadline.js'
import { explain } from './explain.js'
import { type Attempts, connectFailure, negotiate, type Verdict } from './negotiate.js'
import { wrapResult } from './payload.js'
import { withReplay } from './replay.js'

const identity = { clientInfo: { name: '@x/core', version }, capabilities: {} }

/** Timers of the engine that are switched off: the longest that setTimeout takes. The deadlines are ours. */
export const noTimeoutMs = 2 ** 31 - 1

/** A connection that has made its handshake. */
export interface Established {
  client: Client
  transport: HttpTransport
  server: ServerInfo
}

export interface EstablishOptions {
  endpoint: Endpoint
  config: ResolvedConfig
  /** Receives each attempt that failed. */
  attempts: Attempts
  deadline: Deadline
  report(finding: Finding): void
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
export async function establish(options: EstablishOptions): Promise<Established> {
  const { config, endpoint, attempts, deadline } = options
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
    createStreamableHttp(options.endpoint, transportOptions(options, verdict.era)),
    verdict,
    'streamable-http',
    options,
  )

const openSse = (options: EstablishOptions) =>
  shakeHands(createSse(options.endpoint, transportOptions(options, 'legacy')), { era: 'legacy' }, 'sse', options)

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

function transportOptions({ report }: EstablishOptions, era: Era): TransportOptions {
  return {
    report,
    onReply(reply: JsonRpcMessage, method: string): JsonRpcMessage {
      if (method !== 'initialize') return wrapResult(reply, method, era, report)
      const { result } = reply as { result?: JsonObject }
      return result ? { ...reply, result: mendHandshake(result, report) } : reply
    },
  }
}

async function shakeHands(
  transport: HttpTransport,
  verdict: Verdict,
  kind: ServerInfo['transport'],
  { config, deadline: { signal }, report }: EstablishOptions,
): Promise<Established> {
  const { protocolVersion } = config
  const client = new Client(identity.clientInfo, {
    capabilities: identity.capabilities,
    // The engine's default generates code on Node, which a strict runtime forbids, and none of it is used.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    ...(protocolVersion && protocolVersion !== 'auto' && { supportedProtocolVersions: [protocolVersion] }),
  })
  client.onerror = (error) => report({ code: 'protocol', message: error.message.slice(0, 300) })
  const abandon = () => void transport.close()
  const stopWaiting = onAbort(signal, abandon)
  const prior =
    verdict.era === 'modern'
      ? { kind: 'modern', discover: mendHandshake(verdict.discover, report) }
      : { kind: 'legacy' }
  try {
    await client.connect(transport, { prior: prior as never, signal, timeout: noTimeoutMs })
    signal.throwIfAborted()
  } catch (error) {
    abandon()
    throw error
  } finally {
    stopWaiting()
  }
  return { client, transport, server: describeServer(client, verdict.era, kind) }
}

function describeServer(client: Client, era: Era, transport: ServerInfo['transport']): ServerInfo {
  const { name = '', version = '', ...more } = client.getServerVersion() ?? {}
  const instructions = client.getInstructions()
  return {
    ...(more as Partial<ServerInfo>),
    name,
    version,
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() as ProtocolVersion,
    transport,
    capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
    ...(instructions !== undefined && { instructions }),
  }
}
