import { onAbort } from '../abort.js'
import { InvalidResponseError, McpError, withDetails } from '../errors.js'
import { discard, type Endpoint, networkError, nextExchange, send, wireReport } from './endpoint.js'
import { readEvents } from './event-stream.js'
import { contentTypeError, essence, statusError } from './http-error.js'
import { answers, isReply, isRequest, type JsonRpcMessage, toErrorReply, toMessages, toReply } from './json-rpc.js'
import { readText } from './limits.js'

export interface Exchange {
  message: JsonRpcMessage
  headers: Record<string, string>
  signal: AbortSignal
  onResponse?(response: Response): void
  onMessage(message: JsonRpcMessage): void
}

/** Bytes of an HTTP error's body that are read to look for a JSON-RPC error. */
const maxErrorBytes = 64 * 1024
/** Milliseconds that a server has to end an event stream after its reply, before it is cut. */
const graceMs = 1_000

/**
 * POSTs one JSON-RPC message and hands over each message of the response, a request's reply among them. Resolves
 * when the exchange has ended; for a request, not before its reply was handed over.
 *
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when a request's response ends without its reply
 *   (`data.reason: 'no-reply'`), or is no JSON, no event stream, no JSON-RPC.
 * @throws {TooLargeError} `ERR_MCP_TOO_LARGE`
 * @throws {UnauthorizedError} `ERR_MCP_UNAUTHORIZED` on 401.
 * @throws {HttpError} `ERR_MCP_HTTP` on a redirect, and on an error status without a JSON-RPC error in its body.
 * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` when the network fails.
 * @throws The signal's reason when aborted.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#sending-messages}
 */
export async function exchange(endpoint: Endpoint, { message, signal, ...rest }: Exchange): Promise<void> {
  const number = nextExchange()
  const report = wireReport(endpoint, number, 'POST')
  // Aborting the request is the only thing that ends a stalled body in every engine.
  const own = new AbortController()
  const stopWaiting = onAbort(signal, () => own.abort(signal.reason))
  let replied = false
  let cancelGrace = () => {}
  let response: Response | undefined

  const deliver = (received: JsonRpcMessage) => {
    report({ phase: 'message', body: received })
    if (isReply(received)) {
      // Another request's reply must not come by this way: it would end that one with a stranger's result.
      if (replied || !answers(received, message)) return
      received = toReply(received, message.id)
      replied = true
      cancelGrace = endpoint.setTimer(graceMs, () => own.abort())
    }
    rest.onMessage(received)
  }

  try {
    response = await send(endpoint, {
      exchange: number,
      httpMethod: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...rest.headers },
      message,
      signal: own.signal,
    })
    rest.onResponse?.(response)
    if (!isRequest(message)) {
      if (!response.ok) throw statusError(response)
      return
    }
    // Never two in one go, though they share a chunk: the engine handles a notification one microtask later than a
    // reply, and a progress event delivered with the reply would be lost. `for await` leaves that pause.
    for await (const received of messagesOf(response, endpoint.maxResponseBytes, own.signal)) deliver(received)
    if (!replied) throw noReply(response)
  } catch (error) {
    // Whatever breaks after the reply is no longer this request's affair.
    if (replied) return
    if (signal.aborted) throw signal.reason
    const failure = McpError.is(error) ? error : networkError(endpoint, error)
    throw withDetails(failure, message.method === undefined ? {} : { method: message.method })
  } finally {
    cancelGrace()
    stopWaiting()
    own.abort()
    // An injected fetch need not tie its body to the request's signal.
    if (response) discard(response)
    report({ phase: 'end' })
  }
}

async function* messagesOf(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<JsonRpcMessage, void> {
  const type = essence(response)
  if (!response.ok) {
    const reply = response.status === 401 ? undefined : toErrorReply(await errorText(response, signal))
    if (!reply) throw statusError(response)
    yield reply
  } else if (type === 'text/event-stream') {
    if (response.body) yield* eventMessages(response.body, maxBytes, signal)
  } else if (type === 'application/json') {
    const text = await readText(response.body, maxBytes, signal)
    if (text.trim() === '') return
    const messages = toMessages(parse(text))
    if (messages.length === 0)
      throw new InvalidResponseError('The response is JSON, but no JSON-RPC message', { data: { reason: 'shape' } })
    yield* messages
  } else if (response.status !== 202 && response.status !== 204) throw contentTypeError(type)
}

async function* eventMessages(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<JsonRpcMessage, void> {
  let unreadable: unknown
  for await (const { event = 'message', data } of readEvents(body, maxBytes, signal)) {
    // Other types are the server's own (ping, heartbeat); an event without data only carries an id.
    if (event !== 'message' || !data) continue
    let value: unknown
    try {
      value = parse(data)
    } catch (error) {
      // A keep-alive of the server's own, perhaps: the reply may still come.
      unreadable ??= error
    }
    yield* toMessages(value)
  }
  if (unreadable) throw unreadable
}

async function errorText(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await readText(response.body, maxErrorBytes, signal)
  } catch {
    return ''
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InvalidResponseError('The response is not JSON', { cause, data: { reason: 'json' } })
  }
}

function noReply(response: Response): InvalidResponseError {
  return new InvalidResponseError(
    'The server ended its response without a reply; its own log tells why, or a proxy between cut the stream',
    { data: { reason: 'no-reply', status: response.status } },
  )
}
