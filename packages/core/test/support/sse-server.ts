import { byteSource, encode, eventStreamType } from './byte-source.js'
import type { Sent } from './scripted-fetch.js'

export interface SseServer {
  answer(sent: Sent): Response | Promise<Response>
  /** Writes to the stream that was opened last. */
  push(text: string): void
  end(): void
  cut(): void
  /** Resolves when the client has let go of the stream. */
  left: Promise<void>
}

/**
 * A server of the HTTP+SSE transport: what `respond` gives for a message is its POST's response, or the message that
 * goes out on the stream.
 *
 * @param endpoint - What the `endpoint` event names; null: no such event.
 */
export function sseServer(
  respond: (sent: Sent) => object | Response | undefined | Promise<never>,
  endpoint: string | null = '/messages',
): SseServer {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const push = (text: string) => controller.enqueue(encode(text))
  return {
    async answer(sent) {
      if (sent.method === 'GET') {
        const body = new ReadableStream<Uint8Array>({
          start(given) {
            controller = given
          },
          cancel: leave,
        })
        if (endpoint !== null) push(`event: endpoint\ndata: ${endpoint}\n\n`)
        return new Response(body, { headers: eventStreamType })
      }
      const answer = await respond(sent)
      if (answer instanceof Response) return answer
      if (answer) push(`data: ${JSON.stringify(answer)}\n\n`)
      return new Response(byteSource(['Accepted'], 'stall').body, { status: 202 })
    },
    push,
    end: () => controller.close(),
    cut: () => controller.error(new TypeError('terminated')),
    left,
  }
}

const info = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }

/** What such a server replies to a message; `own` answers methods in its place. */
export function sseReplies(own: Record<string, (sent: Sent) => object | Response | undefined | Promise<never>> = {}) {
  return (sent: Sent): object | Response | undefined | Promise<never> => {
    const { id, method = '' } = sent.body ?? {}
    if (own[method]) return own[method](sent)
    if (id === undefined) return undefined
    return {
      jsonrpc: '2.0',
      id,
      result: method === 'initialize' ? info : { content: [{ type: 'text', text: method }] },
    }
  }
}
