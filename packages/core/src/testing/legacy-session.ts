import type { JsonObject, LogLevel } from '../protocol.js'
import type { EventBody } from './event-body.js'
import { type Message, type RequestId, RpcError } from './rpc.js'

/** What a legacy server keeps of one client. */
export interface LegacySession {
  readonly id: string
  readonly version: string
  /** The client's. */
  readonly capabilities: JsonObject
  level: LogLevel
  readonly subscribed: Set<string>
  /** The stream for what the server says by itself. */
  events?: EventBody
  /** Running requests. */
  readonly running: Map<RequestId, AbortController>
  /** Sends a question on a request's stream; its answer is a POST of its own. */
  ask(say: (message: object) => void, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** Takes an answer. */
  answered(message: Message): void
  end(reason: string): void
}

export function createLegacySession(id: string, version: string, capabilities: JsonObject): LegacySession {
  const asked = new Map<RequestId, { resolve(answer: JsonObject): void; reject(error: unknown): void }>()
  let questions = 0

  const session: LegacySession = {
    id,
    version,
    capabilities,
    level: 'debug',
    subscribed: new Set(),
    running: new Map(),
    ask: (say, method, params, signal) =>
      new Promise((resolve, reject) => {
        const questionId = `question-${++questions}`
        // Revision 2025-11-25 wants a visit to have a name.
        const visit = params.mode === 'url' && params.elicitationId === undefined && { elicitationId: questionId }
        asked.set(questionId, { resolve, reject })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        say({ id: questionId, method, params: { ...params, ...visit } })
      }),
    answered({ id: questionId, result, error }) {
      const waiting = questionId === undefined ? undefined : asked.get(questionId)
      if (questionId === undefined || !waiting) return
      asked.delete(questionId)
      if (error) waiting.reject(new RpcError(Number(error.code), String(error.message), error.data))
      else waiting.resolve(result ?? {})
    },
    end(reason) {
      for (const abort of session.running.values()) abort.abort(new Error(reason))
      session.events?.end()
    },
  }
  return session
}
