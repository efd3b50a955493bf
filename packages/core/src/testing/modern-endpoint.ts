import type { JsonObject, LogLevel } from '../protocol.js'
import { createCall } from './call.js'
import type { Endpoint, EndpointParts, Incoming, News } from './endpoint.js'
import { createEventBody, type EventBody } from './event-body.js'
import { type AnswerMethod, isKept } from './methods.js'
import { checkModernRequest } from './modern-headers.js'
import { createModernRuns, modernStatus } from './modern-runs.js'
import { errorResponse, objectOf, type RequestId, RpcError } from './rpc.js'

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

interface Listener {
  id: RequestId
  filter: JsonObject
  events: EventBody
}

interface ModernParts extends EndpointParts {
  answerMethod: AnswerMethod
  /** Milliseconds for which discovery, lists and resources may be kept. */
  ttlMs: number
  schemaOf(tool: string): JsonObject | undefined
}

/** Revision 2026-07-28: no sessions, a stream for who listens, questions in rounds. */
export function createModernEndpoint(parts: ModernParts): Endpoint {
  const { serverInfo, instructions, versions, capabilities, onHeard, answerMethod, ttlMs, schemaOf } = parts
  const runs = createModernRuns()
  const listeners = new Set<Listener>()
  const kept = { ttlMs, cacheScope: 'private' }

  function discover(): object {
    return {
      supportedVersions: versions,
      capabilities: capabilities(),
      ...(instructions !== undefined && { instructions }),
      ...kept,
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    }
  }

  function listen(id: RequestId, params: JsonObject, signal: AbortSignal): Response {
    const forget = () => void listeners.delete(listener)
    const listener: Listener = { id, filter: objectOf(params.notifications), events: createEventBody(forget) }
    signal.addEventListener('abort', forget, { once: true })
    listeners.add(listener)
    push(listener, 'subscriptions/acknowledged', { notifications: listener.filter })
    onHeard()
    return listener.events.response
  }

  function push({ id, events }: Listener, what: string, params: object): void {
    events.push({
      jsonrpc: '2.0',
      method: `notifications/${what}`,
      params: { ...params, _meta: { [subscriptionKey]: id } },
    })
  }

  function run(id: RequestId, method: string, params: JsonObject, signal: AbortSignal): Promise<Response> {
    const meta = objectOf(params._meta)
    return runs.answer(id, params, signal, async (running) => {
      const call = createCall({
        era: 'modern',
        meta,
        capabilities: objectOf(meta['io.modelcontextprotocol/clientCapabilities']),
        level: meta['io.modelcontextprotocol/logLevel'] as LogLevel | undefined,
        ...running,
      })
      const result = method === 'server/discover' ? discover() : await answerMethod(method, params, call)
      return { resultType: 'complete', ...(isKept(method) && kept), ...result }
    })
  }

  async function answer({ request, message, signal }: Incoming): Promise<Response> {
    if (request.httpMethod !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    const { id, method } = message
    if (method === undefined || id === undefined) return new Response(null, { status: 202 })
    const params = request.params ?? {}
    try {
      checkModernRequest(request, versions, method === 'tools/call' ? schemaOf(String(request.name)) : undefined)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const status = modernStatus(error.code)
      return errorResponse(status === 200 ? 400 : status, error, id)
    }
    return method === 'subscriptions/listen' ? listen(id, params, signal) : run(id, method, params, signal)
  }

  function tell(news: News): void {
    for (const listener of listeners) {
      const { filter } = listener
      if ('list' in news) {
        if (filter[`${news.list}ListChanged`] === true) push(listener, `${news.list}/list_changed`, {})
      } else if (Array.isArray(filter.resourceSubscriptions) && filter.resourceSubscriptions.includes(news.updated))
        push(listener, 'resources/updated', { uri: news.updated })
    }
  }

  return {
    answer,
    tell,
    forget() {},
    close() {
      runs.close()
      for (const { id, events } of listeners) {
        events.push({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [subscriptionKey]: id } } })
        events.end()
      }
      listeners.clear()
    },
  }
}
