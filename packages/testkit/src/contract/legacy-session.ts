import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  type LoggingLevel,
  type Result,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { logLevels } from './fixtures.js'
import { type LegacyTasks, pollIntervalMs } from './legacy-tasks.js'
import type { AnswerMethod, MethodContext } from './methods.js'
import type { Offer } from './offer.js'
import { type Question, visitId } from './questions.js'
import { createRpcError } from './rpc-error.js'

type Params = Record<string, unknown>
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** What a session of an earlier revision has the server remember. */
export interface LegacySession {
  /** URIs of resources. */
  subscribed: Set<string>
  /** Log messages less severe than this are not sent. */
  level: LoggingLevel
}

export function createLegacySession(): LegacySession {
  return { subscribed: new Set(), level: 'debug' }
}

interface LegacyRequest {
  method: string
  params: Params
  extra: Extra
  session: LegacySession
  tasks: LegacyTasks
  offer: Offer
  answerMethod: AnswerMethod
}

const methodNotFound = -32601

/** Answers what the SDK leaves to its application. */
export async function answerLegacy(request: LegacyRequest): Promise<Result> {
  const { method, params, extra, session, answerMethod } = request
  switch (method) {
    case 'logging/setLevel':
      session.level = params.level as LoggingLevel
      return {}
    case 'resources/subscribe':
      session.subscribed.add(String(params.uri))
      return {}
    case 'resources/unsubscribe':
      session.subscribed.delete(String(params.uri))
      return {}
    case 'tools/call':
      if (isTask(request)) return beginTask(request)
  }
  return answerMethod(method, params, createContext(extra, session))
}

function createContext(extra: Extra, session: LegacySession, taskId?: string): MethodContext {
  return {
    era: 'legacy',
    signal: extra.signal,
    async progress(progress) {
      const progressToken = extra._meta?.progressToken
      if (progressToken === undefined) return
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } })
    },
    async log(message) {
      if (logLevels.indexOf(message.level) < logLevels.indexOf(session.level)) return
      await extra.sendNotification({ method: 'notifications/message', params: message })
    },
    async ask(questions) {
      // The SDK passes it on, but its types don't say so.
      const options = (taskId ? { relatedTask: { taskId } } : {}) as Parameters<Extra['sendRequest']>[2]
      const answers = Object.entries(questions).map(async ([key, question]) => {
        const request = { ...question, params: identified(question) } as ServerRequest
        return [key, await extra.sendRequest(request, ResultSchema, options)]
      })
      return Object.fromEntries(await Promise.all(answers))
    },
  }
}

/** These revisions want to know which visit it is. */
function identified({ params }: Question): Params {
  return { ...params, ...(params?.mode === 'url' && { elicitationId: visitId }) }
}

/** @throws -32601 where the tool and the client want it differently. */
function isTask({ params, offer }: LegacyRequest): boolean {
  const support = offer.tools.get(String(params.name))?.execution?.taskSupport
  const asked = params.task !== undefined
  if (asked ? support : support !== 'required') return asked
  throw createRpcError(methodNotFound, asked ? 'This tool runs as no task' : 'This tool runs as a task only')
}

async function beginTask({ params, extra, session, tasks, answerMethod }: LegacyRequest): Promise<Result> {
  const { ttl } = params.task as { ttl?: number }
  const task = await extra.taskStore!.createTask({ ttl: ttl ?? null, pollInterval: pollIntervalMs })
  const context = createContext(extra, session, task.taskId)
  void tasks.run(task.taskId, (signal) =>
    answerMethod('tools/call', params, {
      ...context,
      signal,
      async ask(questions) {
        const answers = await context.ask(questions)
        await tasks.store.updateTaskStatus(task.taskId, 'working')
        return answers
      },
    }),
  )
  return { task }
}
