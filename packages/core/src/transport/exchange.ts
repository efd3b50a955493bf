import { InvalidResponseError, McpError, withDetails } from '../errors.js'
import { discard, type Endpoint, networkError, nextExchange, send, wireReport } from './endpoint.js'
import { contentTypeError, essence, statusError } from './http-error.js'
import { graceMs } from './http-transport.js'
import { answers, isReply, isRequest, type JsonRpcMessage, parseJson, toMessages, toReply } from './json-rpc.js'
import { readText } from './limits.js'
import { type Refusal, readRefusal } from './refusal.js'
import { type Cursor, eventMessages, isBroken, resume } from './reply-stream.js'
import { sniff } from './sniff.js'

export interface Exchange {
  message: JsonRpcMessage
  headers: Record<string, string>
  /** Of this exchange alone: ends it when aborted, and is aborted by it when something would still run at its end. */
  abort: AbortController
  /** The headers to take up a broken event stream with; undefined where no server offers that (since 2026-07-28). */
  resumeHeaders?(): Record<string, string> | undefined
  onResponse?(response: Response): void
  /** The error of a refusal that means more than it says. */
  onRefusal?(status: number, refusal?: Refusal): McpError | undefined
  onMessage(message: JsonRpcMessage): void
}

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
export async function exchange(endpoint: Endpoint, { message, abort, ...rest }: Exchange): Promise<void> {
  const number = nextExchange()
  const report = wireReport(endpoint, number, 'POST')
  const { signal } = abort
  let replied = false
  /** The body was read to its end: nothing runs any more, and aborting costs more than the rest of a call. */
  let finished = false
  let cancelGrace = () => {}
  let response: Response | undefined

  const deliver = (received: JsonRpcMessage) => {
    // The rest of a chunk, of which nobody wants to hear any more.
    if (signal.aborted) return
    report({ phase: 'message', body: received })
    if (isReply(received)) {
      // Another request's reply must not come by this way: it would end that one with a stranger's result.
      if (replied || !answers(received, message)) return
      received = toReply(received, message.id)
      replied = true
      cancelGrace = endpoint.setTimer(graceMs, () => abort.abort())
    }
    rest.onMessage(received)
  }

  try {
    response = await send(endpoint, {
      exchange: number,
      httpMethod: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...rest.headers },
      message,
      signal,
    })
    rest.onResponse?.(response)
    if (!isRequest(message)) {
      if (!response.ok) throw rest.onRefusal?.(response.status) ?? statusError(response, endpoint.now())
      return
    }
    if (!response.ok) {
      const refusal = await readRefusal(response, endpoint.now(), signal)
      const meant = rest.onRefusal?.(response.status, refusal)
      if (meant || !refusal.reply) throw meant ?? refusal.error
      deliver(refusal.reply)
      if (!replied) throw noReply(response)
      return
    }
    // Never two in one go, though they share a chunk: the engine handles a notification one microtask later than a
    // reply, and a progress event delivered with the reply would be lost. `for await` leaves that pause.
    const cursor: Cursor = {}
    let broken: unknown
    try {
      for await (const received of messagesOf(response, endpoint, signal, cursor)) deliver(received)
      finished = response.bodyUsed
    } catch (error) {
      if (!isBroken(error)) throw error
      broken = error
    }
    const headers = replied || signal.aborted || !cursor.lastEventId ? undefined : rest.resumeHeaders?.()
    if (headers) {
      finished = false
      await resume(endpoint, { cursor, headers, signal, isDone: () => replied, onMessage: deliver })
    }
    if (!replied) throw broken ?? cursor.unreadable ?? noReply(response)
  } catch (error) {
    // Whatever breaks after the reply is no longer this request's affair.
    if (replied) return
    if (signal.aborted) throw signal.reason
    const failure = McpError.is(error) ? error : networkError(endpoint, error)
    throw withDetails(failure, message.method === undefined ? {} : { method: message.method })
  } finally {
    cancelGrace()
    // Aborting the request is the only thing that ends a stalled body in every engine.
    if (!finished) abort.abort()
    // An injected fetch need not tie its body to the request's signal.
    if (response && !finished) discard(response)
    report({ phase: 'end' })
  }
}

async function* messagesOf(
  response: Response,
  { maxResponseBytes }: Endpoint,
  signal: AbortSignal,
  cursor: Cursor,
): AsyncGenerator<JsonRpcMessage, void> {
  let type = essence(response)
  let { body } = response
  // What is only accepted holds no reply to wait for.
  if (type === '' && body && response.status !== 202) ({ type, body } = await sniff(body, maxResponseBytes, signal))
  if (type === 'text/event-stream') {
    if (body) yield* eventMessages(body, maxResponseBytes, signal, cursor)
  } else if (type === 'application/json' || type.endsWith('+json')) {
    const text = await readText(body, maxResponseBytes, signal)
    if (text.trim() === '') return
    const messages = toMessages(parseJson(text))
    if (messages.length === 0)
      throw new InvalidResponseError('The response is JSON, but no JSON-RPC message', { data: { reason: 'shape' } })
    yield* messages
  } else if (response.status !== 202 && response.status !== 204) throw contentTypeError(type)
}

function noReply(response: Response): InvalidResponseError {
  return new InvalidResponseError(
    'The server ended its response without a reply; its own log tells why, or a proxy between cut the stream',
    { data: { reason: 'no-reply', status: response.status } },
  )
}
