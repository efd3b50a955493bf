import { InputRequiredError } from '../errors.js'
import { type Dialogues, hookOf } from './dialogues/dialogues.js'
import { readRound } from './dialogues/input-required.js'
import { answerAll } from './dialogues/rounds.js'
import type { Questions } from './task-run.js'

/** What tasks ask is answered as what calls ask; only that a task whose question has no hook is not declined, but ended. */
export const createQuestions = (dialogues: Dialogues): Questions => ({
  answered: dialogues.invited,
  async answer(inputRequests, { tool, signal }) {
    const { questions } = readRound({ inputRequests })
    const lacking = questions.find(([, { method }]) => !dialogues.offers(method))
    if (!lacking) return answerAll(questions, { method: 'tools/call', tool, dialogues }, signal)
    const [, { method }] = lacking
    const hook = hookOf(method)
    throw new InputRequiredError(
      `The task of "${tool}" asks for input (${method}), and there is no hook "${hook}" to give it; pass one to connect`,
      { data: { reason: hook } },
    )
  },
})
