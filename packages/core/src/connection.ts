import type { ErrorData } from './errors.js'
import type { Finding, JsonObject, LogLevel, Method, Methods, Progress, ServerInfo } from './protocol.js'

/**
 * The port: all that crosses between the app and the connection's realm. In process it is the session itself; in a
 * page it is a proxy to the session in a worker.
 */
export interface McpConnection {
  /** Replaced whole at each change, so that it can be compared by identity. */
  readonly state: ConnectionState
  /**
   * Sends a request. A list method without `cursor` gives every page; with one, that page as the server sent it.
   *
   * @throws An {@link McpError}; or the caller's `signal.reason` when aborted.
   */
  request<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: RequestOptions,
  ): Promise<Methods[M]['result']>
  /** Delivers events that pass the filter until the returned function is called. */
  listen(filter: EventFilter, listener: (event: ConnectionEvent) => void): Unsubscribe
  /** Signs in, for servers that need it. To be called from a click. */
  authorize(options?: { signal?: AbortSignal }): Promise<void>
  /** Ends the session on the server and rejects what is pending. Idempotent. */
  close(): Promise<void>
}

export type Status = 'connecting' | 'ready' | 'recovering' | 'unauthorized' | 'closed'

export interface ConnectionState {
  readonly status: Status
  /** Known once the server has answered. */
  readonly server?: ServerInfo
  /** Why the status is not `ready`. */
  readonly error?: ErrorData
}

export interface RequestOptions {
  signal?: AbortSignal
  /** Milliseconds until the final reply, progress or not; integer >= 1, or `null` for none. Default: `callTimeoutMs`. */
  timeoutMs?: number | null
  /** Milliseconds without progress; integer >= 1, or `null`. Default: none. */
  idleTimeoutMs?: number | null
  onProgress?(progress: Progress): void
  /** `_meta` of this request, over `ServerConfig.meta`. */
  meta?: JsonObject
  /** Of a list: asked of the server anew, whatever is known. */
  refresh?: boolean
}

/** Which events a listener wants. */
export interface EventFilter {
  lists?: true
  resources?: string[]
  /** This level and the more severe ones. */
  log?: LogLevel
  /** What crosses the wire: `headers` gives methods, statuses and times; `bodies` the JSON as well. No credentials. */
  wire?: 'headers' | 'bodies'
  authorization?: true
  state?: true
}

export type ConnectionEvent =
  | { type: 'state'; state: ConnectionState }
  | { type: 'list-changed'; list: 'tools' | 'resources' | 'prompts' }
  | { type: 'resource-updated'; uri: string }
  | { type: 'log'; level: LogLevel; logger?: string; data: unknown }
  | { type: 'finding'; finding: Finding }
  /** The server had lost the session; there is a new one, and the lists are read anew. */
  | { type: 'session-renewed' }
  | WireEvent
  | AuthorizationEvent

/** One step of signing in, or of staying so. It holds no credential. */
export interface AuthorizationEvent {
  type: 'authorization'
  /**
   * `discovered` the authorization server, `registered` this client there, `asked` a person to sign in, `signed-in`,
   * `renewed` the tokens, `step-up`: more is to be asked for, `sign-in-needed`, `failed`, `signed-out`.
   */
  step:
    | 'discovered'
    | 'registered'
    | 'asked'
    | 'signed-in'
    | 'renewed'
    | 'step-up'
    | 'sign-in-needed'
    | 'failed'
    | 'signed-out'
  /** The authorization server. */
  issuer?: string
  scopes?: string[]
  /** Of `failed`: the error's `data.reason`. */
  reason?: string
}

/** One HTTP exchange with the endpoint, or one message to a local server; all that this one says is one exchange. */
export interface WireEvent {
  type: 'wire'
  phase: 'request' | 'response' | 'message' | 'end'
  /** The same for all events of one exchange. */
  exchange: number
  /** Absent where there is no HTTP. */
  httpMethod?: 'POST' | 'GET' | 'DELETE'
  /** Milliseconds since the epoch. */
  at: number
  /** JSON-RPC method, of a request. */
  method?: string
  status?: number
  contentType?: string
  /** With `wire: 'bodies'`: the JSON-RPC message. */
  body?: unknown
}

/** Stops what it was returned for. Idempotent. */
export type Unsubscribe = () => void
