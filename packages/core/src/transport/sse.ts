import { discard, type Endpoint, nextExchange, send, wireReport } from './endpoint.js'
import { statusError } from './http-error.js'
import type { HttpTransport, TransportOptions } from './http-transport.js'
import { isRequest, type JsonRpcMessage } from './json-rpc.js'
import { readRefusal } from './refusal.js'
import { blamesSession, sessionLost } from './session-lost.js'
import { openSseStream } from './sse-stream.js'
import { createStreamTransport, type PostOptions } from './stream-transport.js'

/**
 * HTTP+SSE, the transport of revision 2024-11-05: one event stream for all that the server says, and a POST for each
 * message, at the address that the stream's first event names. When the stream ends, every reply that is still out is
 * lost, and so is the connection.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse}
 */
export function createSse(endpoint: Endpoint, options: TransportOptions = {}): HttpTransport {
  return createStreamTransport(
    async (signal, listener) => {
      const { ended, messagesUrl } = await openSseStream(endpoint, signal, listener)
      const messages = { ...endpoint, url: messagesUrl }
      return { ended, post: (message, how) => post(messages, message, how, options.onRefused) }
    },
    endpoint,
    options,
  )
}

/** @returns The reply, where a refusal brought it. */
async function post(
  messages: Endpoint,
  message: JsonRpcMessage,
  { headers, signal }: PostOptions,
  onRefused: TransportOptions['onRefused'],
): Promise<JsonRpcMessage | undefined> {
  const number = nextExchange()
  let response: Response | undefined
  try {
    response = await send(messages, {
      exchange: number,
      httpMethod: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      message,
      signal,
    })
    if (response.ok) return undefined
    if (!isRequest(message)) throw statusError(response, messages.now())
    const refusal = await readRefusal(response, messages.now(), signal)
    signal.throwIfAborted()
    if (message.method === 'initialize') onRefused?.({ status: response.status, text: refusal.text })
    // Its stream may look alive long after: nobody tells a machine that slept that the other end is gone.
    else if (blamesSession(response.status, refusal)) throw sessionLost(response.status)
    if (!refusal.reply) throw refusal.error
    return refusal.reply
  } finally {
    if (response) discard(response)
    wireReport(messages, number, 'POST')({ phase: 'end' })
  }
}
