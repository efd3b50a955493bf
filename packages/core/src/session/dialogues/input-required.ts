import { InvalidResponseError } from '../../errors.js'
import type { JsonObject } from '../../protocol.js'
import { isObject } from './answer.js'
import { type AskedMethod, isAskedMethod } from './dialogues.js'

/** How often one request may be answered with a question. */
export const maxRounds = 10
/** Questions that one round may hold. */
const maxQuestions = 100
/** Characters of state that are carried back to the server with every leg. */
const maxStateLength = 1_048_576

export interface Round {
  /** By key. */
  questions: [string, { method: AskedMethod; params: JsonObject }][]
  requestState?: string
}

/**
 * Reads a result that asks for input.
 *
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it is not by the protocol, or more than can be meant.
 */
export function readRound(result: JsonObject): Round {
  const { inputRequests, requestState } = result
  if (requestState != null && typeof requestState !== 'string') throw malformed('its "requestState" is no string')
  if (requestState && requestState.length > maxStateLength)
    throw excessive(`a "requestState" of ${requestState.length} characters`, maxStateLength)
  if (inputRequests != null && !isObject(inputRequests)) throw malformed('its "inputRequests" are no object')
  const entries = Object.entries(inputRequests ?? {})
  if (entries.length > maxQuestions) throw excessive(`${entries.length} input requests at once`, maxQuestions)
  if (entries.length === 0 && requestState == null)
    throw malformed('it holds neither "inputRequests" nor "requestState"')
  return {
    questions: entries.map(([key, question]) => {
      const { method, params } = isObject(question) ? question : {}
      if (!isAskedMethod(method)) throw malformed(`it asks by a method that no client answers`)
      return [key, { method, params: isObject(params) ? params : {} }]
    }),
    ...(requestState != null && { requestState }),
  }
}

const malformed = (what: string) =>
  new InvalidResponseError(`The server asks for input, but not by the protocol: ${what}`, {
    data: { reason: 'shape', outcome: 'not-run' },
  })

const excessive = (what: string, limit: number) =>
  new InvalidResponseError(`The server asks for input with ${what}, and ${limit} are the most`, {
    data: { reason: 'too-much-input', limit, outcome: 'not-run' },
  })
