import { onAbort } from '../abort.js'
import { InvalidResponseError, McpError } from '../errors.js'
import { discard, type Endpoint, networkError, nextExchange, send } from './endpoint.js'
import { readEvents } from './event-stream.js'
import { contentTypeError, essence, statusError } from './http-error.js'
import { isReply, isRequest, type JsonRpcMessage, toErrorReply, toMessages } from './json-rpc.js'
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
  const report = (phase: 'message' | 'end', body?: JsonRpcMessage) =>
    endpoint.wire()?.({
      type: 'wire',
      phase,
      exchange: number,
      httpMethod: 'POST',
      at: endpoint.now(),
      ...(body && { body }),
    })
  // Aborting the request is the only thing that ends a stalled body in every engine.
  const own = new AbortController()
  const stopWaiting = onAbort(signal, () => own.abort(signal.reason))
  let replied = false
  let cancelGrace = () => {}

  const deliver = async (received: JsonRpcMessage) => {
    report('message', received)
    if (isReply(received)) {
      // One POST, one request: an error without an id, or with the id as a string, is this request's.
      if (received.id == null || String(received.id) === String(message.id)) received = { ...received, id: message.id! }
      if (received.id === message.id && !replied) {
        replied = true
        cancelGrace = endpoint.setTimer(graceMs, () => own.abort())
      }
    }
    rest.onMessage(received)
    // The engine handles a notification one microtask after a reply: without this pause a progress event that shares
    // its chunk with the reply is lost.
    await undefined
  }

  try {
    const response = await send(endpoint, {
      exchange: number,
      httpMethod: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...rest.headers },
      message,
      signal: own.signal,
    })
    rest.onResponse?.(response)
    if (!isRequest(message)) {
      discard(response)
      if (!response.ok) throw statusError(response)
      return
    }
    for await (const received of messagesOf(response, endpoint.maxResponseBytes, own.signal)) await deliver(received)
    if (!replied) throw noReply(response)
  } catch (error) {
    // Whatever breaks after the reply is no longer this request's affair.
    if (replied) return
    if (signal.aborted) throw signal.reason
    throw McpError.is(error) ? error : networkError(error)
  } finally {
    cancelGrace()
    stopWaiting()
    own.abort()
    report('end')
  }
}

async function* messagesOf(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<JsonRpcMessage, void> {
  const type = essence(response)
  if (!response.ok) {
    const reply = toErrorReply(await errorText(response, signal))
    if (response.status === 401 || !reply) throw statusError(response)
    yield reply
  } else if (type === 'text/event-stream' && response.body) {
    for await (const { event = 'message', data } of readEvents(response.body, maxBytes, signal)) {
      // Other types are the server's own (ping, heartbeat); an event without data only carries an id.
      if (event === 'message' && data) yield* toMessages(parse(data))
    }
  } else if (type === 'application/json') {
    yield* toMessages(parse(await readText(response.body, maxBytes, signal)))
  } else {
    discard(response)
    if (response.status !== 202 && response.status !== 204) throw contentTypeError(type)
  }
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
