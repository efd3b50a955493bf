import { onAbort } from '../abort.js'
import { InvalidResponseError, TooLargeError } from '../errors.js'

/**
 * The chunks of a body, one at a time, so that nothing past a limit is asked for. By reader, since not every engine
 * iterates a stream. The body is cancelled when the signal fires, which ends the loop, and when the loop is left.
 */
export async function* readChunks<Bytes extends ArrayBufferLike>(
  body: ReadableStream<Uint8Array<Bytes>>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<Bytes>, void> {
  const reader = body.getReader()
  // Not awaited: a stalled source may never acknowledge. A body that broke rejects here too, with the error that
  // read() throws.
  const cancel = () => void reader.cancel().catch(() => {})
  let ended = false
  // An injected fetch need not tie its body to the request's signal.
  const stopWaiting = onAbort(signal, cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        ended = true
        return
      }
      yield value
    }
  } finally {
    stopWaiting()
    if (!ended) cancel()
  }
}

/**
 * A whole body as text.
 *
 * @param maxBytes - Bytes after decompression.
 * @throws {TooLargeError} `ERR_MCP_TOO_LARGE` as soon as the limit is passed.
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it isn't UTF-8 (RFC 8259 8.1).
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (cause) {
      throw new InvalidResponseError('The response is not UTF-8 text', { cause, data: { reason: 'encoding' } })
    }
  }
  for await (const chunk of readChunks(body, signal)) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    text += decode(chunk)
  }
  return text + decode()
}

export function tooLarge(maxBytes: number): TooLargeError {
  return new TooLargeError(
    `The response is larger than maxResponseBytes (${maxBytes} bytes) and was cut; ask for less, or raise the limit`,
    { data: { limit: maxBytes } },
  )
}
