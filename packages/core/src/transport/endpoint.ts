import type { WireEvent } from '../connection.js'
import { ConfigError, DisconnectedError } from '../errors.js'
import { essence, redirectError } from './http-error.js'
import type { JsonRpcMessage } from './json-rpc.js'

/** The MCP endpoint: all that every HTTP request to it shares. */
export interface Endpoint {
  url: string
  fetch: typeof fetch
  now(): number
  setTimer(ms: number, run: () => void): () => void
  credentials: 'omit' | 'same-origin' | 'include'
  maxResponseBytes: number
  /** The configured headers and the credentials, asked for before each request. */
  headers(): Promise<Record<string, string>>
  /** Reports what crosses the wire; undefined while nobody listens. */
  wire(): ((event: WireEvent) => void) | undefined
}

export interface EndpointRequest {
  /** Numbers the exchange in wire events. */
  exchange: number
  httpMethod: WireEvent['httpMethod']
  headers: Record<string, string>
  message?: JsonRpcMessage
  signal: AbortSignal
}

let exchanges = 0
export const nextExchange = (): number => ++exchanges

/**
 * Sends one request to the endpoint: the one place where a request is built, whatever its method.
 *
 * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` with `data.reason: 'network'` when there was no response.
 * @throws {HttpError} `ERR_MCP_HTTP` with `data.reason: 'redirect'`.
 * @throws The signal's reason when aborted.
 */
export async function send(endpoint: Endpoint, request: EndpointRequest): Promise<Response> {
  const { httpMethod, signal, exchange, message } = request
  const headers = new Headers(await endpoint.headers())
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, value)
  const report = (event: Partial<WireEvent> & Pick<WireEvent, 'phase'>) =>
    endpoint.wire()?.({ type: 'wire', exchange, httpMethod, at: endpoint.now(), ...event })

  const body = message && toJson(message)
  signal.throwIfAborted()
  report({ phase: 'request', ...(message?.method && { method: message.method }), ...(message && { body: message }) })
  // A local binding: a fetch called as a method throws "Illegal invocation" in browsers and workers.
  const { fetch } = endpoint
  let response: Response
  try {
    response = await fetch(endpoint.url, {
      method: httpMethod,
      headers,
      signal,
      credentials: endpoint.credentials,
      // `error` throws in workerd; `manual` shows the redirect everywhere, in browsers as an opaque response.
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
  } catch (cause) {
    throw signal.aborted ? signal.reason : networkError(cause)
  }
  report({ phase: 'response', status: response.status, contentType: essence(response) })
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    discard(response)
    throw redirectError(response)
  }
  return response
}

function toJson(message: JsonRpcMessage): string {
  try {
    return JSON.stringify(message)
  } catch (cause) {
    throw new ConfigError(`The parameters of ${message.method} can't be written as JSON: ${describe(cause)}`, {
      cause,
      data: { key: 'params', outcome: 'not-run' },
    })
  }
}

/** Lets go of a body that nobody will read, so that its connection is free again. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}

export function networkError(cause: unknown): DisconnectedError {
  return new DisconnectedError(`The network failed: ${describe(cause)}`, { cause, data: { reason: 'network' } })
}

/** Node hides the reason (ECONNREFUSED, ENOTFOUND) in the cause. */
function describe(error: unknown): string {
  const { message = String(error), cause } = error as Error
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? `${message} (${code})` : message
}
