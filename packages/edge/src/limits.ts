import type { Exchange } from './exchange.js'
import { Refusal } from './refusal.js'

/** Bytes of a body too large that are read and dropped: see {@link discard}. */
const maxDiscardedBytes = 64 * 1024 * 1024

/**
 * The whole body of a request. Nothing is sent to an upstream before it is there: a body that turns out too large
 * reaches nothing, and upstreams get a `Content-Length`, which those that take no chunks insist on.
 *
 * @returns At most `limits.maxRequestBytes`, which a declared length is held to as well as the count.
 * @throws {Refusal} 413; 415 for a compressed body, whose size would be told only by unpacking it; 400 for one that is cut.
 */
export async function readBody({ request, gateway }: Exchange): Promise<Uint8Array<ArrayBuffer>> {
  const { maxRequestBytes } = gateway.limits
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw new Refusal(415, 'ERR_GATEWAY_BODY', 'The gateway takes no compressed request bodies')
  const reader = request.body?.getReader()
  const declaredBytes = Number(request.headers.get('content-length') ?? 0)
  const refuse = async (): Promise<never> => {
    if (declaredBytes <= maxDiscardedBytes) await discard(reader)
    throw new Refusal(413, 'ERR_GATEWAY_TOO_LARGE', `The request's body is larger than ${maxRequestBytes} bytes`)
  }
  if (declaredBytes > maxRequestBytes) await refuse()
  const chunks: Uint8Array[] = []
  let bytes = 0
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw new Refusal(400, 'ERR_GATEWAY_BODY', "The request's body could not be read to its end")
    })
    if (done) break
    bytes += value.byteLength
    if (bytes > maxRequestBytes) await refuse()
    chunks.push(value)
  }
  return join(chunks, bytes)
}

/**
 * A body as JSON, and the JSON text that it was.
 *
 * @throws {Refusal} 400 with JSON-RPC's parse error.
 */
export function parseJson(body: Uint8Array): { text: string; value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    throw new Refusal(400, 'ERR_GATEWAY_JSON', "The request's body is not JSON in UTF-8")
  }
}

/**
 * Reads on without keeping anything. Servers close the connection of a body that was not read when it is answered: a
 * sender that still writes then sees a broken connection, and never the answer.
 */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  try {
    for (let left = maxDiscardedBytes; reader && left > 0; ) {
      const { done, value } = await reader.read()
      if (done) return
      left -= value.byteLength
    }
  } catch {
    // The sender has left.
  }
}

function join(chunks: Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
