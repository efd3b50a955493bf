/**
 * The error family. Every failure is an {@link McpError} with a stable `code`, one class per code, and `data` that
 * can be cloned into another realm. Messages say what failed, where, and what to do; they hold no credential and no
 * whole response body.
 */

/** Stable error codes; `docs/errors.md` lists what each one means. */
export type ErrorCode =
  | 'ERR_MCP_CONFIG'
  | 'ERR_MCP_CONNECT'
  | 'ERR_MCP_CORS'
  | 'ERR_MCP_HTTP'
  | 'ERR_MCP_JSONRPC'
  | 'ERR_MCP_INVALID_RESPONSE'
  | 'ERR_MCP_TOO_LARGE'
  | 'ERR_MCP_TIMEOUT'
  | 'ERR_MCP_DISCONNECTED'
  | 'ERR_MCP_OUTCOME_UNKNOWN'
  | 'ERR_MCP_PROTOCOL_VERSION'
  | 'ERR_MCP_UNAUTHORIZED'
  | 'ERR_MCP_AUTHORIZATION'
  | 'ERR_MCP_INPUT_REQUIRED'
  | 'ERR_MCP_DENIED'
  | 'ERR_MCP_TOOL'
  | 'ERR_MCP_TOOL_NAME'
  | 'ERR_MCP_HOST'

/** One way to reach a server that was tried and failed. */
export interface ConnectAttempt {
  transport: 'streamable-http' | 'sse' | 'stdio'
  /** `modern` is revision 2026-07-28, `legacy` an earlier one. */
  era?: 'modern' | 'legacy'
  /** HTTP status, where there was a response. */
  status?: number
  reason: string
}

/** What a program can read of an error. Plain data: survives structured cloning and JSON. */
export interface ErrorDetails {
  /** The server's name in `connectAll`, else its endpoint's URL. */
  server?: string
  /** The MCP method that failed. */
  method?: string
  /** The tool that was called, by its name on the server. */
  tool?: string
  /** Of a tool call: whether the tool ran. */
  outcome?: 'not-run' | 'ran' | 'unknown'
  /** HTTP status. */
  status?: number
  /** Of a refusal for now (429, 503): the milliseconds that the server asks to wait. */
  retryAfterMs?: number
  /** A short word that tells causes under one code apart, e.g. `redirect`, `html`, `too-slow`. */
  reason?: string
  /** Of a failed connect: each attempt. */
  attempts?: ConnectAttempt[]
  /** Of a CORS failure: the response header that is missing or too narrow. */
  missing?: string
  /** The configuration key or header that is wrong; never its value. */
  key?: string
  /** Of what a file says: the file's name, and the line, from 1. */
  file?: string
  line?: number
  /** Of a file in which several things may be wrong: each of them. */
  errors?: ErrorData[]
  /** Of a JSON-RPC error: the server's code and data. */
  rpcCode?: number
  rpcData?: unknown
  /** The limit that was passed, in bytes, milliseconds or pieces according to the code. */
  limit?: number
  /**
   * Of a host failure: `load` until the worker's script has answered, `start` when its answer shows that it can't serve,
   * `run` afterwards.
   */
  phase?: 'load' | 'start' | 'run'
  /** Of a local server: its command, without arguments. */
  command?: string
  /** Of a local server that has ended: its exit code, or the signal that ended it. */
  exit?: number | string
  /** Of a command that could not be started: the system's error code, e.g. `ENOENT`. */
  errno?: string
  /** Of an authorization failure: the step of the flow. */
  step?: string
}

/** An error as plain data, as it crosses realms and as `ConnectionState.error` holds it. */
export interface ErrorData {
  name: string
  message: string
  code?: ErrorCode
  data?: ErrorDetails
  cause?: ErrorData
}

export interface McpErrorOptions {
  data?: ErrorDetails
  cause?: unknown
}

// A registered symbol, so that two copies of this package (a bundle and its worker, two versions) know each other's errors.
const brand = Symbol.for('@x/core.McpError')

/** The base of every error this package throws. */
export class McpError extends Error {
  readonly code: ErrorCode
  readonly data: Readonly<ErrorDetails>

  constructor(code: ErrorCode, message: string, options: McpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = options.data ?? {}
  }

  get [brand](): true {
    return true
  }

  /** True for any McpError, also one of another realm's or bundle's class. Never throws. */
  static is(value: unknown): value is McpError {
    try {
      return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
    } catch {
      // A revoked proxy, or a getter that throws.
      return false
    }
  }
}

type ErrorClass = new (message: string, options?: McpErrorOptions) => McpError

function errorClass(code: ErrorCode, name: string): ErrorClass {
  return class extends McpError {
    // A literal: minifiers rename classes.
    override name = name
    constructor(message: string, options?: McpErrorOptions) {
      super(code, message, options)
    }
  }
}

/** `ERR_MCP_CONFIG`: a configuration, header or file is wrong; `data.key` names it. */
export class ConfigError extends errorClass('ERR_MCP_CONFIG', 'ConfigError') {}

/** `ERR_MCP_CONNECT`: no server there, or the handshake failed; `data.attempts` lists what was tried. */
export class ConnectError extends errorClass('ERR_MCP_CONNECT', 'ConnectError') {}

/** `ERR_MCP_CORS`: the browser blocked the request; the message gives the response header to add. */
export class CorsError extends errorClass('ERR_MCP_CORS', 'CorsError') {}

/** `ERR_MCP_HTTP`: a status the protocol doesn't provide for; `data.status`, `data.reason`. */
export class HttpError extends errorClass('ERR_MCP_HTTP', 'HttpError') {}

/** `ERR_MCP_JSONRPC`: the server answered with a JSON-RPC error; `data.rpcCode`, `data.rpcData`. */
export class JsonRpcError extends errorClass('ERR_MCP_JSONRPC', 'JsonRpcError') {}

/** `ERR_MCP_INVALID_RESPONSE`: bad JSON, no reply, or a wrong shape. */
export class InvalidResponseError extends errorClass('ERR_MCP_INVALID_RESPONSE', 'InvalidResponseError') {}

/** `ERR_MCP_TOO_LARGE`: a response passed `maxResponseBytes` and was cut while it streamed. */
export class TooLargeError extends errorClass('ERR_MCP_TOO_LARGE', 'TooLargeError') {}

/** `ERR_MCP_TIMEOUT`: a connect, call or idle deadline passed; `data.limit` in milliseconds. */
export class TimeoutError extends errorClass('ERR_MCP_TIMEOUT', 'TimeoutError') {}

/** `ERR_MCP_DISCONNECTED`: used after `close()`, or the network failed on what is no tool call. */
export class DisconnectedError extends errorClass('ERR_MCP_DISCONNECTED', 'DisconnectedError') {}

/** `ERR_MCP_OUTCOME_UNKNOWN`: the reply was lost; the tool may have run. */
export class OutcomeUnknownError extends errorClass('ERR_MCP_OUTCOME_UNKNOWN', 'OutcomeUnknownError') {}

/** `ERR_MCP_PROTOCOL_VERSION`: no protocol revision in common. */
export class ProtocolVersionError extends errorClass('ERR_MCP_PROTOCOL_VERSION', 'ProtocolVersionError') {}

/** `ERR_MCP_UNAUTHORIZED`: the server wants credentials, or other ones. */
export class UnauthorizedError extends errorClass('ERR_MCP_UNAUTHORIZED', 'UnauthorizedError') {}

/** `ERR_MCP_AUTHORIZATION`: the OAuth flow failed; `data.step`, `data.reason`. */
export class AuthorizationError extends errorClass('ERR_MCP_AUTHORIZATION', 'AuthorizationError') {}

/** `ERR_MCP_INPUT_REQUIRED`: the server asks for input, and no hook gives it; `data.reason` is the hook. */
export class InputRequiredError extends errorClass('ERR_MCP_INPUT_REQUIRED', 'InputRequiredError') {}

/** `ERR_MCP_DENIED`: `approve` or a filter refused the call; the tool didn't run. */
export class DeniedError extends errorClass('ERR_MCP_DENIED', 'DeniedError') {}

/** `ERR_MCP_TOOL`: the tool's own error, from `toModelOutput`; its text is the message. */
export class ToolError extends errorClass('ERR_MCP_TOOL', 'ToolError') {}

/** `ERR_MCP_TOOL_NAME`: there is no such tool. */
export class ToolNameError extends errorClass('ERR_MCP_TOOL_NAME', 'ToolNameError') {}

/** `ERR_MCP_HOST`: the worker did not load, or died; `data.phase`. */
export class HostError extends errorClass('ERR_MCP_HOST', 'HostError') {}

/** The class of each code. */
export const errorClasses: Readonly<Record<ErrorCode, ErrorClass>> = {
  ERR_MCP_CONFIG: ConfigError,
  ERR_MCP_CONNECT: ConnectError,
  ERR_MCP_CORS: CorsError,
  ERR_MCP_HTTP: HttpError,
  ERR_MCP_JSONRPC: JsonRpcError,
  ERR_MCP_INVALID_RESPONSE: InvalidResponseError,
  ERR_MCP_TOO_LARGE: TooLargeError,
  ERR_MCP_TIMEOUT: TimeoutError,
  ERR_MCP_DISCONNECTED: DisconnectedError,
  ERR_MCP_OUTCOME_UNKNOWN: OutcomeUnknownError,
  ERR_MCP_PROTOCOL_VERSION: ProtocolVersionError,
  ERR_MCP_UNAUTHORIZED: UnauthorizedError,
  ERR_MCP_AUTHORIZATION: AuthorizationError,
  ERR_MCP_INPUT_REQUIRED: InputRequiredError,
  ERR_MCP_DENIED: DeniedError,
  ERR_MCP_TOOL: ToolError,
  ERR_MCP_TOOL_NAME: ToolNameError,
  ERR_MCP_HOST: HostError,
}

/** The same error with more of its context filled in; what it knew already stays. */
export function withDetails(error: McpError, details: ErrorDetails): McpError {
  const merged = { ...details, ...error.data }
  // The details belong to the error while it is on its way up; nobody else has seen it yet.
  ;(error as { data: ErrorDetails }).data = merged
  return error
}

/**
 * The error of every request after `close()`.
 *
 * @param server - The server's name, where it is known.
 */
export function closedError(server: string | undefined, method: string, params: object): DisconnectedError {
  const { name } = params as { name?: string }
  const call = method === 'tools/call' ? { outcome: 'not-run' as const, ...(name !== undefined && { tool: name }) } : {}
  return new DisconnectedError(
    `The connection${server === undefined ? '' : ` to ${server}`} is closed; connect again`,
    {
      data: { ...(server !== undefined && { server }), method, ...call },
    },
  )
}

/** How many causes are carried across realms. */
const maxCauseDepth = 4

/** Any thrown value as plain data. Never throws, also not for hostile objects (throwing getters, cycles). */
export function toErrorData(error: unknown, depth = 0): ErrorData {
  try {
    if (typeof error !== 'object' || error === null) return { name: 'Error', message: String(error) }
    const { name, message, cause } = error as Error
    const out: ErrorData = { name: String(name ?? 'Error'), message: String(message ?? '') }
    if (McpError.is(error)) {
      out.code = String(error.code) as ErrorCode
      out.data = plain(error.data)
    }
    if (cause !== undefined && depth < maxCauseDepth) out.cause = toErrorData(cause, depth + 1)
    return out
  } catch {
    return { name: 'Error', message: 'an error that could not be read' }
  }
}

/** The error that {@link toErrorData} took apart, with its class, code, data and causes. */
export function fromErrorData(value: ErrorData): Error {
  const { code, message, data = {} } = value
  const cause = value.cause && fromErrorData(value.cause)
  if (code && Object.hasOwn(errorClasses, code)) return new errorClasses[code](message, { data, cause })
  // A code of a later release: the class is not known here, the rest is.
  const error = code ? new McpError(code, message, { data, cause }) : new Error(message, cause && { cause })
  error.name = value.name
  return error
}

/** What JSON can hold of the details; a field that it can't hold is left out. */
function plain(details: ErrorDetails): ErrorDetails {
  const fields = Object.entries(details ?? {}).flatMap(([key, value]) => {
    try {
      const text = JSON.stringify(value)
      return text === undefined ? [] : [[key, JSON.parse(text)]]
    } catch {
      return []
    }
  })
  return Object.fromEntries(fields)
}

/** Tells the app what a function of its own threw. Not as an uncaught error: that would end a Node process. */
export function reportError(error: unknown): void {
  console.error(error)
}
