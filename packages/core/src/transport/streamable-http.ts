import type { Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { onAbort } from '../abort.js'
import type { McpError } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { hiddenSessionError } from './cors.js'
import { discard, type Endpoint, nextExchange, send, wireReport } from './endpoint.js'
import { exchange } from './exchange.js'
import { cancelMs, connectionClosed, type HttpTransport, type TransportOptions } from './http-transport.js'
import { isReply, isRequest, type JsonRpcMessage } from './json-rpc.js'
import { createProgressGate } from './progress.js'
import { createQuestions } from './questions.js'
import type { Refusal } from './refusal.js'
import { modernHeaders } from './request-headers.js'
import { createServerStream } from './server-stream.js'
import { blamesSession, sessionLost } from './session-lost.js'

/** First revision without sessions. */
const modernSince = '2026-07-28'
/** Milliseconds that ending a session may take. */
const endSessionMs = 2_000

/**
 * Streamable HTTP as the protocol engine's transport, for one connection; every connect takes a new one.
 *
 * `send()` of a request stays pending until its exchange has ended, so that whatever ends it (a cut stream, a size
 * cap, a refusal) rejects exactly that request, with our own error. `sessionId` stays private: the engine skips its
 * handshake for a transport that shows one.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http}
 */
export function createStreamableHttp(endpoint: Endpoint, options: TransportOptions = {}): HttpTransport {
  const { onReply, onRefused, onStrayProgress, report = () => {} } = options
  const requests = new Map<string | number, AbortController>()
  const progress = createProgressGate()
  const closing = new AbortController()
  let protocolVersion: string | undefined
  let sessionId: string | undefined
  let sessionMayBeHidden = false
  let sessionIsGone = false
  let tellLost = (_error: McpError) => {}
  const lost = new Promise<McpError>((resolve) => {
    tellLost = resolve
  })
  const isModern = () => protocolVersion !== undefined && protocolVersion >= modernSince

  const receive = (message: JsonRpcMessage) => {
    if (progress.passes(message)) transport.onmessage?.(message as Parameters<NonNullable<Transport['onmessage']>>[0])
    else if (message.params) onStrayProgress?.(message.params as JsonObject)
  }
  const questions = createQuestions(receive, options)
  const versionHeaders = (): Record<string, string> => ({
    ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId && { 'mcp-session-id': sessionId }),
  })

  async function sendMessage(message: JsonRpcMessage, options: TransportSendOptions = {}): Promise<void> {
    const abort = new AbortController()
    const stopWaiting = [
      onAbort(options.requestSignal, () => abort.abort(options.requestSignal?.reason)),
      onAbort(closing.signal, () => abort.abort(connectionClosed())),
    ]
    const id = isRequest(message) ? message.id! : undefined
    if (id !== undefined) {
      requests.set(id, abort)
      progress.begin(message)
    }
    const endCancelled = message.method === 'notifications/cancelled' ? cancellation(message, abort) : undefined
    try {
      await exchange(endpoint, {
        message,
        headers: { ...versionHeaders(), ...(isModern() && modernHeaders(message)), ...options.headers },
        abort,
        resumeHeaders: () => (isModern() ? undefined : versionHeaders()),
        onResponse(response) {
          if (message.method !== 'initialize') return
          sessionId = response.headers.get('mcp-session-id') ?? undefined
          sessionMayBeHidden = !sessionId && response.type === 'cors'
        },
        onRefusal(status, refusal) {
          if (message.method === 'initialize') onRefused?.({ status, text: refusal?.text ?? '' })
          return sessionRefusal(message, status, refusal)
        },
        onMessage(received) {
          if (!isReply(received)) return questions.receive(received, message)
          progress.end(id)
          receive(onReply && message.method ? onReply(received, message.method) : received)
        },
      })
    } catch (error) {
      questions.giveUp(id)
      if (!options.requestSignal?.aborted) options.onRequestStreamEnd?.()
      throw error
    } finally {
      if (id !== undefined) requests.delete(id)
      if (isReply(message)) questions.end(message.id)
      progress.end(id)
      for (const stop of stopWaiting) stop()
      endCancelled?.()
    }
    if (id !== undefined) options.onRequestStreamEnd?.()
  }

  /** What a refusal tells of the session. */
  function sessionRefusal({ method }: JsonRpcMessage, status: number, refusal?: Refusal): McpError | undefined {
    if (sessionMayBeHidden && method === 'notifications/initialized' && (status === 400 || status === 404))
      return hiddenSessionError()
    if (!sessionId || method === 'initialize' || !blamesSession(status, refusal)) return undefined
    sessionIsGone = true
    return sessionLost(status)
  }

  /** A legacy server is told of a cancellation by a notification; after that the request's response is closed too. */
  function cancellation(message: JsonRpcMessage, notification: AbortController): () => void {
    const id = message.params?.requestId as string | number
    const request = requests.get(id)
    progress.end(id)
    questions.giveUp(id)
    const cancelTimer = endpoint.setTimer(cancelMs, () => notification.abort())
    return () => {
      cancelTimer()
      request?.abort()
    }
  }

  async function endSession(onSent: () => void, keepalive = false): Promise<void> {
    if (!sessionId || sessionIsGone) return onSent()
    const abort = new AbortController()
    const cancelTimer = endpoint.setTimer(endSessionMs, () => abort.abort())
    const number = nextExchange()
    const headers = versionHeaders()
    sessionId = undefined
    try {
      const { signal } = abort
      discard(await send(endpoint, { exchange: number, httpMethod: 'DELETE', headers, signal, onSent, keepalive }))
    } catch {
      // The server may refuse (405) or be gone: the session ends there by itself.
    } finally {
      cancelTimer()
      onSent()
      wireReport(endpoint, number, 'DELETE')({ phase: 'end' })
    }
  }

  async function close(): Promise<void> {
    let ended = Promise.resolve()
    // The session's end goes out first: a server that sees its streams cut may take the client for lost.
    await new Promise<void>((resolve) => {
      ended = endSession(resolve)
    })
    closing.abort()
    serverStream.want(false)
    await ended
    transport.onclose?.()
  }
  let closedOnce: Promise<void> | undefined

  function onNotFound(): void {
    if (!sessionId || closing.signal.aborted) return
    sessionIsGone = true
    tellLost(sessionLost(404))
  }

  const serverStream = createServerStream({
    endpoint,
    headers: versionHeaders,
    onMessage: questions.receive,
    report,
    onNotFound,
    ...(options.onHeard && { onOpened: options.onHeard }),
  })
  const transport: HttpTransport = {
    hasPerRequestStream: true,
    heard: serverStream.heard,
    listenToServer: (wanted) => serverStream.want(wanted && !isModern() && !closing.signal.aborted),
    // Every request has an exchange of its own: one that is cut loses no other. What can be lost is the session.
    onLost: (listener) => void lost.then(listener),
    leave: () => void endSession(() => {}, true),
    async start() {},
    send: (message, options) => sendMessage(message as JsonRpcMessage, options),
    setProtocolVersion(version) {
      protocolVersion = version
    },
    close: () => (closedOnce ??= close()),
  }
  return transport
}
