const encoder = new TextEncoder()

/** The body of a response that is a stream of server-sent events. */
export interface EventBody {
  readonly response: Response
  /** Sends a message, each in one piece; nothing once the stream has ended. */
  push(message: object): void
  end(): void
}

/** @param onLeft - Told when the client lets go of it. */
export function createEventBody(onLeft: () => void, headers: Record<string, string> = {}): EventBody {
  let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  let isOpen = true
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(given) {
      controller = given
    },
    cancel() {
      isOpen = false
      onLeft()
    },
  })
  return {
    response: new Response(body, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...headers },
    }),
    push(message) {
      if (isOpen) controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`))
    },
    end() {
      if (isOpen) controller.close()
      isOpen = false
    },
  }
}
