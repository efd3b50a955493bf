import type { Client } from '@modelcontextprotocol/client'
import { untilAborted } from '../../abort.js'
import type { ConnectOptions } from '../../config.js'
import type { Finding, JsonObject } from '../../protocol.js'
import type { Stopwatch } from '../stopwatch.js'
import { type Answer, type Asked, type Asking, methodNotFound, refuse } from './answer.js'
import { createCompletions, type Expected } from './completions.js'
import { answerElicitation } from './elicitation.js'
import { relatedTask, takeOrigin } from './origin.js'
import { answerRoots } from './roots.js'
import { answerSampling } from './sampling.js'

/** What a server may ask, and how the app's hooks answer. */
export interface Dialogues {
  /** What is told to servers: exactly what there are hooks for. */
  readonly capabilities: JsonObject
  /** Whether a server may ask at any time, so that it must be listened to. */
  readonly invited: boolean
  /** Lets an engine answer what its server asks. */
  prepare(client: Client): void
  /** Whether there is a hook for this method of a server's. */
  offers(method: string): boolean
  /** Answers one question. Rejects only with the signal's reason. */
  answer(question: Question): Promise<Answer>
  /** Listens for the completion of elicitations by URL. */
  expectCompletion(ids: string[]): Expected
}

export interface Question {
  method: string
  params: JsonObject
  /** The tool whose call asks. */
  tool?: string | undefined
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal
}

export interface DialoguesOptions {
  server: string
  hooks: ConnectOptions
  stopwatch: Pick<Stopwatch, 'uncounted'>
  report(finding: Finding): void
  /** The tool of a task, which is named by what is asked for the task's sake. */
  toolOf?(task: unknown): string | undefined
}

/** Hooks that may run at once. */
const maxOpen = 100

/** The hook that answers each method. */
const hookNames = {
  'elicitation/create': 'elicit',
  'sampling/createMessage': 'sample',
  'roots/list': 'roots',
} as const

export type AskedMethod = keyof typeof hookNames

export const isAskedMethod = (method: unknown): method is AskedMethod =>
  typeof method === 'string' && Object.hasOwn(hookNames, method)

/** The hook that would answer a method. */
export const hookOf = (method: AskedMethod) => hookNames[method]

export function createDialogues({ server, hooks, stopwatch, report, toolOf }: DialoguesOptions): Dialogues {
  const completions = createCompletions()
  let open = 0

  async function answer({ method, params, tool, signal }: Question): Promise<Answer> {
    const asking: Asking = {
      server,
      ...(tool !== undefined && { tool }),
      report,
      async ask<Value>(hook: () => Promise<Value>): Promise<Asked<Value>> {
        signal.throwIfAborted()
        // Also of those that were cancelled: the app is not told, and they stay before the person.
        if (open >= maxOpen) return { thrown: new Error(`${maxOpen} questions wait for an answer already`) }
        open++
        const settled = hook().then(
          (answer): Asked<Value> => ({ answer }),
          (thrown): Asked<Value> => ({ thrown }),
        )
        void settled.then(() => open--)
        // The time ends with the waiting: a dialogue that nobody waits for must not hold up the other deadlines.
        return stopwatch.uncounted(() => untilAborted(signal, settled))
      },
    }
    switch (method) {
      case 'elicitation/create':
        return { result: { ...(await answerElicitation(params, hooks, asking)) } }
      case 'sampling/createMessage':
        return answerSampling(params, hooks, asking)
      case 'roots/list':
        return answerRoots(hooks, asking)
      default:
        return refuse(methodNotFound, 'Method not found')
    }
  }

  const capabilities: JsonObject = {
    ...(hooks.elicit && { elicitation: { form: {}, url: {} } }),
    ...(hooks.sample && { sampling: { tools: {} } }),
    ...(hooks.roots && { roots: {} }),
  }
  return {
    capabilities,
    invited: Object.keys(capabilities).length > 0,
    offers: (method) => isAskedMethod(method) && hooks[hookNames[method]] !== undefined,
    answer,
    expectCompletion: completions.expect,
    prepare(client) {
      // As the fallback: a handler of the method's own would be kept from questions and answers that are only unusual.
      client.fallbackRequestHandler = async ({ method, params }, { mcpReq: { signal } }) => {
        const origin = takeOrigin(params)
        const tool = origin.tool ?? toolOf?.(relatedTask(origin.params))
        const answered = await answer({ method, params: origin.params, tool, signal })
        if ('result' in answered) return answered.result
        const { code, message } = answered.refused
        throw Object.assign(new Error(message), { code })
      }
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
        completions.complete(params.elicitationId),
      )
    },
  }
}
