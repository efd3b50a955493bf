import type { TransportSendOptions } from '@modelcontextprotocol/client'
import { onAbort, untilAborted } from '../abort.js'
import { DisconnectedError, fromErrorData, McpError, toErrorData, withDetails } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import type { Endpoint } from './endpoint.js'
import { cancelMs, connectionClosed, graceMs, type HttpTransport, type TransportOptions } from './http-transport.js'
import { isReply, isRequest, type JsonRpcMessage, toReply } from './json-rpc.js'
import { createProgressGate } from './progress.js'
import { createQuestions } from './questions.js'

/** One stream for all that a server says, and a way to tell it something. */
export interface MessageStream {
  /** Resolves, with why, when nothing more will come; never rejects. */
  ended: Promise<unknown>
  /**
   * Sends one message, and resolves when it was taken.
   *
   * @returns The reply, where it came by the way that the message went.
   */
  post(message: JsonRpcMessage, options: PostOptions): Promise<JsonRpcMessage | undefined>
  /** Ends the stream, and resolves when nothing of it is left. */
  close?(): Promise<void>
}

export interface PostOptions {
  headers: TransportSendOptions['headers']
  signal: AbortSignal
}

export interface StreamListener {
  onMessage(message: JsonRpcMessage): void
  /**
   * Something came that can't be taken.
   *
   * @param id - Of the request that it was the reply to. Default: it was the reply of the only one that waits, or of
   *   nobody knows which.
   */
  onUnreadable(error: McpError, id?: string | number): void
}

/** A request whose reply is still out. */
interface Pending {
  message: JsonRpcMessage
  answer(): void
  abort: AbortController
}

/** A server can write as many as it likes; further ones are not told. */
const maxToldUnreadable = 20

/**
 * The protocol engine's transport over one stream of messages. When the stream ends, every reply that is still out is
 * lost, and so is the connection.
 *
 * @param open - Opens the stream; the signal fires when the connection is closed.
 */
export function createStreamTransport(
  open: (signal: AbortSignal, listener: StreamListener) => Promise<MessageStream>,
  { setTimer }: Pick<Endpoint, 'setTimer'>,
  options: TransportOptions,
): HttpTransport {
  const { onReply, onStrayProgress, report } = options
  /** By id as text: servers send it back as either. */
  const pending = new Map<string, Pending>()
  const progress = createProgressGate()
  const sending = new Set<Promise<void>>()
  /** Fires, with the reason, when nothing can come or go any more. */
  const ended = new AbortController()
  let opened: Promise<MessageStream> | undefined
  let stream: MessageStream | undefined
  let tellLost = (_error: McpError) => {}
  const lost = new Promise<McpError>((resolve) => {
    tellLost = resolve
  })

  function receive(message: JsonRpcMessage): void {
    if (message.method !== undefined) questions.receive(message)
    // Some servers know no id when they refuse: it is clear whose it is where only one waits.
    else settle(message.id == null ? onlyPending() : pending.get(String(message.id)), message)
  }

  function onlyPending(): Pending | undefined {
    return pending.size === 1 ? [...pending.values()][0] : undefined
  }

  function settle(request: Pending | undefined, received: JsonRpcMessage): void {
    if (!request) return
    const { message, answer, abort } = request
    progress.end(message.id)
    try {
      const reply = toReply(received, message.id)
      deliver(onReply ? onReply(reply, message.method!) : reply)
      answer()
    } catch (error) {
      abort.abort(error)
    }
  }

  function deliver(message: JsonRpcMessage): void {
    if (progress.passes(message))
      transport.onmessage?.(message as Parameters<NonNullable<HttpTransport['onmessage']>>[0])
    else if (message.params) onStrayProgress?.(message.params as JsonObject)
  }

  const questions = createQuestions(deliver, options)

  let unreadable = 0
  function onUnreadable(error: McpError, id?: string | number): void {
    const isTold = ++unreadable <= maxToldUnreadable
    if (isTold)
      report?.({ code: 'unreadable-message', message: `A message of the server was left out: ${error.message}` })
    const request = id === undefined ? onlyPending() : pending.get(String(id))
    request?.abort.abort(error)
  }

  async function start(): Promise<MessageStream> {
    stream = await open(ended.signal, { onMessage: receive, onUnreadable })
    stream.ended.then(async (error) => {
      if (ended.signal.aborted) return
      ended.abort(error)
      await Promise.allSettled(sending)
      tellLost(ownError(error))
    })
    return stream
  }

  async function sendMessage(message: JsonRpcMessage, options: TransportSendOptions): Promise<void> {
    if (!stream || ended.signal.aborted) throw withDetails(connectionClosed(), { outcome: 'not-run' })
    const abort = new AbortController()
    const stopWaiting = [
      onAbort(options.requestSignal, () => abort.abort(options.requestSignal?.reason)),
      onAbort(ended.signal, () => abort.abort(ownError(ended.signal.reason))),
    ]
    let replied = false
    let cancelTimer = () => {}
    const id = isRequest(message) ? String(message.id) : undefined
    const answered = new Promise<void>((resolve) => {
      const answer = () => {
        replied = true
        // Some servers end the POST only after the reply, or never.
        cancelTimer = setTimer(graceMs, () => abort.abort())
        resolve()
      }
      if (id !== undefined) pending.set(id, { message, answer, abort })
    })
    progress.begin(message)
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    progress.end(cancelled)
    if (cancelled !== undefined) cancelTimer = setTimer(cancelMs, () => abort.abort())
    try {
      const reply = await stream.post(message, { headers: options.headers, signal: abort.signal })
      if (reply) settle(pending.get(String(message.id)), reply)
      if (id !== undefined) await untilAborted(abort.signal, answered)
    } catch (error) {
      // Whatever breaks after the reply is no longer this request's affair.
      if (!replied) throw McpError.is(error) ? withDetails(error, { method: message.method! }) : error
    } finally {
      if (id !== undefined) pending.delete(id)
      if (isReply(message)) questions.end(message.id)
      progress.end(id)
      cancelTimer()
      for (const stop of stopWaiting) stop()
      // The engine has given up the request that was cancelled.
      pending.get(String(cancelled))?.abort.abort()
    }
  }

  const transport: HttpTransport = {
    async start() {
      opened ??= start()
      await opened
    },
    send(message, options = {}) {
      const sent = sendMessage(message as JsonRpcMessage, options)
      sending.add(sent)
      const forget = () => void sending.delete(sent)
      sent.then(forget, forget)
      return sent
    },
    // No header of these transports: a server's CORS list need not have it.
    setProtocolVersion() {},
    // The one stream carries everything anyway.
    listenToServer() {},
    heard: () => 1,
    // Its session is its stream.
    leave() {},
    onLost: (listener) => void lost.then(listener),
    close: () => (closedOnce ??= close()),
  }
  let closedOnce: Promise<void> | undefined
  async function close(): Promise<void> {
    ended.abort(connectionClosed())
    const closing = await opened?.catch(() => undefined)
    await closing?.close?.()
    transport.onclose?.()
  }
  return transport
}

/** Each call gets an error of its own: what it was about is filled in on its way up. */
function ownError(error: unknown): McpError {
  const own = fromErrorData(toErrorData(error))
  return McpError.is(own) ? own : new DisconnectedError('The connection was lost', { cause: error })
}
