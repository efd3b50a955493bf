import type { ConnectionEvent } from './connection.js'
import { ConfigError } from './errors.js'
import type { JsonObject, ProtocolVersion } from './protocol.js'

/** How a server is to be reached. Plain data: it can be cloned into a worker and written as JSON. */
export interface ServerConfig {
  /** The MCP endpoint; http or https. In a page it may be relative. */
  url: string
  /** Default `auto`. */
  transport?: 'auto' | 'streamable-http' | 'sse'
  /** Default `auto`: 2026-07-28 where the server speaks it, else the newest earlier revision in common. */
  protocolVersion?: 'auto' | ProtocolVersion
  auth?: AuthConfig
  /** Further headers of every request to the endpoint. Values are visible ASCII and never appear in an error. */
  headers?: Record<string, string>
  /** Browsers only: whether cookies go along. Default `omit`. */
  credentials?: 'omit' | 'same-origin' | 'include'
  tools?: { allow?: string[]; deny?: string[] }
  /** Believe the server's `readOnlyHint` and `idempotentHint`. Default false. */
  trusted?: boolean
  /** Start a new session when the server has lost this one. Default true. */
  reinitialize?: boolean
  /** Milliseconds for the whole of connecting; integer >= 1. Default 30 000. */
  connectTimeoutMs?: number
  /** Milliseconds until a call's final reply, progress or not; integer >= 1, or `null` for none. Default 300 000. */
  callTimeoutMs?: number | null
  /** Bytes, after decompression, that one response may have; integer >= 1. Default 33 554 432 (32 MiB). */
  maxResponseBytes?: number
  /** Tools that run as tasks. Defaults: false, 1 000, 120 000, 120. */
  tasks?: { optional?: boolean; pollIntervalMs?: number; timeoutMs?: number; maxPolls?: number }
  /** `_meta` of every request; the model never sees it. */
  meta?: JsonObject
}

/** How requests are authorized. */
export type AuthConfig =
  /** `Authorization: Bearer …`; without `token`, the `token` hook gives it. */
  | { type: 'bearer'; token?: string }
  /** A header of the server's own, e.g. `X-Api-Key`. */
  | { type: 'api-key'; header: string; value: string }
  | {
      type: 'oauth'
      redirectUrl?: string
      clientId?: string
      clientSecret?: string
      clientMetadataUrl?: string
      clientName?: string
      scopes?: string[]
      issuer?: string
      sendResource?: boolean
    }
  | {
      type: 'client-credentials'
      clientId: string
      clientSecret?: string
      privateKeyJwk?: JsonWebKey
      scopes?: string[]
    }
  | { type: 'jwt-bearer'; clientId: string; scopes?: string[] }
  | {
      type: 'enterprise'
      clientId: string
      clientSecret?: string
      identityProvider: string
      identityProviderClientId?: string
      scopes?: string[]
    }

/** Functions of the app. They run in the caller's realm, also where the connection lives in a worker. */
export interface ConnectOptions {
  /** Aborting it, at any time, closes the connection and its calls. */
  signal?: AbortSignal
  /** Gives the bearer token; `unauthorized` when the server refused the last one. */
  token?(context: { server: string; reason: 'first' | 'unauthorized' }): Promise<string>
  onEvent?(event: ConnectionEvent): void
}

/** What differs between runtimes. */
export interface Runtime {
  fetch: typeof fetch
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `run` once after `ms` milliseconds; the returned function cancels it. */
  setTimer(ms: number, run: () => void): () => void
}

/** Defaults, in one place. */
export const defaults = {
  connectTimeoutMs: 30_000,
  callTimeoutMs: 300_000,
  maxResponseBytes: 32 * 1024 * 1024,
} as const

/** A configuration that was checked, with its defaults in. */
export interface ResolvedConfig extends ServerConfig {
  /** The name by which errors and hooks speak of the server. */
  name: string
  connectTimeoutMs: number
  callTimeoutMs: number | null
  maxResponseBytes: number
}

/** What `connect` takes, as a configuration. */
export function toServerConfig(server: string | URL | ServerConfig): ServerConfig {
  return typeof server === 'string' || server instanceof URL ? { url: String(server) } : server
}

/**
 * Checks a configuration and fills in its defaults.
 *
 * @param name - The server's name; default: its URL.
 * @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` names the wrong key, and no value is in the message.
 */
export function resolveConfig(config: ServerConfig, name?: string): ResolvedConfig {
  const url = URL.canParse(config.url) ? new URL(config.url) : undefined
  const fail = (key: string, message: string): never => {
    throw new ConfigError(message, { data: { key, server: name ?? (url ? endpointName(url) : 'the server') } })
  }
  if (!url) return fail('url', `"url" must be an absolute URL such as https://example.com/mcp`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') fail('url', '"url" must begin with https:// or http://')
  if (url.username || url.password) fail('url', '"url" must hold no user name or password; use "auth" or "headers"')
  for (const key of ['connectTimeoutMs', 'callTimeoutMs', 'maxResponseBytes'] as const) {
    const value = config[key]
    if (value === undefined || (key === 'callTimeoutMs' && value === null)) continue
    if (!Number.isSafeInteger(value) || (value as number) < 1) fail(key, `"${key}" must be an integer of at least 1`)
  }
  for (const [header, value] of Object.entries(config.headers ?? {})) checkHeader(header, value, fail)
  if (config.auth?.type === 'api-key') checkHeader(config.auth.header, config.auth.value, fail)
  return {
    ...config,
    url: url.href,
    name: name ?? endpointName(url),
    connectTimeoutMs: config.connectTimeoutMs ?? defaults.connectTimeoutMs,
    callTimeoutMs: config.callTimeoutMs === undefined ? defaults.callTimeoutMs : config.callTimeoutMs,
    maxResponseBytes: config.maxResponseBytes ?? defaults.maxResponseBytes,
  }
}

/** A server's URL as errors name it: without its query, which may hold a secret. */
export function endpointName(url: URL | string): string {
  const { origin, pathname, search } = new URL(url)
  return origin + pathname + (search && '?…')
}

// RFC 9110 5.1 and 5.5. Browsers and Node refuse what is not a byte string, workerd silently sends UTF-8: refuse it
// everywhere, before anything is sent.
function checkHeader(name: string, value: string, fail: (key: string, message: string) => never): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    fail('headers', 'a header name holds a character that HTTP does not allow')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim()))
    fail(name, `the value of header "${name}" holds a line break or a character that HTTP does not allow`)
}
