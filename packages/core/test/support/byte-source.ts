const encoder = new TextEncoder()

export const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

export interface ByteSource {
  body: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Bytes that were pulled out of it. */
  pulled(): number
  /** Resolves when the reader has cancelled it. */
  cancelled: Promise<void>
}

/**
 * A body that gives one chunk each time it is asked.
 *
 * @param end - What comes after the last chunk: the end, nothing for ever, or a broken connection.
 */
export function byteSource(
  chunks: Iterable<string | Uint8Array<ArrayBuffer>>,
  end: 'close' | 'stall' | 'break' = 'close',
): ByteSource {
  const iterator = chunks[Symbol.iterator]()
  let pulled = 0
  let tell = () => {}
  const cancelled = new Promise<void>((resolve) => {
    tell = resolve
  })
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const { done, value } = iterator.next()
        if (!done) {
          const bytes = typeof value === 'string' ? encode(value) : value
          pulled += bytes.byteLength
          controller.enqueue(bytes)
        } else if (end === 'close') controller.close()
        else if (end === 'break') controller.error(new TypeError('terminated'))
        else return new Promise<void>(() => {})
      },
      cancel: tell,
    },
    // Nothing is asked for ahead of the reader: what was pulled is what was wanted.
    { highWaterMark: 0 },
  )
  return { body, pulled: () => pulled, cancelled }
}

export const jsonType = { 'content-type': 'application/json' }
export const eventStreamType = { 'content-type': 'text/event-stream' }
