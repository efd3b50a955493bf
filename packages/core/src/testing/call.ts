import type { ElicitationResult, Era, JsonObject, LogLevel, Progress } from '../protocol.js'
import { missingCapability, objectOf, RpcError } from './rpc.js'

/** What a running tool, prompt or resource of a test server gets of its call. */
export interface TestCall {
  readonly era: Era
  /** Fires when the call is cancelled, in the era's way, and when the server is closed. */
  readonly signal: AbortSignal
  /** The request's `_meta`. */
  readonly meta: JsonObject
  /** Sends progress, where the client wants it. */
  progress(progress: Progress): void
  /** Sends a log message, where the client wants those of its level. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Asks the person at the client: on the call's stream (legacy), or in a round of its own (modern). The function goes on where it
   * was; it does not run anew for the answer.
   *
   * @throws Where the client has no such hook: {@link RpcError} -32021 in the modern era.
   */
  elicit(question: TestQuestion): Promise<ElicitationResult>
  /** Asks the client anything else: `sampling/createMessage`, `roots/list`. */
  ask(method: string, params?: JsonObject): Promise<JsonObject>
}

/** A form, or a page to be visited. */
export type TestQuestion =
  | { message: string; requestedSchema: JsonObject; _meta?: JsonObject }
  | { mode: 'url'; message: string; url: string; elicitationId?: string; _meta?: JsonObject }

/** What distinguishes the calls of one era from those of another. */
export interface CallParts extends Pick<TestCall, 'era' | 'signal' | 'meta'> {
  capabilities: JsonObject
  /** The least severe level that the client wants; none: no log messages. */
  level: LogLevel | undefined
  say(message: object): void
  ask(method: string, params: JsonObject): Promise<JsonObject>
}

const levels: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

export function createCall(parts: CallParts): TestCall {
  const { era, signal, meta, capabilities, level, say } = parts

  async function ask(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const missing = missingFor(method, params, capabilities)
    if (!missing) return parts.ask(method, params)
    const message = `The client has not declared what "${method}" needs`
    if (era === 'modern') throw new RpcError(missingCapability, message, { requiredCapabilities: missing })
    throw new Error(message)
  }

  return {
    era,
    signal,
    meta,
    progress(progress) {
      const { progressToken } = meta
      if (progressToken === undefined) return
      say({ method: 'notifications/progress', params: { progressToken, ...progress } })
    },
    log(of, data, logger) {
      if (level === undefined || levels.indexOf(of) < levels.indexOf(level)) return
      say({ method: 'notifications/message', params: { level: of, ...(logger !== undefined && { logger }), data } })
    },
    elicit: async (question) => (await ask('elicitation/create', { ...question })) as unknown as ElicitationResult,
    ask,
  }
}

/** The capabilities that a question needs and the client lacks. */
function missingFor(method: string, params: JsonObject, capabilities: JsonObject): JsonObject | undefined {
  if (method === 'elicitation/create') {
    const mode = params.mode === 'url' ? 'url' : 'form'
    const has = objectOf(capabilities.elicitation)
    // An empty object means forms: there was nothing else before there were modes.
    const isForm = mode === 'form' && capabilities.elicitation !== undefined && Object.keys(has).length === 0
    return isForm || has[mode] ? undefined : { elicitation: { [mode]: {} } }
  }
  const name = method === 'sampling/createMessage' ? 'sampling' : method === 'roots/list' ? 'roots' : undefined
  return name && capabilities[name] === undefined ? { [name]: {} } : undefined
}
