import type { ResolvedConfig } from '../config.js'
import {
  type ConnectAttempt,
  ConnectError,
  JsonRpcError,
  McpError,
  ProtocolVersionError,
  withDetails,
} from '../errors.js'
import type { Era, JsonObject } from '../protocol.js'
import { diagnoseCors } from '../transport/cors.js'
import type { Endpoint } from '../transport/endpoint.js'
import { exchange } from '../transport/exchange.js'
import type { JsonRpcMessage } from '../transport/json-rpc.js'
import { modernHeaders } from '../transport/request-headers.js'

export const modernVersion = '2026-07-28'

/** What a server was found to speak. */
export type Verdict = { era: 'modern'; discover: JsonObject } | { era: 'legacy' }

export interface Identity {
  clientInfo: { name: string; version: string }
  capabilities: JsonObject
}

/** Attempts so far, for the error that a failed connect ends with. */
export type Attempts = ConnectAttempt[]

/** Errors that only a modern server sends: they settle the era, and nothing is gained by trying another. */
const modernErrors = new Set([-32020, -32021])
const unsupportedVersion = -32022

/**
 * Finds out which era a server speaks, by one `server/discover`. Without clear evidence of a modern server the answer
 * is legacy, which `initialize` then confirms or refutes. 401, 403 and 5xx say nothing of the era and are thrown.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning}
 */
export async function negotiate(
  endpoint: Endpoint,
  config: ResolvedConfig,
  identity: Identity,
  attempts: Attempts,
  signal: AbortSignal,
): Promise<Verdict> {
  const pinned = config.protocolVersion !== undefined && config.protocolVersion !== 'auto'
  if (pinned && config.protocolVersion !== modernVersion) return { era: 'legacy' }
  const legacy = (reason: string, status?: number): Verdict => {
    attempts.push(attempt('modern', reason, status))
    if (!pinned) return { era: 'legacy' }
    throw new ProtocolVersionError(`The server does not speak revision ${modernVersion}: ${reason}`, {
      data: { attempts },
    })
  }
  let reply: JsonRpcMessage
  try {
    reply = await discover(endpoint, identity, signal)
    // A proxy in front of several servers may refuse the very version that the next one names.
    if (reply.error?.code === unsupportedVersion && supports(reply.error.data, 'supported')) {
      reply = await discover(endpoint, identity, signal)
    }
  } catch (error) {
    if (signal.aborted || !McpError.is(error)) throw error
    if (decidesNothing(error)) throw failed(error, 'modern', attempts)
    return legacy(error.message, error.data.status)
  }
  const { result, error } = reply
  if (error && modernErrors.has(error.code)) {
    const refused = new JsonRpcError(`The server refused server/discover with error ${error.code}: ${error.message}`, {
      data: { rpcCode: error.code, ...(error.data !== undefined && { rpcData: error.data }) },
    })
    throw failed(refused, 'modern', attempts)
  }
  if (error) return legacy(`error ${error.code}: ${error.message}`)
  if (!supports(result, 'supportedVersions')) return legacy('it lists earlier revisions only')
  return { era: 'modern', discover: result as JsonObject }
}

async function discover(endpoint: Endpoint, identity: Identity, signal: AbortSignal): Promise<JsonRpcMessage> {
  const message = {
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
  let reply: JsonRpcMessage = {}
  await exchange(endpoint, {
    message,
    headers: { 'mcp-protocol-version': modernVersion, ...modernHeaders(message) },
    signal,
    onMessage: (received) => {
      if (received.id === message.id) reply = received
    },
  })
  return reply
}

function supports(value: unknown, key: string): boolean {
  const versions = (value as { [key: string]: unknown } | undefined)?.[key]
  return Array.isArray(versions) && versions.includes(modernVersion)
}

function decidesNothing({ code, data }: McpError): boolean {
  if (code === 'ERR_MCP_HTTP') return data.reason === 'redirect' || data.status === 403 || (data.status ?? 0) >= 500
  // A browser reports a preflight that lacks only the modern headers as a failed network.
  return code !== 'ERR_MCP_DISCONNECTED' && code !== 'ERR_MCP_INVALID_RESPONSE'
}

/**
 * The error that ends a failed handshake: the network's failure explained, anything else itself, with every attempt.
 */
export async function connectFailure(
  error: McpError,
  era: Era,
  attempts: Attempts,
  endpoint: Endpoint,
): Promise<McpError> {
  if (error.code !== 'ERR_MCP_DISCONNECTED' || error.data.reason !== 'network') return failed(error, era, attempts)
  attempts.push(attempt(era, error.message))
  const sent = ['content-type', ...Object.keys(await endpoint.headers()), 'mcp-protocol-version', 'mcp-session-id']
  const cors = await diagnoseCors(endpoint, sent)
  if (cors) return withDetails(cors, { attempts })
  return new ConnectError(
    `No server answers there (${error.message}); check the URL, and that the server runs and can be reached from here`,
    { cause: error, data: { attempts, reason: 'network' } },
  )
}

function failed(error: McpError, era: Era, attempts: Attempts): McpError {
  attempts.push(attempt(era, error.message, error.data.status))
  return withDetails(error, { attempts })
}

function attempt(era: Era, reason: string, status?: number): ConnectAttempt {
  return { transport: 'streamable-http', era, reason, ...(status !== undefined && { status }) }
}
