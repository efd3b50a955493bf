import { randomUUID } from 'node:crypto'
import { pollIntervalMs } from './legacy-tasks.js'
import type { Question } from './questions.js'
import { createRpcError } from './rpc-error.js'

type Params = Record<string, unknown>
type Answers = Record<string, Params>

export const tasksExtension = 'io.modelcontextprotocol/tasks'
export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const

/** What the work of a task gets of it. */
export interface TaskContext {
  signal: AbortSignal
  ask(questions: Record<string, Question>): Promise<Answers>
}

/**
 * The extension `io.modelcontextprotocol/tasks` of revision 2026-07-28, of which the SDK has nothing.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-tasks}
 */
export interface ModernTasks {
  /** Begins a task, and gives the result that says so. */
  begin(work: (context: TaskContext) => Promise<Params>): Params
  answer(method: (typeof taskMethods)[number], params: Params): Params
  stop(): void
}

interface Task {
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  createdAt: string
  /** `result` or `error` of a task that ended. */
  outcome: Params
  open: Map<string, { question: Question; settle(answer: Params): void }>
  stopping: AbortController
}

export function createModernTasks(): ModernTasks {
  const tasks = new Map<string, Task>()

  function describe(taskId: string, { status, createdAt }: Task): Params {
    return { taskId, status, createdAt, lastUpdatedAt: new Date().toISOString(), ttlMs: 60_000, pollIntervalMs }
  }

  function find(taskId: unknown): Task {
    const task = tasks.get(String(taskId))
    if (!task) throw createRpcError(-32602, `no such task: ${taskId}`)
    return task
  }

  async function run(task: Task, work: (context: TaskContext) => Promise<Params>): Promise<void> {
    const ask = (questions: Record<string, Question>) => askInTask(task, questions)
    const [status, outcome] = await work({ signal: task.stopping.signal, ask }).then(
      (result) => ['completed', { result }] as const,
      ({ code = -32603, message, data }) => ['failed', { error: { code, message, data } }] as const,
    )
    if (task.status !== 'cancelled') Object.assign(task, { status, outcome })
  }

  return {
    begin(work) {
      const taskId = randomUUID()
      const createdAt = new Date().toISOString()
      const task: Task = { status: 'working', createdAt, outcome: {}, open: new Map(), stopping: new AbortController() }
      tasks.set(taskId, task)
      void run(task, work)
      return { resultType: 'task', ...describe(taskId, task) }
    },
    answer(method, { taskId, inputResponses = {} }) {
      const task = find(taskId)
      if (method === 'tasks/get') {
        const inputRequests = Object.fromEntries([...task.open].map(([key, { question }]) => [key, question]))
        const asks = task.status === 'input_required' && { inputRequests }
        return { ...describe(String(taskId), task), ...task.outcome, ...asks }
      }
      if (method === 'tasks/cancel') {
        if (!['completed', 'failed'].includes(task.status)) task.status = 'cancelled'
        task.stopping.abort(new Error('the task was cancelled'))
      } else {
        // Of keys that nobody asked for, or that have their answer, nothing is taken.
        for (const [key, answer] of Object.entries(inputResponses as Answers)) task.open.get(key)?.settle(answer)
      }
      return {}
    },
    stop() {
      for (const { stopping } of tasks.values()) stopping.abort(new Error('the server stops'))
    },
  }
}

async function askInTask(task: Task, questions: Record<string, Question>): Promise<Answers> {
  task.status = 'input_required'
  const answers = Object.entries(questions).map(
    ([key, question]) =>
      new Promise<[string, Params]>((resolve) => {
        task.open.set(key, {
          question,
          settle(answer) {
            task.open.delete(key)
            resolve([key, answer])
          },
        })
      }),
  )
  const answered = Object.fromEntries(await Promise.all(answers))
  if (task.status === 'input_required') task.status = 'working'
  return answered
}
