import { onAbort, untilAborted } from '../abort.js'
import {
  errorClasses,
  InputRequiredError,
  InvalidResponseError,
  McpError,
  OutcomeUnknownError,
  TimeoutError,
} from '../errors.js'
import type { Era, JsonObject } from '../protocol.js'
import { connectionClosed } from '../transport/http-transport.js'
import { createDeadline, type Deadline } from './deadline.js'
import { explain } from './explain.js'
import type { SendOptions } from './link.js'
import { withReplay } from './replay.js'
import { isObject, outcomeOf, pollMs, readTask, type TaskState } from './task-state.js'

export interface FollowOptions {
  server: string
  limits: { pollIntervalMs: number; timeoutMs: number; maxPolls: number }
  setTimer(ms: number, run: () => void): () => void
  now(): number
  /** Fires when the connection is closed. */
  closing: AbortSignal
  send(method: string, params: object, options: SendOptions): Promise<JsonObject>
  questions: Questions
}

/** Who answers what a task asks. */
export interface Questions {
  /** Whether a legacy server can ask anything at all. */
  readonly answered: boolean
  /** The answers to `inputRequests`, by the same keys. */
  answer(inputRequests: JsonObject, context: { tool: string; signal: AbortSignal }): Promise<JsonObject>
}

export interface TaskRun {
  id: string
  /** What the server said when it made the task. */
  first: JsonObject
  era: Era
  tool: string
  /** Of the call. */
  deadline: Deadline
  meta: JsonObject | undefined
  onMessage(message: string): void
  /** Receives the listener for states that the server tells unasked. */
  onFollow(tell: (raw: JsonObject) => void): void
  /** Tells the server that nobody waits for the task any more. */
  cancel(): void
}

/** Polls in a row that may fail for a reason that passes. */
const maxFailures = 4
/** Questions of one task, over its life. */
const maxQuestions = 20

/**
 * Polls a task to its end and gives the result of its call. Its tool runs: every error says `unknown`, or `ran` where the
 * server says that the task has completed or failed.
 */
export async function followTask(run: TaskRun, options: FollowOptions): Promise<JsonObject> {
  const { id, era, tool, deadline, meta, onMessage, onFollow, cancel } = run
  const { server, limits, setTimer, now, closing, send, questions } = options
  const limit = createDeadline({
    signal: deadline.signal,
    timeoutMs: limits.timeoutMs,
    setTimer,
    now,
    what: `The task of "${tool}" on ${server}`,
    advice: 'the server was told to cancel it; raise tasks.timeoutMs',
  })
  const over = new AbortController()
  let reason: unknown
  let outcome: 'ran' | 'unknown' = 'unknown'
  let hasEnded = false
  const stop = (why: unknown) => {
    if (over.signal.aborted) return
    reason = why
    // A fixed text: the engine sends the reason's text to the server.
    over.abort('The client cancelled the request')
    if (!hasEnded) cancel()
  }
  const sendOptions: SendOptions = { signal: over.signal, ...(meta && { meta }) }
  const ask = (method: string, params: object = {}) => send(method, { taskId: id, ...params }, sendOptions)
  /** Of what the server may be told or asked twice. */
  const askAgain = (method: string, params?: object) =>
    withReplay(() => ask(method, params), { deadline: limit, setTimer, closing, repeatable: true })

  let noticed: TaskState | undefined
  let wake = () => {}
  onFollow((raw) => {
    const state = readTask(raw, id)
    if (state.message) onMessage(state.message)
    if (state.status === 'working') return
    noticed = state
    wake()
  })
  const stopWaiting = [
    onAbort(limit.signal, () => stop(limit.reason)),
    onAbort(closing, () => stop(connectionClosed())),
  ]
  try {
    return await toItsEnd()
  } catch (error) {
    // What stopped it says more than what the stop broke off.
    stop(error)
    throw withOutcome(reason, outcome)
  } finally {
    limit.end()
    for (const stopIt of stopWaiting) stopIt()
  }

  async function toItsEnd(): Promise<JsonObject> {
    let state = readTask(run.first, id)
    // What made a modern task does not hold what belongs to its status.
    let isWhole = era === 'legacy' || state.status === 'working'
    let waitMs = isWhole ? pollMs(state, limits.pollIntervalMs) : 0
    const answered = new Set<string>()
    let failures = 0
    for (let polls = 0; ; polls++) {
      if (state.message) onMessage(state.message)
      const result = isWhole ? await resultOf(state, answered) : undefined
      if (result) return result
      if (polls >= limits.maxPolls)
        throw new TimeoutError(
          `The task of "${tool}" on ${server} has not ended after ${polls} polls; it was cancelled there. Raise tasks.maxPolls`,
          { data: { reason: 'polls' } },
        )
      if (waitMs > 0 && !noticed) await pause(waitMs)
      try {
        state = noticed ?? readTask(await ask('tasks/get'), id)
        noticed = undefined
        isWhole = true
        failures = 0
        waitMs = pollMs(state, limits.pollIntervalMs)
      } catch (error) {
        if (over.signal.aborted || ++failures > maxFailures || !passes(error)) throw error
        waitMs = Math.max(pollMs(state, limits.pollIntervalMs) * 2 ** (failures - 1), retryAfterMs(error))
      }
    }
  }

  /** The result, of a task that has ended; undefined while it goes on. */
  async function resultOf(state: TaskState, answered: Set<string>): Promise<JsonObject | undefined> {
    switch (state.status) {
      case 'working':
        return undefined
      case 'input_required':
        return era === 'legacy' ? listen() : answer(state.raw.inputRequests, answered)
      case 'cancelled':
        hasEnded = true
        throw new OutcomeUnknownError(
          `The server cancelled the task of "${tool}"${state.message ? ` (${state.message.slice(0, 300)})` : ''}; it may have done a part of its work`,
          { data: { reason: 'task-cancelled' } },
        )
      default:
        hasEnded = true
        outcome = 'ran'
        return era === 'legacy' ? askAgain('tasks/result') : outcomeOf(state)
    }
  }

  /** A legacy server asks by requests of its own, on the stream of this one, and answers when the task has ended. */
  async function listen(): Promise<JsonObject | undefined> {
    if (!questions.answered)
      throw new InputRequiredError(
        `The task of "${tool}" asks for input, and there is no hook that gives it; pass "elicit", "sample" or "roots" to connect`,
      )
    try {
      return await ask('tasks/result')
    } catch (error) {
      if (over.signal.aborted || !passes(error)) throw error
      return undefined
    }
  }

  async function answer(inputRequests: unknown, answered: Set<string>): Promise<undefined> {
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key))
    // The server may need a while to see what it was answered.
    if (open.length === 0) return
    if (answered.size + open.length > maxQuestions)
      throw new InvalidResponseError(`The task of "${tool}" asks more than ${maxQuestions} questions`, {
        data: { reason: 'task' },
      })
    for (const [key] of open) answered.add(key)
    const inputResponses = await untilAborted(
      over.signal,
      questions.answer(Object.fromEntries(open), { tool, signal: over.signal }),
    )
    await askAgain('tasks/update', { inputResponses })
  }

  async function pause(ms: number): Promise<void> {
    let cancelTimer = () => {}
    const waiting = new Promise<void>((resolve) => {
      wake = resolve
      cancelTimer = setTimer(ms, resolve)
    })
    await untilAborted(over.signal, waiting).finally(cancelTimer)
  }
}

/** Whether a poll may fail in this way and the next one not: the network, a proxy, a server that is busy. */
function passes(error: unknown): boolean {
  if (!McpError.is(error)) return false
  const { reason, status = 0 } = error.data
  return reason === 'no-reply' || reason === 'network' || [429, 502, 503, 504].includes(status)
}

const retryAfterMs = (error: unknown) => (McpError.is(error) ? (error.data.retryAfterMs ?? 0) : 0)

/** The error with an outcome of its own: what refused a poll says nothing of the tool. */
function withOutcome(error: unknown, outcome: 'ran' | 'unknown'): McpError {
  const { code, message, data, cause } = explain(error, {})
  return new errorClasses[code](message, { data: { ...data, outcome }, cause })
}
