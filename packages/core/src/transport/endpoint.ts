import { untilAborted } from '../abort.js'
import { endpointName } from '../config.js'
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
  /** Called when the request has been handed to `fetch`. */
  onSent?(): void
}

let exchanges = 0
export const nextExchange = (): number => ++exchanges

/** Reports what happens in one exchange to whoever listens to the wire. */
export function wireReport(endpoint: Endpoint, exchange: number, httpMethod: WireEvent['httpMethod']) {
  return (event: Partial<WireEvent> & Pick<WireEvent, 'phase'>) =>
    endpoint.wire()?.({ type: 'wire', exchange, httpMethod, at: endpoint.now(), ...event })
}

/**
 * Sends one request to the endpoint: the one place where a request is built, whatever its method.
 *
 * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` with `data.reason: 'network'` when there was no response.
 * @throws {HttpError} `ERR_MCP_HTTP` with `data.reason: 'redirect'`.
 * @throws The signal's reason when aborted.
 */
export async function send(endpoint: Endpoint, request: EndpointRequest): Promise<Response> {
  const { httpMethod, signal, exchange, message } = request
  // Neither the token hook nor an injected fetch need heed the signal.
  const headers = new Headers(await untilAborted(signal, endpoint.headers()))
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, value)
  const report = wireReport(endpoint, exchange, httpMethod)
  const body = message && toJson(message)
  report({ phase: 'request', ...(message?.method && { method: message.method }), ...(message && { body: message }) })
  // A local binding: a fetch called as a method throws "Illegal invocation" in browsers and workers.
  const { fetch } = endpoint
  let response: Response
  try {
    const responding = fetch(endpoint.url, {
      method: httpMethod,
      headers,
      signal,
      credentials: endpoint.credentials,
      // `error` throws in workerd; `manual` shows the redirect everywhere, in browsers as an opaque response.
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    request.onSent?.()
    response = await untilAborted(signal, responding, discard)
  } catch (cause) {
    throw signal.aborted ? signal.reason : networkError(endpoint, cause)
  }
  report({ phase: 'response', status: response.status, contentType: essence(response) })
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    discard(response)
    throw redirectError(response, endpoint.url)
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

export function networkError({ url }: Endpoint, cause: unknown): DisconnectedError {
  // Deno's fetch names the whole URL, whose query may hold a secret.
  const text = describe(cause).replaceAll(url, endpointName(url))
  return new DisconnectedError(`The network failed: ${text}`, { cause, data: { reason: 'network' } })
}

/** Node hides the reason (ECONNREFUSED, ENOTFOUND) in the cause. */
function describe(error: unknown): string {
  const { message = String(error), cause } = (error ?? {}) as Error
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? `${message} (${code})` : message
}
