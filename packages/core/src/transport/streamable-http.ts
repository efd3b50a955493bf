import type { Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { onAbort } from '../abort.js'
import { DisconnectedError, HttpError } from '../errors.js'
import { discard, type Endpoint, nextExchange, send } from './endpoint.js'
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
  const isModern = () => protocolVersion !== undefined && protocolVersion >= modernSince

  const versionHeaders = (): Record<string, string> => ({
    ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId && { 'mcp-session-id': sessionId }),
  })

  async function sendMessage(message: JsonRpcMessage, options: TransportSendOptions = {}): Promise<void> {
    if (closing.signal.aborted) throw new DisconnectedError('The connection is closed')
    const abort = new AbortController()
    const stopWaiting = [options.requestSignal, closing.signal].map((signal) =>
      onAbort(signal, () => abort.abort(signal?.reason)),
    )
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
          if (message.method === 'initialize' && assigned) sessionId = assigned
          if (response.status === 404 && versionHeaders()['mcp-session-id'] && message.method !== 'initialize') {
            discard(response)
            throw sessionLost()
          }
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
    const cancelTimer = endpoint.setTimer(cancelMs, () => {
      request?.abort()
      notification.abort()
    })
    return () => {
      cancelTimer()
      request?.abort()
    }
  }

  async function endSession(): Promise<void> {
    if (!sessionId) return
    const abort = new AbortController()
    const cancelTimer = endpoint.setTimer(endSessionMs, () => abort.abort())
    try {
      const headers = versionHeaders()
      sessionId = undefined
      discard(await send(endpoint, { exchange: nextExchange(), httpMethod: 'DELETE', headers, signal: abort.signal }))
    } catch {
      // The server may refuse (405) or be gone: the session ends there by itself.
    } finally {
      cancelTimer()
    }
  }

  const transport: Transport = {
    hasPerRequestStream: true,
    async start() {},
    send: (message, options) => sendMessage(message as JsonRpcMessage, options),
    setProtocolVersion(version) {
      protocolVersion = version
    },
    async close() {
      if (closing.signal.aborted) return
      // The session's end goes out first: a server that sees its streams cut may take the client for lost.
      const ended = endSession()
      closing.abort(new DisconnectedError('The connection was closed'))
      await ended
      transport.onclose?.()
    },
  }
  return transport
}

function sessionLost(): HttpError {
  return new HttpError(
    'The server no longer knows this session (404): it restarted or the session expired; connect again',
    {
      data: { status: 404, reason: 'session' },
    },
  )
}
