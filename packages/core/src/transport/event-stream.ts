import { createParser, type EventSourceMessage, type ParserCallbacks } from 'eventsource-parser'
import { readChunks, tooLarge } from './limits.js'

const lf = 10
const cr = 13

/**
 * The events of a `text/event-stream` body, by the algorithm of the HTML standard at any chunking. An event that the
 * stream's end cuts off is discarded; one that only moves the last event id has empty data.
 *
 * @param maxBytes - Bytes since the last blank line, which ends an event; a long-lived stream's total has no limit.
 * @throws {TooLargeError} `ERR_MCP_TOO_LARGE`
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation}
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
  callbacks: Pick<ParserCallbacks, 'onRetry' | 'onComment'> = {},
): AsyncGenerator<EventSourceMessage, void> {
  const events: EventSourceMessage[] = []
  const parser = createParser({ ...callbacks, onEvent: (event) => events.push(event) })
  const decoder = new TextDecoder()
  const toLines = lineFeeds()
  const withData = idsAsEvents()
  const within = blockLimit(maxBytes)
  for await (const chunk of readChunks(body, signal)) {
    const end = within(chunk)
    parser.feed(withData(toLines(decoder.decode(chunk.subarray(0, end), { stream: true }))))
    yield* events.splice(0)
    if (end < chunk.byteLength) throw tooLarge(maxBytes)
  }
}

/**
 * Turns CRLF and CR into LF. The parser waits behind a CR for what follows: an event that ends in one would be held
 * back until the next, and be lost at the stream's end.
 */
function lineFeeds(): (text: string) => string {
  let afterCr = false
  return (text) => {
    const lines = afterCr && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') afterCr = text.endsWith('\r')
    return lines.replace(/\r\n?/g, '\n')
  }
}

/**
 * Gives an event that holds an id alone a line of empty data. By the standard it moves the last event id, but the parser
 * tells of none without data.
 */
function idsAsEvents(): (text: string) => string {
  let start = ''
  let hasId = false
  let hasData = false
  return (text) => {
    const lines = text.split('\n')
    lines.forEach((piece, index) => {
      start = (start + piece).slice(0, 'data:'.length)
      // The last one goes on in the next chunk.
      if (index === lines.length - 1) return
      if (start !== '') {
        hasId ||= /^id(?::|$)/.test(start)
        hasData ||= /^data(?::|$)/.test(start)
      } else {
        if (hasId && !hasData) lines[index] = 'data\n'
        hasId = false
        hasData = false
      }
      start = ''
    })
    return lines.join('\n')
  }
}

/** Counts the bytes since the last blank line; returns where in a chunk they become too many, else the chunk's end. */
function blockLimit(maxBytes: number): (chunk: Uint8Array) => number {
  let blockBytes = 0
  let atLineStart = true
  let afterCr = false
  return (chunk) => {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      const ofCrLf = afterCr && byte === lf
      afterCr = byte === cr
      if (ofCrLf) continue
      const ends = byte === lf || byte === cr
      blockBytes = ends && atLineStart ? 0 : blockBytes + 1
      if (blockBytes > maxBytes) return index
      atLineStart = ends
    }
    return chunk.length
  }
}
