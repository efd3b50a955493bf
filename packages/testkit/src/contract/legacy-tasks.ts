import type { TaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/interfaces.js'
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import type { Result } from '@modelcontextprotocol/sdk/types.js'

/** Milliseconds: as often as the server wants to be asked. */
export const pollIntervalMs = 20

/** The tasks of revision 2025-11-25. */
export interface LegacyTasks {
  /** For the SDK: its own, which also stops the work of a cancelled task and keeps errors as they were. */
  store: TaskStore
  /** Does the work of a task: its result, or what it throws, becomes the task's. */
  run(taskId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<void>
  stop(): void
}

export function createLegacyTasks(): LegacyTasks {
  const memory = new InMemoryTaskStore()
  const running = new Map<string, AbortController>()
  const failures = new Map<string, unknown>()
  return {
    store: {
      createTask: (...args) => memory.createTask(...args),
      getTask: (...args) => memory.getTask(...args),
      listTasks: (...args) => memory.listTasks(...args),
      storeTaskResult: (...args) => memory.storeTaskResult(...args),
      async getTaskResult(taskId, sessionId) {
        if (failures.has(taskId)) throw failures.get(taskId)
        return memory.getTaskResult(taskId, sessionId)
      },
      async updateTaskStatus(taskId, status, ...rest) {
        await memory.updateTaskStatus(taskId, status, ...rest)
        if (status === 'cancelled') running.get(taskId)?.abort(new Error('the task was cancelled'))
      },
    },
    async run(taskId, work) {
      const stopping = new AbortController()
      running.set(taskId, stopping)
      try {
        const result = await work(stopping.signal)
        if (!stopping.signal.aborted)
          await memory.storeTaskResult(taskId, result.isError ? 'failed' : 'completed', result)
      } catch (error) {
        if (stopping.signal.aborted) return
        failures.set(taskId, error)
        await memory.updateTaskStatus(taskId, 'failed', String(error))
      } finally {
        running.delete(taskId)
      }
    },
    stop() {
      for (const stopping of running.values()) stopping.abort(new Error('the server stops'))
      memory.cleanup()
    },
  }
}
