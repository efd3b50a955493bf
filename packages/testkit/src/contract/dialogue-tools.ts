import { logger, logLevels, type WorkingTool } from './fixtures.js'
import { type QuestionKind, questionKinds, questions, visitId, visitUrl } from './questions.js'
import { createRpcError } from './rpc-error.js'
import type { Stage } from './stage.js'
import { type ContractTool, object, text } from './tools.js'

const urlElicitationRequired = -32042

/** Tools that talk to their client while they run. */
export function createDialogueTools(
  stage: Stage,
): Pick<Record<WorkingTool, ContractTool>, 'ask' | 'visit' | 'log' | 'task' | 'task-or-not'> {
  const work: ContractTool['run'] = async ({ ask, end = 'well' }, context) => {
    const answers = ask ? await context.ask({ form: questions.form }) : {}
    await stage.hold('task', context.signal)
    if (end === 'rpc-error') throw createRpcError(-32050, 'the work is refused')
    return { content: [text(JSON.stringify(answers))], ...(end === 'error' && { isError: true }) }
  }
  const taskInput = object({ ask: { type: 'boolean' }, end: { enum: ['well', 'error', 'rpc-error'] } }, [])
  return {
    ask: {
      description: 'Asks the client, and tells what it answered: in turn, or all at once.',
      inputSchema: object({ kinds: { type: 'array', items: { enum: questionKinds } }, together: { type: 'boolean' } }, [
        'kinds',
      ]),
      async run({ kinds, together = false }, { ask }) {
        const wanted = kinds as QuestionKind[]
        const rounds = together ? [wanted] : wanted.map((kind) => [kind])
        const answers: Record<string, unknown> = {}
        for (const round of rounds)
          Object.assign(answers, await ask(Object.fromEntries(round.map((kind) => [kind, questions[kind]]))))
        return { content: [text(JSON.stringify(answers))] }
      },
    },
    visit: {
      description: 'Works when the user has been somewhere.',
      inputSchema: object({}),
      async run(_args, { era, ask }) {
        if (era === 'modern') return { content: [text(JSON.stringify(await ask({ url: questions.url })))] }
        const elicitation = { mode: 'url', elicitationId: visitId, url: visitUrl, message: 'Please sign in.' }
        if (!stage.visited)
          throw createRpcError(urlElicitationRequired, 'Sign in first.', { elicitations: [elicitation] })
        return { content: [text('been there')] }
      },
    },
    log: {
      description: 'Says something at each level.',
      inputSchema: object({}),
      async run(_args, context) {
        for (const level of logLevels) await context.log({ level, logger, data: { level, said: true } })
        return { content: [text('said')] }
      },
    },
    task: {
      description: 'Works until it is let go; only as a task.',
      inputSchema: taskInput,
      execution: { taskSupport: 'required' },
      run: work,
    },
    'task-or-not': {
      description: 'Works until it is let go.',
      inputSchema: taskInput,
      execution: { taskSupport: 'optional' },
      run: work,
    },
  }
}
