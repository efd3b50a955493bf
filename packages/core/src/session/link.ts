import { Client, type ClientOptions, type StandardSchemaV1 } from '@modelcontextprotocol/client'
import { onAbort } from '../abort.js'
import type { ResolvedConfig } from '../config.js'
import { reportError } from '../errors.js'
import type { Era, Finding, JsonObject, Progress, ProtocolVersion, ServerInfo } from '../protocol.js'
import type { HttpTransport, TransportOptions } from '../transport/http-transport.js'
import type { JsonRpcMessage } from '../transport/json-rpc.js'
import { mendHandshake } from '../transport/mend.js'
import { markOrigin } from './dialogues/origin.js'
import type { Identity, Verdict } from './negotiate.js'
import { unwrapResult, wrapResult } from './payload.js'
import { answeredOther, legacyOffers, modernVersion } from './revisions.js'

/** Timers of the engine that are switched off: the longest that setTimeout takes. The deadlines are ours. */
export const noTimeoutMs = 2 ** 31 - 1

/** Results are looked at by this package; the engine hands them through. */
const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: '@x/core', validate: (value) => ({ value: value as JsonObject }) },
}

/** The engine's default generates code on Node, which a strict runtime forbids, and none of it is used. */
export const noValidation: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** What shows that a server still answers: since 2026-07-28 there is no `ping`. */
const alive: Readonly<Record<Era, string>> = { modern: 'server/discover', legacy: 'ping' }

/** One handshake with a server, and what is sent by it. Where a server loses it, another takes its place. */
export interface Link {
  readonly client: Client
  readonly transport: HttpTransport
  readonly server: ServerInfo
  /** Sends one request and gives its result as the server sent it, final or not. */
  request(method: string, params: object, options: SendOptions): Promise<JsonObject>
}

export interface SendOptions {
  signal: AbortSignal
  headers?: Record<string, string>
  onProgress?: (progress: Progress) => void
  meta?: JsonObject
}

type StreamListeners = Pick<LinkOptions, 'report' | 'onStrayProgress' | 'onHeard'>

export interface LinkOptions {
  config: ResolvedConfig
  identity: Identity
  signal: AbortSignal
  report(finding: Finding): void
  /** Takes progress that no request waits for. */
  onStrayProgress?(params: JsonObject): void
  /** What the server says by itself is heard from now on. */
  onHeard?(): void
  /** Sees the engine before the handshake: what the server asks may come right after it. */
  prepare(client: Client): void
}

/** How a transport's messages are seen before the engine sees them. */
export function transportOptions(era: Era, { report, onStrayProgress, onHeard }: StreamListeners): TransportOptions {
  return {
    report,
    ...(onStrayProgress && { onStrayProgress }),
    ...(onHeard && { onHeard }),
    onRequest: markOrigin,
    onReply(reply: JsonRpcMessage, method: string): JsonRpcMessage {
      if (method !== 'initialize') return wrapResult(reply, method, era, report)
      const { result } = reply as { result?: JsonObject }
      return result ? { ...reply, result: mendHandshake(result, report) } : reply
    },
  }
}

/** Makes the handshake over this transport, which is closed again when it fails. */
export async function shakeHands(
  transport: HttpTransport,
  verdict: Verdict,
  kind: ServerInfo['transport'],
  { config, identity, signal, report, prepare }: LinkOptions,
): Promise<Link> {
  // The engine offers the first, and takes any of them.
  const versions = verdict.era === 'modern' ? [modernVersion] : legacyOffers(config, verdict.offer)
  const client = new Client(identity.clientInfo, {
    capabilities: capabilitiesIn(verdict.era, identity.capabilities),
    jsonSchemaValidator: noValidation,
    supportedProtocolVersions: versions,
  })
  client.onerror = (error) => report({ code: 'protocol', message: error.message.slice(0, 300) })
  prepare(client)
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
    // The engine says so in words alone.
    const [, other] = /protocol version is not supported: (.*)/.exec((error as Error).message) ?? []
    throw other === undefined ? error : answeredOther(other, versions)
  } finally {
    stopWaiting()
  }
  return {
    client,
    transport,
    server: describeServer(client, verdict.era, kind),
    async request(method, params, { signal, headers, onProgress, meta }) {
      const result = await client.request(
        {
          method: method === 'ping' ? alive[verdict.era] : method,
          params: withMeta(params, { ...config.meta, ...meta }),
        },
        anyResult,
        {
          signal,
          timeout: noTimeoutMs,
          ...(headers && { headers }),
          ...(onProgress && { onprogress: (progress) => guarded(() => onProgress(progress as Progress)) }),
        },
      )
      return unwrapResult(result)
    },
  }
}

/** Earlier revisions know no extensions. */
function capabilitiesIn(era: Era, { extensions, ...capabilities }: JsonObject): JsonObject {
  return era === 'modern' && extensions !== undefined ? { ...capabilities, extensions } : capabilities
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

function withMeta(params: object, meta: JsonObject): Record<string, unknown> {
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : { ...params }
}

/** Runs the app's function: what it throws is the app's to see, and must not end the call. */
function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    reportError(error)
  }
}
