import { encode } from '../support/byte-source.js'
import type { Sent } from '../support/scripted-fetch.js'

/** A JSON-RPC message as an event. */
export const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`

/** The result of a tool call, with one text. */
export const resultOf = (sent: Sent, text: string) => ({
  jsonrpc: '2.0',
  id: sent.body?.id,
  result: { resultType: 'complete', content: [{ type: 'text', text }] },
})

export const progressOf = (sent: Sent, progress: number, progressToken = tokenOf(sent)) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress },
})

/** By which the server tells of a call's progress; undefined when the client wants none. */
export const tokenOf = (sent: Sent) =>
  (sent.body?.params?._meta as { progressToken?: string | number } | undefined)?.progressToken

export interface OpenStream {
  response: Response
  push(text: string): void
  end(): void
  /** As a connection that is cut. */
  cut(): void
  /** Whether the client has let go of it. */
  readonly left: boolean
}

/** A response whose body is written as the test goes on. */
export function openStream(...pieces: string[]): OpenStream {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let left = false
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => {
      left = true
    },
  })
  const stream: OpenStream = {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    push: (text) => controller.enqueue(encode(text)),
    end: () => controller.close(),
    cut: () => controller.error(new TypeError('terminated')),
    get left() {
      return left
    },
  }
  for (const piece of pieces) stream.push(piece)
  return stream
}

/** An event stream that ends after this text. */
export const endedStream = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } })

export const status = (code: number): Response => new Response(null, { status: code })

/** The requests of one kind: a JSON-RPC method, or an HTTP method without a body. */
export const sentOf = (sent: Sent[], kind: string): Sent[] =>
  sent.filter(({ body, method }) => (body?.method ?? method) === kind)
