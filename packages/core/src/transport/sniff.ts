import { readChunks, tooLarge } from './limits.js'

/** How a line of an event stream begins; one that begins with the colon is a comment. */
const fields = ['data:', 'event:', 'id:', 'retry:', ':']

/**
 * The type of a body whose response names none, by its first characters other than white space; and the body, still
 * whole. Nothing of it is held longer than it takes to see them.
 *
 * @param maxBytes - White space past this is too large a response whatever follows.
 * @throws {TooLargeError} `ERR_MCP_TOO_LARGE`
 */
export async function sniff(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ type: string; body: ReadableStream<Uint8Array<ArrayBuffer>> }> {
  const chunks = readChunks(body, signal)
  const seen: Uint8Array<ArrayBuffer>[] = []
  const decoder = new TextDecoder()
  let start = ''
  for (let bytes = 0; !isClear(start); ) {
    const { done, value } = await chunks.next()
    if (done) break
    seen.push(value)
    bytes += value.byteLength
    if (bytes > maxBytes) {
      await chunks.return()
      throw tooLarge(maxBytes)
    }
    start = (start + decoder.decode(value, { stream: true })).trimStart()
  }
  return { type: typeOf(start), body: rejoin(seen, chunks) }
}

/** Whether nothing that follows can change the type: a field's name may come in pieces. */
const isClear = (start: string) => start !== '' && !fields.some((field) => field !== start && field.startsWith(start))

function typeOf(start: string): string {
  if (start.startsWith('{') || start.startsWith('[')) return 'application/json'
  return fields.some((field) => start.startsWith(field)) ? 'text/event-stream' : ''
}

function rejoin(
  seen: Uint8Array<ArrayBuffer>[],
  rest: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const first = seen.shift()
        if (first) return controller.enqueue(first)
        const { done, value } = await rest.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await rest.return()),
    },
    // Nothing is read ahead of the reader.
    { highWaterMark: 0 },
  )
}
