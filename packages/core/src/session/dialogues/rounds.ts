import { delay, linkedSignal, onAbort } from '../../abort.js'
import { InputRequiredError, InvalidResponseError, withDetails } from '../../errors.js'
import type { JsonObject, Method } from '../../protocol.js'
import { connectionClosed } from '../../transport/http-transport.js'
import type { Deadline } from '../deadline.js'
import { type AskedMethod, type Dialogues, hookOf } from './dialogues.js'
import { maxRounds, readRound } from './input-required.js'
import { completeRequired } from './url-required.js'

export interface RoundsOptions {
  method: Method
  /** Of a call: the tool. */
  tool?: string | undefined
  dialogues: Dialogues
  deadline: Deadline
  setTimer(ms: number, run: () => void): () => void
  /** Fires when the connection is closed. */
  closing: AbortSignal
}

/** Milliseconds before a request is sent again that brings nothing new but the server's own state; doubled each time. */
const firstWaitMs = 1_000
const longestWaitMs = 30_000

/**
 * Sends a request, answers what the server asks meanwhile, and sends it again with the answers, until the result is
 * final. Each leg is a request of its own: a leg that asks has run nothing.
 *
 * @param send - Sends one leg, with these parameters.
 * @throws {InputRequiredError} `ERR_MCP_INPUT_REQUIRED` when it asks for what no hook gives, or the hook gave nothing.
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it asks without end, or not by the protocol.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr}
 */
export async function inRounds<Params extends object>(
  params: Params,
  send: (params: Params) => Promise<JsonObject>,
  options: RoundsOptions,
): Promise<JsonObject> {
  const { deadline, closing, setTimer } = options
  const ended = new AbortController()
  const stopWaiting = [
    onAbort(deadline.signal, () => ended.abort(deadline.signal.reason)),
    onAbort(closing, () => ended.abort(withDetails(connectionClosed(), { outcome: 'not-run' }))),
  ]
  let leg = params
  let urlsCompleted = false
  let waits = 0
  try {
    for (let round = 1; ; round++) {
      let result: JsonObject
      try {
        result = await send(leg)
      } catch (error) {
        // The server refused it until a person has been somewhere; when it says so again, that is its answer.
        if (urlsCompleted || !(await completeRequired(error, { ...options, signal: ended.signal }))) throw error
        urlsCompleted = true
        continue
      }
      if (result.resultType !== 'input_required') return result
      // An answer is a sign of life.
      deadline.progress()
      if (round > maxRounds) throw tooManyRounds(options)
      const { questions, requestState } = readRound(result)
      const state = requestState === undefined ? {} : { requestState }
      if (questions.length === 0) {
        await delay(Math.min(firstWaitMs * 2 ** waits++, longestWaitMs), ended.signal, setTimer)
        leg = { ...params, ...state }
      } else leg = { ...params, ...state, inputResponses: await answerAll(questions, options, ended.signal) }
      deadline.progress()
    }
  } finally {
    for (const stop of stopWaiting) stop()
  }
}

type Answering = Pick<RoundsOptions, 'method' | 'tool' | 'dialogues'>

/** The answers to all, by key. Nobody is asked in vain: what there is no hook for is found out first. */
export async function answerAll(
  questions: [string, { method: AskedMethod; params: JsonObject }][],
  answering: Answering,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { dialogues, tool } = answering
  const unanswerable = questions.find(([, { method }]) => method !== 'elicitation/create' && !dialogues.offers(method))
  if (unanswerable) throw inputRequired(answering, unanswerable[1].method)
  const all = linkedSignal(signal)
  try {
    const answers = await Promise.all(
      questions.map(async ([key, { method, params }]) => {
        const answer = await dialogues.answer({ method, params, tool, signal: all.signal })
        if ('refused' in answer) throw inputRequired(answering, method, answer.refused)
        return [key, answer.result] as const
      }),
    )
    return Object.fromEntries(answers)
  } finally {
    all.end()
  }
}

const named = ({ tool, method }: Answering) => (tool === undefined ? method : `"${tool}"`)

function inputRequired(
  answering: Answering,
  method: AskedMethod,
  refused?: { message: string; cause?: unknown },
): InputRequiredError {
  const hook = hookOf(method)
  const why = refused
    ? `which the hook "${hook}" did not give: ${refused.message}`
    : `and there is no hook "${hook}" to give it; pass one to connect`
  return new InputRequiredError(`${named(answering)} asks for input (${method}), ${why}`, {
    ...(refused?.cause !== undefined && { cause: refused.cause }),
    data: { reason: hook, outcome: 'not-run' },
  })
}

const tooManyRounds = (answering: Answering) =>
  new InvalidResponseError(
    `${named(answering)} asked for input again after ${maxRounds} rounds of answers, and gets no more`,
    { data: { reason: 'rounds', limit: maxRounds, outcome: 'not-run' } },
  )
