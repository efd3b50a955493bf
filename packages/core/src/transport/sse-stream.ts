import { DisconnectedError, InvalidResponseError, McpError } from '../errors.js'
import { discard, type Endpoint, networkError, nextExchange, send, wireReport } from './endpoint.js'
import { readEvents } from './event-stream.js'
import { contentTypeError, essence, foreignEndpointError, statusError } from './http-error.js'
import { connectionClosed } from './http-transport.js'
import { type JsonRpcMessage, parseJson, toMessages } from './json-rpc.js'

/** The event stream of HTTP+SSE, whose first event has named the address for messages. */
export interface SseStream {
  messagesUrl: string
  /** Resolves with the reason when the stream has ended. */
  ended: Promise<McpError>
}

export interface SseStreamEvents {
  onMessage(message: JsonRpcMessage): void
  onUnreadable(error: McpError): void
}

/**
 * Opens the stream and waits for its `endpoint` event.
 *
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when the answer is no event stream, ends without that event
 *   (`data.reason: 'no-endpoint'`), or names another origin (`foreign-endpoint`).
 * @throws {HttpError} `ERR_MCP_HTTP`, {@link UnauthorizedError} `ERR_MCP_UNAUTHORIZED`,
 *   {@link DisconnectedError} `ERR_MCP_DISCONNECTED`
 */
export async function openSseStream(
  endpoint: Endpoint,
  signal: AbortSignal,
  events: SseStreamEvents,
): Promise<SseStream> {
  const number = nextExchange()
  const report = wireReport(endpoint, number, 'GET')
  let url = endpoint.url
  let response: Response | undefined
  try {
    response = await send(endpoint, {
      exchange: number,
      httpMethod: 'GET',
      headers: { accept: 'text/event-stream' },
      signal,
      onRedirect(to) {
        url = to
      },
    })
    if (!response.ok) throw statusError(response, endpoint.now())
    if (essence(response) !== 'text/event-stream' || !response.body) throw contentTypeError(essence(response))
  } catch (error) {
    if (response) discard(response)
    report({ phase: 'end' })
    throw error
  }
  const { body } = response

  let messagesUrl: string | undefined
  async function read(onEndpoint: (url: string) => void): Promise<McpError> {
    try {
      for await (const { event = 'message', data } of readEvents(body!, endpoint.maxResponseBytes, signal)) {
        if (event === 'endpoint' && data && messagesUrl === undefined) {
          messagesUrl = resolveMessagesUrl(data, url)
          onEndpoint(messagesUrl)
        }
        if (event !== 'message' || !data) continue
        for (const message of readMessages(data, events)) {
          report({ phase: 'message', body: message })
          events.onMessage(message)
          // Never two in one go: the engine handles a notification one microtask later than a reply.
          await undefined
        }
      }
      if (signal.aborted) return connectionClosed()
      return messagesUrl === undefined
        ? new InvalidResponseError('The event stream ended before it named an endpoint for messages', {
            data: { reason: 'no-endpoint' },
          })
        : new DisconnectedError('The server ended its event stream', { data: { reason: 'network' } })
    } catch (error) {
      return McpError.is(error) ? error : networkError(endpoint, error)
    } finally {
      report({ phase: 'end' })
    }
  }

  return new Promise((resolve, reject) => {
    const ended = read((messagesUrl) => resolve({ messagesUrl, ended }))
    ended.then(reject)
  })
}

function readMessages(data: string, { onUnreadable }: SseStreamEvents): JsonRpcMessage[] {
  try {
    return toMessages(parseJson(data))
  } catch (error) {
    // Other texts are keep-alives of the server's own.
    if (McpError.is(error) && /^\s*[{[]/.test(data)) onUnreadable(error)
    return []
  }
}

/** Where messages go: within the stream's own origin, whatever form the server gives the address. */
function resolveMessagesUrl(data: string, base: string): string {
  if (!URL.canParse(data, base))
    throw new InvalidResponseError('The server names an endpoint for messages that is no URL', {
      data: { reason: 'shape' },
    })
  const url = new URL(data, base)
  if (url.origin !== new URL(base).origin) throw foreignEndpointError(url.origin)
  // Fetch refuses a URL that holds credentials.
  url.username = ''
  url.password = ''
  return url.href
}
