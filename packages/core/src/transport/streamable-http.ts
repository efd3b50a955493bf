import type { Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { onAbort } from '../abort.js'
import { DisconnectedError, HttpError } from '../errors.js'
import { hiddenSessionError } from './cors.js'
import { discard, type Endpoint, nextExchange, send, wireReport } from './endpoint.js'
import { exchange } from './exchange.js'
import { isRequest, type JsonRpcMessage } from './json-rpc.js'
import { modernHeaders } from './request-headers.js'

/** First revision without sessions. */
const modernSince = '2026-07-28'
/** Milliseconds that ending a session may take. */
const endSessionMs = 2_000
/** Milliseconds that a cancellation may take before the cancelled request's response is closed all the same. */
const cancelMs = 2_000

/**
 * Streamable HTTP as the protocol engine's transport, for one connection; every connect takes a new one.
 *
 * `send()` of a request stays pending until its exchange has ended, so that whatever ends it (a cut stream, a size
 * cap, a refusal) rejects exactly that request, with our own error. `sessionId` stays private: the engine skips its
 * handshake for a transport that shows one.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http}
 */
export function createStreamableHttp(endpoint: Endpoint): Transport {
  const requests = new Map<string | number, AbortController>()
  const closing = new AbortController()
  let protocolVersion: string | undefined
  let sessionId: string | undefined
  let sessionMayBeHidden = false
  const isModern = () => protocolVersion !== undefined && protocolVersion >= modernSince

  const versionHeaders = (): Record<string, string> => ({
    ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId && { 'mcp-session-id': sessionId }),
  })

  async function sendMessage(message: JsonRpcMessage, options: TransportSendOptions = {}): Promise<void> {
    const abort = new AbortController()
    const stopWaiting = [
      onAbort(options.requestSignal, () => abort.abort(options.requestSignal?.reason)),
      // An error of its own for each: what it was about is filled in on its way up.
      onAbort(closing.signal, () => abort.abort(closed())),
    ]
    const id = isRequest(message) ? message.id! : undefined
    if (id !== undefined) requests.set(id, abort)
    const endCancelled = message.method === 'notifications/cancelled' ? cancellation(message, abort) : undefined
    try {
      await exchange(endpoint, {
        message,
        headers: { ...versionHeaders(), ...(isModern() && modernHeaders(message)), ...options.headers },
        signal: abort.signal,
        onResponse(response) {
          const assigned = response.headers.get('mcp-session-id')
          if (message.method === 'initialize') {
            sessionId = assigned ?? undefined
            sessionMayBeHidden = !assigned && response.type === 'cors'
          }
          if (sessionMayBeHidden && message.method === 'notifications/initialized' && isRefusal(response.status))
            throw hiddenSessionError()
          if (response.status === 404 && sessionId && message.method !== 'initialize') throw sessionLost()
        },
        onMessage: (received) => transport.onmessage?.(received as Parameters<NonNullable<Transport['onmessage']>>[0]),
      })
    } catch (error) {
      if (!options.requestSignal?.aborted) options.onRequestStreamEnd?.()
      throw error
    } finally {
      if (id !== undefined) requests.delete(id)
      for (const stop of stopWaiting) stop()
      endCancelled?.()
    }
    if (id !== undefined) options.onRequestStreamEnd?.()
  }

  /** A legacy server is told of a cancellation by a notification; after that the request's response is closed too. */
  function cancellation(message: JsonRpcMessage, notification: AbortController): () => void {
    const request = requests.get(message.params?.requestId as string | number)
    const cancelTimer = endpoint.setTimer(cancelMs, () => notification.abort())
    return () => {
      cancelTimer()
      request?.abort()
    }
  }

  async function endSession(onSent: () => void): Promise<void> {
    if (!sessionId) return onSent()
    const abort = new AbortController()
    const cancelTimer = endpoint.setTimer(endSessionMs, () => abort.abort())
    const number = nextExchange()
    const headers = versionHeaders()
    sessionId = undefined
    try {
      discard(await send(endpoint, { exchange: number, httpMethod: 'DELETE', headers, signal: abort.signal, onSent }))
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
    await ended
    transport.onclose?.()
  }
  let closedOnce: Promise<void> | undefined

  const transport: Transport = {
    hasPerRequestStream: true,
    async start() {},
    send: (message, options) => sendMessage(message as JsonRpcMessage, options),
    setProtocolVersion(version) {
      protocolVersion = version
    },
    close: () => (closedOnce ??= close()),
  }
  return transport
}

/** How servers answer a request that lacks its session. */
const isRefusal = (status: number) => status === 400 || status === 404

const closed = () => new DisconnectedError('The connection was closed')

function sessionLost(): HttpError {
  return new HttpError(
    'The server no longer knows this session (404): it restarted or the session expired; connect again',
    {
      data: { status: 404, reason: 'session' },
    },
  )
}
