import type { TransportSendOptions } from '@modelcontextprotocol/client'
import { onAbort, untilAborted } from '../abort.js'
import { DisconnectedError, fromErrorData, McpError, toErrorData, withDetails } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { discard, type Endpoint, nextExchange, send, wireReport } from './endpoint.js'
import { statusError } from './http-error.js'
import { cancelMs, connectionClosed, graceMs, type HttpTransport, type TransportOptions } from './http-transport.js'
import { isReply, isRequest, type JsonRpcMessage, toReply } from './json-rpc.js'
import { createProgressGate } from './progress.js'
import { createQuestions } from './questions.js'
import { readRefusal } from './refusal.js'
import { blamesSession, sessionLost } from './session-lost.js'
import { openSseStream, type SseStream } from './sse-stream.js'

/** A request whose reply is still out. */
interface Pending {
  message: JsonRpcMessage
  answer(): void
  abort: AbortController
}

/**
 * HTTP+SSE, the transport of revision 2024-11-05: one event stream for all that the server says, and a POST for each
 * message, at the address that the stream's first event names. When the stream ends, every reply that is still out is
 * lost, and so is the connection.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse}
 */
export function createSse(endpoint: Endpoint, options: TransportOptions = {}): HttpTransport {
  const { onReply, onRefused, onStrayProgress, report } = options
  /** By id as text: servers send it back as either. */
  const pending = new Map<string, Pending>()
  const progress = createProgressGate()
  const sending = new Set<Promise<void>>()
  /** Fires, with the reason, when nothing can come or go any more. */
  const ended = new AbortController()
  let stream: SseStream | undefined
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

  /** What can't be read was the reply of the only request that waits for one, or of nobody knows which. */
  function onUnreadable(error: McpError): void {
    report?.({ code: 'unreadable-message', message: `A message of the server was left out: ${error.message}` })
    onlyPending()?.abort.abort(error)
  }

  async function start(): Promise<void> {
    stream = await openSseStream(endpoint, ended.signal, { onMessage: receive, onUnreadable })
    stream.ended.then(async (error) => {
      if (ended.signal.aborted) return
      ended.abort(error)
      await Promise.allSettled(sending)
      tellLost(ownError(error))
    })
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
        cancelTimer = endpoint.setTimer(graceMs, () => abort.abort())
        resolve()
      }
      if (id !== undefined) pending.set(id, { message, answer, abort })
    })
    progress.begin(message)
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    progress.end(cancelled)
    if (cancelled !== undefined) cancelTimer = endpoint.setTimer(cancelMs, () => abort.abort())
    try {
      await post({ ...endpoint, url: stream.messagesUrl }, message, options.headers, abort.signal)
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

  async function post(
    messages: Endpoint,
    message: JsonRpcMessage,
    headers: TransportSendOptions['headers'],
    signal: AbortSignal,
  ): Promise<void> {
    const number = nextExchange()
    let response: Response | undefined
    try {
      response = await send(messages, {
        exchange: number,
        httpMethod: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        message,
        signal,
      })
      if (response.ok) return
      if (!isRequest(message)) throw statusError(response, endpoint.now())
      const refusal = await readRefusal(response, endpoint.now(), signal)
      signal.throwIfAborted()
      if (message.method === 'initialize') onRefused?.({ status: response.status, text: refusal.text })
      // Its stream may look alive long after: nobody tells a machine that slept that the other end is gone.
      else if (blamesSession(response.status, refusal)) throw sessionLost(response.status)
      if (!refusal.reply) throw refusal.error
      settle(pending.get(String(message.id)), refusal.reply)
    } finally {
      if (response) discard(response)
      wireReport(endpoint, number, 'POST')({ phase: 'end' })
    }
  }

  const transport: HttpTransport = {
    start,
    send(message, options = {}) {
      const sent = sendMessage(message as JsonRpcMessage, options)
      sending.add(sent)
      const forget = () => void sending.delete(sent)
      sent.then(forget, forget)
      return sent
    },
    // No header of this transport: a server's CORS list need not have it.
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
    transport.onclose?.()
  }
  return transport
}

/** Each call gets an error of its own: what it was about is filled in on its way up. */
function ownError(error: unknown): McpError {
  const own = fromErrorData(toErrorData(error))
  return McpError.is(own) ? own : new DisconnectedError('The connection was lost', { cause: error })
}
