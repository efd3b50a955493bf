import { encode, eventStreamType } from './byte-source.js'
import { modernServer, reply, serverInfo } from './mcp-server.js'
import type { Sent } from './scripted-fetch.js'

export interface ListenStream {
  /** The filter that was asked for. */
  asked: Record<string, unknown>
  acknowledge(notifications?: object): void
  tell(method: string, params?: object): void
  /** As a server that goes away in good order. */
  end(): void
  /** As a connection that is cut. */
  cut(): void
  /** Whether the client has let go of it. */
  readonly left: boolean
}

export interface ListenServer {
  answer(sent: Sent): Response | Promise<Response>
  /** Every stream so far. */
  streams: ListenStream[]
}

export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true },
}

/**
 * A modern server that opens a stream for each `subscriptions/listen`.
 *
 * @param acknowledges - Whether it does so by itself, and of what.
 */
export function listenServer(
  own: Parameters<typeof modernServer>[0] = {},
  { acknowledges = (asked: object): object | undefined => asked, offers = capabilities as object } = {},
): ListenServer {
  const streams: ListenStream[] = []
  const answer = modernServer({
    'server/discover': (sent) =>
      reply(sent, {
        supportedVersions: ['2026-07-28'],
        capabilities: offers,
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      }),
    'subscriptions/listen'(sent) {
      const { id, params } = sent.body!
      const asked = params!.notifications as Record<string, unknown>
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
      let controller!: ReadableStreamDefaultController<Uint8Array>
      let left = false
      const leave = () => {
        left = true
      }
      const body = new ReadableStream<Uint8Array>({
        start(given) {
          controller = given
        },
        cancel: leave,
      })
      sent.signal.addEventListener('abort', leave)
      const say = (message: object) => controller.enqueue(encode(`data: ${JSON.stringify(message)}\n\n`))
      const stream: ListenStream = {
        asked,
        acknowledge: (notifications = asked) => stream.tell('subscriptions/acknowledged', { notifications }),
        tell: (method, more) => say({ jsonrpc: '2.0', method: `notifications/${method}`, params: { ...more, _meta } }),
        end() {
          say({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } })
          controller.close()
        },
        cut: () => controller.error(new TypeError('terminated')),
        get left() {
          return left
        },
      }
      streams.push(stream)
      const acknowledged = acknowledges(asked)
      if (acknowledged) stream.acknowledge(acknowledged)
      return new Response(body, { headers: eventStreamType })
    },
    ...own,
  })
  return { answer, streams }
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
