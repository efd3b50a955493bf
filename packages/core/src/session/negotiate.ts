import { onAbort } from '../abort.js'
import type { ResolvedConfig } from '../config.js'
import {
  type ConnectAttempt,
  ConnectError,
  JsonRpcError,
  McpError,
  ProtocolVersionError,
  withDetails,
} from '../errors.js'
import type { Era, JsonObject, ProtocolVersion } from '../protocol.js'
import { diagnoseCors } from '../transport/cors.js'
import type { Endpoint } from '../transport/endpoint.js'
import { exchange } from '../transport/exchange.js'
import type { JsonRpcMessage } from '../transport/json-rpc.js'
import { modernHeaders } from '../transport/request-headers.js'
import { checkVersions, legacyVersions, modernVersion, pinnedVersion, versionsOf } from './revisions.js'

/**
 * What a server was found to speak; `unseen` when the question got no answer that could be read; `offer` is the revision
 * to begin the handshake with, where it is not the newest.
 */
export type Verdict =
  | { era: 'modern'; discover: JsonObject }
  | { era: 'legacy'; unseen?: boolean; offer?: ProtocolVersion }

export interface Identity {
  clientInfo: { name: string; version: string }
  capabilities: JsonObject
}

/** Attempts so far, for the error that a failed connect ends with. */
export type Attempts = ConnectAttempt[]

/** Errors that only a modern server sends: they settle the era, and nothing is gained by trying another. */
export const modernErrors = new Set([-32020, -32021])
export const unsupportedVersion = -32022

/**
 * Finds out which era a server speaks, by one `server/discover`. Without clear evidence of a modern server the answer
 * is legacy, which `initialize` then confirms or refutes. 401, 403, 429 and 5xx say nothing of the era and are thrown.
 *
 * @param attempts - Receives the attempt that led to `legacy`; who calls adds the one that failed.
 * @param discover - Asks the server. Default: over HTTP.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning}
 */
export async function negotiate(
  endpoint: Endpoint,
  config: ResolvedConfig,
  identity: Identity,
  attempts: Attempts,
  signal: AbortSignal,
  discover: typeof discoverByHttp = discoverByHttp,
): Promise<Verdict> {
  const pinned = pinnedVersion(config)
  if (pinned && pinned !== modernVersion) return { era: 'legacy' }
  const legacy = (reason: string, status?: number, versions: string[] = []): Verdict => {
    if (pinned) throw new ProtocolVersionError(`The server does not speak revision ${modernVersion}: ${reason}`)
    attempts.push(attempt('modern', reason, status))
    const offer = legacyVersions.find((version) => versions.includes(version))
    return { era: 'legacy', ...(offer && { offer }) }
  }
  let answer: Answer
  try {
    answer = await discover(endpoint, identity, signal)
    // A proxy in front of several servers may refuse the very version that the next one names.
    if (answer.error?.code === unsupportedVersion && versionsOf(answer.error.data, 'supported').includes(modernVersion))
      answer = await discover(endpoint, identity, signal)
  } catch (error) {
    if (signal.aborted || !McpError.is(error) || decidesNothing(error)) throw error
    if (!isUnseen(error)) return legacy(error.message, error.data.status)
    // A browser reports a preflight that lacks only the modern headers as a failed network.
    if (pinned) throw error
    legacy(error.message)
    return { era: 'legacy', unseen: true }
  }
  const { result, error, status } = answer
  if (error) {
    const supported = versionsOf(error.data, 'supported')
    const onlyModern =
      supported.includes(modernVersion) && !legacyVersions.some((version) => supported.includes(version))
    if (modernErrors.has(error.code) || onlyModern || saysNothing(status)) throw refused(error, status)
    checkVersions(supported)
    return legacy(`error ${error.code}: ${error.message}`, status, supported)
  }
  const versions = versionsOf(result, 'supportedVersions')
  if (versions.includes(modernVersion)) return { era: 'modern', discover: result as JsonObject }
  checkVersions(versions)
  return legacy('it lists earlier revisions only', status, versions)
}

/** A reply to `server/discover`; with its HTTP status, or 0 where there is none. */
export interface Answer extends JsonRpcMessage {
  status: number
}

/** The question which revisions a server speaks. */
export function discoverMessage(identity: Identity): JsonRpcMessage & { id: string } {
  return {
    jsonrpc: '2.0',
    id: 'discover',
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernVersion,
        'io.modelcontextprotocol/clientInfo': identity.clientInfo,
        'io.modelcontextprotocol/clientCapabilities': identity.capabilities,
      },
    },
  }
}

async function discoverByHttp(endpoint: Endpoint, identity: Identity, signal: AbortSignal): Promise<Answer> {
  const message = discoverMessage(identity)
  let status = 0
  let reply: JsonRpcMessage = {}
  const abort = new AbortController()
  const stopWaiting = onAbort(signal, () => abort.abort(signal.reason))
  await exchange(endpoint, {
    message,
    headers: { 'mcp-protocol-version': modernVersion, ...modernHeaders(message) },
    abort,
    onResponse: (response) => {
      status = response.status
    },
    onMessage: (received) => {
      if (received.id === message.id) reply = received
    },
  }).finally(stopWaiting)
  return { ...reply, status }
}

function refused(error: NonNullable<JsonRpcMessage['error']>, status: number): JsonRpcError {
  return new JsonRpcError(`The server refused server/discover with error ${error.code}: ${error.message}`, {
    data: { rpcCode: error.code, ...(error.data !== undefined && { rpcData: error.data }), status },
  })
}

/** Statuses of whoever stands before the server: they tell nothing of what it speaks. */
export function saysNothing(status: number): boolean {
  return status === 403 || status === 429 || status >= 500
}

/** Whether a failure leaves open what the server speaks: it came from whoever stands before it, or from here. */
export function decidesNothing({ code, data }: McpError): boolean {
  if (code === 'ERR_MCP_HTTP') return data.reason === 'redirect' || saysNothing(data.status ?? 0)
  return code !== 'ERR_MCP_DISCONNECTED' && code !== 'ERR_MCP_INVALID_RESPONSE'
}

const isUnseen = ({ code, data }: McpError) => code === 'ERR_MCP_DISCONNECTED' && data.reason === 'network'

/**
 * The error that ends a failed handshake, with every attempt: a failed network explained, anything else itself.
 *
 * @param unseen - Whether the question for a modern server got no answer that could be read.
 * @param signal - Ends the looking for an explanation.
 */
export async function diagnose(
  error: McpError,
  { unseen, attempts }: { unseen: boolean; attempts: Attempts },
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<McpError> {
  // Who took the handshake is no modern server whose answer was hidden.
  const hidden = unseen && error.data.method !== 'notifications/initialized'
  if (!isUnseen(error) && !hidden) return withDetails(error, { attempts })
  const own = ['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name']
  const cors = await diagnoseCors(endpoint, ['content-type', ...Object.keys(await endpoint.headers()), ...own], signal)
  // Whose refusal could be read allows this origin: only the preflight of the question can have been refused.
  if (cors && (isUnseen(error) || cors.data.reason === 'preflight')) return withDetails(cors, { attempts })
  if (!isUnseen(error)) return withDetails(error, { attempts })
  return new ConnectError(
    `No server answers there (${error.message}); check the URL, and that the server runs and can be reached from here`,
    { cause: error, data: { attempts, reason: 'network' } },
  )
}

export function attempt(
  era: Era,
  reason: string,
  status?: number,
  transport: ConnectAttempt['transport'] = 'streamable-http',
): ConnectAttempt {
  return { transport, era, reason, ...(status !== undefined && { status }) }
}
