import type { Json, JsonObject } from '../protocol.js'
import { createExchange, type Exchange } from './exchange.js'
import { headerMismatch, invalidParams, methodNotFound, objectOf, type RequestId, RpcError } from './rpc.js'

/** What a modern function is run with. */
export interface RunParts {
  signal: AbortSignal
  say(message: object): void
  ask(method: string, params: JsonObject): Promise<JsonObject>
}

export interface ModernRuns {
  /** Runs `work`, or goes on with the run that the request's `requestState` names. */
  answer(
    id: RequestId,
    params: JsonObject,
    signal: AbortSignal,
    work: (parts: RunParts) => Promise<object>,
  ): Promise<Response>
  close(): void
}

interface Asked {
  question: { method: string; params: JsonObject }
  resolve(answer: JsonObject): void
}

interface Run {
  /** The request that waits for it now; between two rounds none does. */
  exchange: Exchange
  work: Promise<object>
  readonly abort: AbortController
  /** What has no answer yet, by key. */
  readonly asked: Map<string, Asked>
  /** Asks for what is to be asked once nothing more is added to it. */
  soon(): void
}

/** HTTP 404 for what there is no method for, and 400 for what the specification's own codes say. */
export const modernStatus = (code: number): number => {
  if (code === methodNotFound) return 404
  return code <= headerMismatch && code >= headerMismatch - 2 ? 400 : 200
}

/**
 * Calls that may take several requests. A function that asks is not run again for the answer: it waits where it is, under the
 * `requestState` of its round.
 */
export function createModernRuns(): ModernRuns {
  const parked = new Map<Json, Run>()
  const running = new Set<Run>()
  let rounds = 0
  let keys = 0

  function askNow(run: Run): void {
    if (run.asked.size === 0 || run.exchange.isDone) return
    const requestState = `round-${++rounds}`
    parked.set(requestState, run)
    const inputRequests = Object.fromEntries([...run.asked].map(([key, { question }]) => [key, question]))
    run.exchange.finish({ resultType: 'input_required', inputRequests, requestState })
  }

  function begin(exchange: Exchange, work: (parts: RunParts) => Promise<object>, abort: AbortController): Run {
    let due = false
    const run: Run = {
      exchange,
      work: Promise.resolve({}),
      abort,
      asked: new Map(),
      soon() {
        if (due) return
        due = true
        queueMicrotask(() => {
          due = false
          askNow(run)
        })
      },
    }
    running.add(run)
    run.work = work({
      signal: abort.signal,
      say: (message) => run.exchange.say(message),
      ask: (method, params) =>
        new Promise((resolve, reject) => {
          abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
          run.asked.set(`question-${++keys}`, { question: { method, params }, resolve })
          run.soon()
        }),
    })
    const forget = () => void running.delete(run)
    run.work.then(forget, forget)
    return run
  }

  function resume(run: Run, exchange: Exchange, answers: JsonObject): void {
    run.exchange = exchange
    for (const [key, { resolve }] of run.asked) {
      if (!Object.hasOwn(answers, key)) continue
      run.asked.delete(key)
      resolve(objectOf(answers[key]))
    }
    run.soon()
  }

  return {
    answer(id, params, signal, work) {
      const { requestState } = params
      const known = requestState === undefined ? undefined : parked.get(requestState)
      const abort = known?.abort ?? new AbortController()
      const exchange = createExchange(id, modernStatus, signal, () => abort.abort(new Error('The client has left')))
      if (requestState !== undefined && !known) {
        exchange.fail(new RpcError(invalidParams, 'Unknown requestState'))
        return exchange.response
      }
      // No round is answered twice.
      if (requestState !== undefined) parked.delete(requestState)
      if (known) resume(known, exchange, objectOf(params.inputResponses))
      const run = known ?? begin(exchange, work, abort)
      run.work.then(exchange.finish, exchange.fail)
      return exchange.response
    },
    close() {
      for (const { abort } of running) abort.abort(new Error('The server was closed'))
    },
  }
}
