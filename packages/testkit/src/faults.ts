/** Replies of servers that misbehave, for handlers of `startScriptedServer` or as the result of an injected `fetch`. */

const encode = (text: string) => new TextEncoder().encode(text)

/** Sends these pieces and then cuts the connection. */
export function cutAfter(pieces: string[], init: ResponseInit = jsonHeaders): Response {
  const left = [...pieces]
  return new Response(
    new ReadableStream({
      pull(controller) {
        const piece = left.shift()
        if (piece === undefined) controller.error(new Error('the server cuts the connection'))
        else controller.enqueue(encode(piece))
      },
    }),
    init,
  )
}

/** Sends these pieces and then nothing more, for ever. */
export function stallAfter(pieces: string[], init: ResponseInit = jsonHeaders, onCancel?: () => void): Response {
  const left = [...pieces]
  return new Response(
    new ReadableStream({
      pull(controller) {
        const piece = left.shift()
        if (piece === undefined) return new Promise<void>(() => {})
        controller.enqueue(encode(piece))
      },
      cancel: () => onCancel?.(),
    }),
    init,
  )
}

/** Never answers; to be returned by a handler. */
export function silence(): Promise<Response> {
  return new Promise(() => {})
}

export interface FloodOptions {
  bytes: number
  /** The request's id. Default 1. */
  id?: unknown
  /** Default `json`, in chunks and without a length. */
  form?: 'json' | 'sse' | 'gzip'
  /** Further fields of the result. */
  result?: object
  /** Told how many bytes had been taken when the reader left. */
  onCancel?(taken: number): void
}

/** A tool's result with one text of so many bytes, in pieces of 64 KiB, as fast as it is read. */
export function flood({ bytes, id = 1, form = 'json', result, onCancel }: FloodOptions): Response {
  const whole = JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, content: [{ type: 'text', text: '|' }] } })
  const [head = '', tail = ''] = whole.split('|')
  const [open, shut] = form === 'sse' ? ['event: message\ndata: ', '\n\n'] : ['', '']
  const piece = new Uint8Array(64 * 1024).fill('x'.charCodeAt(0))
  let taken = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => controller.enqueue(encode(open + head)),
      pull(controller) {
        const next = piece.slice(0, Math.min(piece.length, bytes - taken))
        controller.enqueue(next)
        taken += next.length
        if (taken < bytes) return
        controller.enqueue(encode(tail + shut))
        controller.close()
      },
      cancel: () => onCancel?.(taken),
    },
    // Nothing ahead of what is asked for: else the count says more than was taken.
    { highWaterMark: 0 },
  )
  const headers = { 'content-type': form === 'sse' ? 'text/event-stream' : 'application/json' }
  if (form !== 'gzip') return new Response(body, { headers })
  const gzipped = body.pipeThrough(new CompressionStream('gzip'))
  return new Response(gzipped, { headers: { ...headers, 'content-encoding': 'gzip' } })
}

/** What a proxy or a login wall puts in the way. */
export function htmlPage(status = 200): Response {
  const body = '<!doctype html><title>Sign in</title><p>Please sign in.'
  return new Response(body, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** A JSON-RPC error at the top of a reply. */
export function rpcErrorReply(id: unknown, code: number, message: string, data?: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

/** Each event's data, as a stream of server-sent events that then ends. */
export function eventStream(...messages: unknown[]): Response {
  const body = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const jsonHeaders: ResponseInit = { headers: { 'content-type': 'application/json' } }
