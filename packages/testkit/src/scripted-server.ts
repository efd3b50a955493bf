import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

export type RequestHandler = (request: Request) => Response | Promise<Response>

export interface ScriptedServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string
  /** Ends every connection, also those that still stream. */
  close(): Promise<void>
}

/**
 * Serves HTTP on loopback with a function.
 *
 * `request.signal` fires when the client leaves before its response is whole. A handler that throws, and a body that
 * fails, cut the connection: that is how a dying server looks.
 *
 * @param port - Default: any free one.
 */
export async function startScriptedServer(handler: RequestHandler, port = 0): Promise<ScriptedServer> {
  const server = createServer((incoming, outgoing) => {
    serve(handler, incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(handler: RequestHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('the client left'))
  })
  const response = await handler(toRequest(incoming, gone.signal))
  if (outgoing.destroyed) {
    await response.body?.cancel(gone.signal.reason)
    return
  }
  outgoing.writeHead(response.status, [...response.headers].flat())
  // At once, not with the first byte of the body: a body may be long in coming.
  outgoing.flushHeaders()
  if (response.body) await sendBody(response.body, outgoing, gone.signal)
  else outgoing.end()
}

async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  const reader = body.getReader()
  gone.addEventListener('abort', () => void reader.cancel(gone.reason).catch(() => {}))
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (!outgoing.write(value)) await once(outgoing, 'drain', { signal: gone })
    }
    outgoing.end()
  } catch {
    // What was written still arrives; the end of the response does not.
    outgoing.socket?.end()
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    headers.append(incoming.rawHeaders[index]!, incoming.rawHeaders[index + 1]!)
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  return new Request(new URL(incoming.url ?? '/', `http://${incoming.headers.host}`), {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const }),
  })
}
