import type { Question } from './questions.js'
import { createRpcError } from './rpc-error.js'

type Params = Record<string, unknown>
type Answers = Record<string, Params>

/** Characters that a client which reads, trims or re-encodes the state would change. */
const [before, after] = ['\u0001 "ü\u2028', '%2F\\u0041\n ']

/** What a call asks of its client in rounds, as revision 2026-07-28 has it: the server itself remembers nothing. */
export interface Rounds {
  /** The answers, where the client sent them; otherwise it throws, and `inputRequired` makes the result of that. */
  ask(questions: Record<string, Question>): Promise<Answers>
  /** Whether the call goes on where an earlier round ended. */
  continued: boolean
}

/**
 * @param inputResponses - Of the request, as of now.
 * @param requestState - Of the request: the answers of all rounds before it.
 */
export function createRounds(inputResponses: Answers, requestState: unknown): Rounds {
  const answers = { ...decode(requestState), ...inputResponses }
  return {
    continued: requestState !== undefined,
    async ask(questions) {
      const open = Object.entries(questions).filter(([key]) => !(key in answers))
      if (open.length > 0) throw new InputRequired(Object.fromEntries(open), answers)
      return Object.fromEntries(Object.keys(questions).map((key) => [key, answers[key]!]))
    },
  }
}

class InputRequired extends Error {
  override name = 'InputRequired'
  constructor(
    readonly questions: Record<string, Question>,
    readonly answers: Answers,
  ) {
    super('the client has to answer first')
  }
}

/** The result that asks, where the call ended because it has to; anything else is thrown on. */
export function inputRequired(error: unknown): Params {
  if (!(error instanceof InputRequired)) throw error
  const requestState = `${before}${JSON.stringify(error.answers)}${after}`
  return { resultType: 'input_required', inputRequests: error.questions, requestState }
}

function decode(state: unknown): Answers {
  if (state === undefined) return {}
  if (typeof state !== 'string' || !state.startsWith(before) || !state.endsWith(after))
    throw createRpcError(-32602, 'requestState is not what the client was given')
  return JSON.parse(state.slice(before.length, -after.length)) as Answers
}
