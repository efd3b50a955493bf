import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { readChunks, tooLarge } from './limits.js'

/**
 * The events of a `text/event-stream` body, by the algorithm of the HTML standard at any chunking. An event that the
 * stream's end cuts off is discarded.
 *
 * @param maxBytes - Bytes since the last complete event; a long-lived stream's total has no limit.
 * @throws {TooLargeError} `ERR_MCP_TOO_LARGE`
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation}
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  const decoder = new TextDecoder()
  let pendingBytes = 0
  for await (const chunk of readChunks(body, signal)) {
    pendingBytes += chunk.byteLength
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (events.length > 0) pendingBytes = 0
    if (pendingBytes > maxBytes) throw tooLarge(maxBytes)
    yield* events.splice(0)
  }
}
