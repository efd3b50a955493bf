/** Where a reply breaks off. */
export type Cut = { afterBytes: number } | { afterEvents: number }

/**
 * A response whose body fails as one from the network does: with the signal's reason once the client has left, and where it is cut.
 */
export function overTheWire(response: Response, signal: AbortSignal, cut?: Cut): Response {
  if (!response.body) return response
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> = response.body.getReader()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  let events = cut && 'afterEvents' in cut ? (isStream ? cut.afterEvents : 0) : Number.POSITIVE_INFINITY
  let bytes = cut && 'afterBytes' in cut ? cut.afterBytes : Number.POSITIVE_INFINITY
  let leave = () => {}

  async function pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    const { done, value } = events > 0 && bytes > 0 ? await reader.read() : { done: false, value: undefined }
    if (signal.aborted) return
    if (value) {
      // Each event is one piece: that is how they are written.
      events--
      controller.enqueue(value.subarray(0, bytes))
      bytes -= value.length
      return
    }
    signal.removeEventListener('abort', leave)
    if (done) return controller.close()
    await reader.cancel()
    controller.error(new TypeError('terminated'))
  }

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        leave = () => {
          controller.error(signal.reason)
          void reader.cancel(signal.reason)
        }
        signal.addEventListener('abort', leave, { once: true })
        if (signal.aborted) leave()
      },
      pull,
      cancel(reason) {
        signal.removeEventListener('abort', leave)
        return reader.cancel(reason)
      },
    },
    // Nothing ahead of what is read: else a cut comes before what precedes it was taken.
    { highWaterMark: 0 },
  )
  const { status, headers } = response
  return new Response(body, { status, headers })
}
