import type { ConnectionEvent, Unsubscribe } from './connection.js'
import { ConfigError } from './errors.js'
import type {
  ElicitationRequest,
  ElicitationResult,
  Json,
  JsonObject,
  ProtocolVersion,
  Root,
  SamplingRequest,
  SamplingResult,
} from './protocol.js'

/** How a server is to be reached. Plain data: it can be cloned into a worker and written as JSON. */
export interface ServerConfig {
  /** The MCP endpoint; http or https. In a page it may be relative. */
  url: string
  /** Default `auto`. */
  transport?: 'auto' | 'streamable-http' | 'sse'
  /** Default `auto`: 2026-07-28 where the server speaks it, else the newest earlier revision in common. */
  protocolVersion?: 'auto' | ProtocolVersion
  auth?: AuthConfig
  /**
   * Further headers of every request to the endpoint; `Headers` and pairs are taken too, and made a record. Values are
   * visible ASCII and never appear in an error.
   */
  headers?: Record<string, string> | Iterable<readonly [string, string]>
  /** Browsers only: whether cookies go along. Default `omit`. */
  credentials?: 'omit' | 'same-origin' | 'include'
  tools?: { allow?: string[]; deny?: string[] }
  /** Believe the server's `readOnlyHint` and `idempotentHint`, and run the patterns of its `outputSchema`s. Default false. */
  trusted?: boolean
  /** Start a new session when the server has lost this one. Default true. */
  reinitialize?: boolean
  /** Milliseconds for the whole of connecting; integer >= 1. Default 30 000. */
  connectTimeoutMs?: number
  /** Milliseconds until a call's final reply, progress or not; integer >= 1, or `null` for none. Default 300 000. */
  callTimeoutMs?: number | null
  /** Bytes, after decompression, that one response may have; integer >= 1. Default 33 554 432 (32 MiB). */
  maxResponseBytes?: number
  /**
   * Tools that run as tasks: `optional`, whether those do that need not (default false; earlier revisions only, a modern
   * server decides by itself); `pollIntervalMs`, milliseconds between polls where the server doesn't say (1 000);
   * `timeoutMs`, milliseconds until the task's end (120 000), and `maxPolls` (120): past either it is cancelled. Integers >= 1.
   */
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
  /**
   * What comes of a server that wants somebody to sign in: `when-needed`, the `authorize` hook is called at once, whatever
   * asked for it; `on-demand`, the connection is `unauthorized`, and its calls are rejected, until `authorize()` is
   * called, which is for a click to do. Default `when-needed`; in a page `on-demand`.
   */
  signIn?: 'when-needed' | 'on-demand'
  /** Gives the bearer token; `unauthorized` when the server refused the last one. */
  token?(context: { server: string; reason: 'first' | 'unauthorized' }): Promise<string>
  /**
   * Has the person sign in: opens the page, and gives the URL that the authorization server redirects to in the end. It is
   * called at once, before the page is known, so that a window can be opened in the click; the request is rejected when
   * there is nothing to open after all.
   */
  authorize?(request: Promise<AuthorizationRequest>): Promise<AuthorizationResponse>
  /** Gives the signed JWT that `jwt-bearer` and `enterprise` authorization begin with. */
  assertion?(request: AssertionRequest): Promise<string>
  /** Asks the person what the server wants to know. Without it the server is told that nobody can be asked. */
  elicit?(request: ElicitationRequest): Promise<ElicitationResult>
  /** Asks a model on the server's behalf. */
  sample?(request: SamplingRequest): Promise<SamplingResult>
  /** Names the folders that the server may work in. */
  roots?(request: { server: string }): Promise<Root[]>
  onEvent?(event: ConnectionEvent): void
}

/** A page for a person to sign in at. */
export interface AuthorizationRequest {
  /** The server's name in `connectAll`, else its URL. */
  server: string
  /** The page, at the authorization server: https, or http on loopback. */
  url: string
  /** Where the authorization server redirects to in the end. */
  redirectUrl: string
  /** What is asked for; absent where that is left to the authorization server. */
  scopes?: string[]
  /** `expired`: there were tokens, which are no longer good; `scope`: they are not enough. */
  reason: 'first' | 'expired' | 'scope'
}

export interface AuthorizationResponse {
  /** The URL that the authorization server redirected to, whole. */
  callbackUrl: string
}

/** What the `assertion` hook is asked for. */
export interface AssertionRequest {
  /** The server's name in `connectAll`, else its URL. */
  server: string
  /**
   * `jwt-bearer`: a JWT that says who this workload is. `enterprise`: the identity token that the enterprise's identity
   * provider gave when its user signed in.
   */
  kind: 'jwt-bearer' | 'enterprise'
  /** What its `aud` has to be. `jwt-bearer`: the authorization server; `enterprise`: this client, at the identity provider. */
  audience: string
  /** Who will read it: the authorization server, or the identity provider. */
  issuer: string
  /** The MCP server that access is asked for. */
  resource: string
}

/**
 * Where tokens are kept; must not be readable by anybody who isn't meant to use them. What every store promises is
 * tested by `packages/testkit/src/contract/token-store.ts`.
 */
export interface TokenStore {
  /** A value of the caller's own: to change it changes nothing in the store. */
  get(key: string): Promise<Json | undefined>
  /** Takes the value as it is at the call. */
  set(key: string, value: Json): Promise<void>
  /** Of a key that is not there: nothing happens. */
  delete(key: string): Promise<void>
  /**
   * Runs `run` while nobody else runs by the same key, in any store over the same back end: in other tabs, workers and
   * processes too. In order of the calls; other keys don't wait. A holder that fails, or whose tab or process dies, gives
   * way to the next. Not re-entrant: to wait within `run` for another turn with the same key is to wait for ever. The
   * store's other functions don't wait for it.
   *
   * @returns What `run` gives or is rejected with.
   */
  exclusively<T>(key: string, run: () => Promise<T>): Promise<T>
}

/** What differs between runtimes. */
export interface Runtime {
  fetch: typeof fetch
  /** Where credentials are kept that outlive a connection. Default: in memory, for as long as the host lives. */
  tokenStore: TokenStore
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `run` once after `ms` milliseconds; the returned function cancels it. */
  setTimer(ms: number, run: () => void): () => void
  /** Tells when the machine or the page has woken, or the network is back: what is broken is looked for at once. */
  wake?(listener: () => void): Unsubscribe
  /** Tells when the page goes away for good: sessions are ended by requests that outlive it. */
  leave?(listener: () => void): Unsubscribe
  /** Remembers from connection to connection what each server speaks. Default: as long as the host lives. */
  memory?: KeyValueStore
}

/** What is remembered: plain JSON, and never a credential. */
export interface KeyValueStore {
  get(key: string): Promise<Json | undefined>
  set(key: string, value: Json): Promise<void>
  delete(key: string): Promise<void>
}

/** Defaults, in one place. */
export const defaults = {
  connectTimeoutMs: 30_000,
  callTimeoutMs: 300_000,
  maxResponseBytes: 32 * 1024 * 1024,
  tasks: { optional: false, pollIntervalMs: 1_000, timeoutMs: 120_000, maxPolls: 120 },
} as const

/** The revisions that this client speaks, newest first. */
export const protocolVersions = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
] as const satisfies readonly ProtocolVersion[]

/** A configuration that was checked, with its defaults in. */
export interface ResolvedConfig extends ServerConfig {
  /** The name by which errors and hooks speak of the server. */
  name: string
  /** Names in lower case, so that none is there twice; values without the white space that HTTP strips. */
  headers: Record<string, string>
  connectTimeoutMs: number
  callTimeoutMs: number | null
  maxResponseBytes: number
  tasks: Required<NonNullable<ServerConfig['tasks']>>
}

/** Headers that say of which revision, session and method a request is. */
const protocolHeader = /^(mcp-(protocol-version|session-id|method|name|param-.*)|last-event-id)$/

/** What `connect` takes, as a configuration. */
export function toServerConfig(server: string | URL | ServerConfig): ServerConfig {
  if (typeof server === 'string' || server instanceof URL) return { url: String(server) }
  const { headers } = server
  // Plain data crosses to a worker; `Headers` don't.
  return headers && Symbol.iterator in headers
    ? { ...server, headers: Object.fromEntries(headerEntries(headers)) as Record<string, string> }
    : server
}

// A function: bundlers keep a spread, for what it might do, in a page that checks no configuration.
const choices = () =>
  ({
    transport: ['auto', 'streamable-http', 'sse'],
    protocolVersion: ['auto', ...protocolVersions],
    credentials: ['omit', 'same-origin', 'include'],
  }) as const

/**
 * Checks a configuration and fills in its defaults.
 *
 * @param name - The server's name; default: its URL.
 * @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` names the wrong key, and no value is in the message.
 */
export function resolveConfig(config: ServerConfig, name?: string): ResolvedConfig {
  const url = URL.canParse(config.url) ? new URL(config.url) : undefined
  const fail = failing(name ?? (url ? endpointName(url) : 'the server'))
  if (!url) return fail('url', `"url" must be an absolute URL such as https://example.com/mcp`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') fail('url', '"url" must begin with https:// or http://')
  if (url.username || url.password) fail('url', '"url" must hold no user name or password; use "auth" or "headers"')
  return resolveSettings({ ...config, url: url.href }, name ?? endpointName(url), fail)
}

/**
 * {@link resolveConfig} for a server that is no HTTP endpoint.
 *
 * @param name - The server's name.
 */
export function resolveLocalConfig(config: Omit<ServerConfig, 'url'>, name: string): ResolvedConfig {
  const fail = failing(name)
  for (const key of ['transport', 'auth', 'headers', 'credentials'] as const)
    if (config[key] !== undefined)
      fail(key, `"${key}" is for servers that are reached by HTTP; a local one has its settings from "env" and "args"`)
  return resolveSettings({ ...config, url: 'stdio:' }, name, fail)
}

function failing(server: string): Fail {
  return (key, message) => {
    throw new ConfigError(message, { data: { key, server } })
  }
}

function resolveSettings(config: ServerConfig, name: string, fail: Fail): ResolvedConfig {
  for (const key of ['connectTimeoutMs', 'callTimeoutMs', 'maxResponseBytes'] as const) {
    const value = config[key]
    if (value === undefined || (key === 'callTimeoutMs' && value === null)) continue
    if (!Number.isSafeInteger(value) || (value as number) < 1) fail(key, `"${key}" must be an integer of at least 1`)
  }
  for (const [key, allowed] of Object.entries(choices())) {
    const value = config[key as keyof typeof choices]
    if (value !== undefined && !(allowed as readonly string[]).includes(value))
      fail(key, `"${key}" must be one of ${allowed.map((one) => `"${one}"`).join(', ')}`)
  }
  for (const key of ['pollIntervalMs', 'timeoutMs', 'maxPolls'] as const) {
    const value = config.tasks?.[key]
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      fail(`tasks.${key}`, `"tasks.${key}" must be an integer of at least 1`)
  }
  if (config.transport === 'sse' && config.protocolVersion === '2026-07-28')
    fail('transport', '"transport": "sse" belongs to earlier revisions than "protocolVersion": "2026-07-28"')
  const reserved = reservedMetaKey(config.meta)
  if (reserved) fail('meta', `"meta" must not set "${reserved}": the protocol's own keys are set by this client`)
  const { auth } = config
  return {
    ...config,
    name,
    headers: Object.fromEntries(
      headerEntries(config.headers).map(([header, value]) => {
        const checked = checkHeader('headers', header, value, fail)
        // One server's revision or session means nothing to another: whoever forwards requests must not pass them on.
        if (protocolHeader.test(checked[0])) fail('headers', `"headers" must not set "${checked[0]}": this client does`)
        return checked
      }),
    ),
    ...(auth?.type === 'api-key' && { auth: checkApiKey(auth, fail) }),
    connectTimeoutMs: config.connectTimeoutMs ?? defaults.connectTimeoutMs,
    callTimeoutMs: config.callTimeoutMs === undefined ? defaults.callTimeoutMs : config.callTimeoutMs,
    maxResponseBytes: config.maxResponseBytes ?? defaults.maxResponseBytes,
    tasks: {
      optional: config.tasks?.optional ?? defaults.tasks.optional,
      pollIntervalMs: config.tasks?.pollIntervalMs ?? defaults.tasks.pollIntervalMs,
      timeoutMs: config.tasks?.timeoutMs ?? defaults.tasks.timeoutMs,
      maxPolls: config.tasks?.maxPolls ?? defaults.tasks.maxPolls,
    },
  }
}

/** As `fetch` takes them: an object, `Headers`, or pairs. Of the last two, an object spread shows nothing. */
function headerEntries(headers: NonNullable<ServerConfig['headers']> = {}): [string, unknown][] {
  return Symbol.iterator in headers
    ? Array.from(headers, ([name, value]): [string, unknown] => [name, value])
    : Object.entries(headers)
}

/** A key that `_meta` may have from the protocol engine only. */
export function reservedMetaKey(meta: JsonObject = {}): string | undefined {
  return Object.keys(meta).find((key) => key.startsWith('io.modelcontextprotocol/'))
}

/** A server's URL as errors name it: without its query, which may hold a secret. */
export function endpointName(url: URL | string): string {
  const { origin, pathname, search } = new URL(url)
  return origin + pathname + (search && '?…')
}

type Fail = (key: string, message: string) => never

function checkApiKey(auth: AuthConfig & { type: 'api-key' }, fail: Fail): AuthConfig {
  const [header, value] = checkHeader('auth', auth.header, auth.value, fail)
  if (value === '') fail('auth', `the value of header "${header}" is empty`)
  return { ...auth, header, value }
}

/**
 * A header as it is sent. RFC 9110 5.1 and 5.5: browsers and Node refuse what is no byte string, and tell its value;
 * workerd silently sends UTF-8. Here it is refused everywhere, before anything is sent.
 */
function checkHeader(key: string, name: unknown, value: unknown, fail: Fail): [name: string, value: string] {
  if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return fail(key, 'a header name holds a character that HTTP does not allow')
  if (typeof value !== 'string') return fail(name, `the value of header "${name}" must be a string`)
  // Only what HTTP strips too: String.trim() takes more, which the header would then still hold.
  const trimmed = value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  if (!/^[\t\x20-\x7e]*$/.test(trimmed))
    fail(name, `the value of header "${name}" holds a line break or a character that HTTP does not allow`)
  return [name.toLowerCase(), trimmed]
}
