import { InvalidResponseError, reportError } from '../errors.js'
import type { Era, JsonObject, Progress } from '../protocol.js'
import { cancelMs } from '../transport/http-transport.js'
import type { Deadline } from './deadline.js'
import type { SendOptions } from './link.js'
import { type FollowOptions, followTask } from './task-run.js'
import { isObject, readTaskId } from './task-state.js'

export interface TasksOptions extends FollowOptions {
  /** A timer that goes on while a person is asked. */
  setRealTimer(ms: number, run: () => void): () => void
  /** Whether the server takes `tasks/cancel`. */
  cancels(): boolean
}

/** A call of a tool that may become a task. */
export interface TaskCall {
  params: { name: string; arguments?: JsonObject }
  options: SendOptions
  deadline: Deadline
  /** Whether the server is asked to make a task of it, as earlier revisions want it. */
  augmented: boolean
}

type SendCall = (params: object, options: SendOptions) => Promise<JsonObject>

export interface Tasks {
  /** Makes a call and gives its result: the task's, where the server makes one of it. */
  run(call: TaskCall, send: SendCall): Promise<JsonObject>
  /** Takes progress that no request waits for: a task's token outlives the request that made it. */
  onProgress(params: JsonObject): void
  /** Takes what `notifications/tasks/status` says. */
  onStatus(params: JsonObject): void
  /** The tool of a task that runs, by the task's id. */
  toolOf(task: unknown): string | undefined
  /** Cancellations that are on their way to the server; undefined when there are none. */
  cancelling(): Promise<unknown> | undefined
}

/** Milliseconds for which a server is asked to keep a result after the task's own time. */
const keepMs = 60_000

/**
 * Tasks as calls: made, polled, asked and ended here, so that a call gives its result whether it ran as a task or not. A
 * task that is not followed to its end is cancelled.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks}
 * @see {@link https://modelcontextprotocol.io/extensions/tasks/overview}
 */
export function createTasks(options: TasksOptions): Tasks {
  const { limits, setRealTimer, send, cancels } = options
  const running = new Map<string, { tool: string; tell(raw: JsonObject): void }>()
  const tokens = new Map<string, (progress: Progress) => void>()
  const cancellations = new Set<Promise<void>>()
  let lastToken = 0

  async function run({ params, options, deadline, augmented }: TaskCall, sendCall: SendCall): Promise<JsonObject> {
    const { onProgress, meta } = options
    const progress = createProgress(onProgress)
    const follow = (made: unknown, era: Era) =>
      followOnce(isObject(made) ? made : {}, era, { tool: params.name, deadline, meta, onMessage: progress.say })
    if (!augmented) {
      const result = await sendCall(params, { ...options, ...(onProgress && { onProgress: progress.tell }) })
      return result.resultType === 'task' ? follow(result, 'modern') : result
    }
    // The engine's own token would end with the reply that names the task.
    const progressToken = `task-${++lastToken}`
    if (onProgress) tokens.set(progressToken, progress.tell)
    try {
      const { onProgress: _, ...unwatched } = options
      const { task, ...result } = await sendCall(
        { ...params, task: { ttl: limits.timeoutMs + keepMs } },
        { ...unwatched, ...(onProgress && { meta: { ...meta, progressToken } }) },
      )
      // A server may run it at once all the same.
      return task === undefined ? result : await follow(task, 'legacy')
    } finally {
      tokens.delete(progressToken)
    }
  }

  type Followed = Pick<Parameters<typeof followTask>[0], 'tool' | 'deadline' | 'meta' | 'onMessage'>

  async function followOnce(first: JsonObject, era: Era, call: Followed): Promise<JsonObject> {
    const id = readTaskId(first)
    if (running.has(id))
      throw new InvalidResponseError('The server gave two tasks one id', { data: { reason: 'task' } })
    try {
      const onFollow = (tell: (raw: JsonObject) => void) => running.set(id, { tool: call.tool, tell })
      return await followTask({ ...call, id, first, era, onFollow, cancel: () => cancel(id) }, options)
    } finally {
      running.delete(id)
    }
  }

  /** Told once, and not waited for by the call: who gave up has no use for the answer. */
  function cancel(taskId: string): void {
    if (!cancels()) return
    const abort = new AbortController()
    const cancelTimer = setRealTimer(cancelMs, () => abort.abort('The client cancelled the request'))
    const sent = send('tasks/cancel', { taskId }, { signal: abort.signal })
      // It may have ended meanwhile, or the network is what failed.
      .then(undefined, () => {})
      .then(() => {
        cancelTimer()
        cancellations.delete(sent)
      })
    cancellations.add(sent)
  }

  return {
    run,
    onProgress({ progressToken, progress, total, message }) {
      if (typeof progress !== 'number') return
      tokens.get(String(progressToken))?.({
        progress,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message }),
      })
    },
    onStatus(params) {
      try {
        running.get(String(params.taskId))?.tell(params)
      } catch {
        // A notice is a hint: what is wrong with the task shows when it is asked for.
      }
    },
    toolOf: (task) => running.get(String(task))?.tool,
    cancelling: () => (cancellations.size > 0 ? Promise.all(cancellations) : undefined),
  }
}

/** Progress for the app. A status message alone goes with the numbers that came before it, and is told once. */
function createProgress(onProgress: ((progress: Progress) => void) | undefined) {
  let last: Progress = { progress: 0 }
  const tell = (progress: Progress) => {
    last = progress
    try {
      onProgress?.(progress)
    } catch (error) {
      reportError(error)
    }
  }
  return {
    tell,
    say(message: string) {
      if (message !== last.message) tell({ ...last, message })
    },
  }
}
