import { InvalidResponseError, JsonRpcError } from '../errors.js'
import type { JsonObject } from '../protocol.js'

/** What a server says of a task at one moment. */
export interface TaskState {
  status: TaskStatus
  message?: string
  /** As the server gave it: with result, error or questions, where the era has them there. */
  raw: JsonObject
}

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const
export type TaskStatus = (typeof statuses)[number]

/** Characters of a task's id: it becomes a header. */
const maxIdLength = 1_024
/** Milliseconds between two polls, whatever the server asks for. */
const shortestPollMs = 100
const longestPollMs = 30_000

const invalid = (message: string) => new InvalidResponseError(message, { data: { reason: 'task' } })

/** @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when there is none that could be asked for. */
export function readTaskId({ taskId }: JsonObject): string {
  if (typeof taskId === 'string' && taskId !== '' && taskId.length <= maxIdLength) return taskId
  throw invalid(`The server made a task without a usable id (a string of 1 to ${maxIdLength} characters)`)
}

/** @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` for another task, or a status that nobody knows. */
export function readTask(raw: JsonObject, id: string): TaskState {
  const { taskId, status, statusMessage } = raw
  if (taskId !== undefined && taskId !== id) throw invalid('The server answered with the state of another task')
  const known = statuses.find((one) => one === status)
  if (!known)
    throw invalid(`The server gave a task the status ${JSON.stringify(status ?? null).slice(0, 60)}, which is unknown`)
  return { status: known, raw, ...(typeof statusMessage === 'string' && statusMessage && { message: statusMessage }) }
}

/** Milliseconds until a task is asked for again: as the server wishes, within bounds. */
export function pollMs({ raw }: TaskState, defaultMs: number): number {
  const wished = raw.pollIntervalMs ?? raw.pollInterval
  if (typeof wished !== 'number' || !Number.isFinite(wished)) return defaultMs
  return Math.min(Math.max(wished, shortestPollMs), longestPollMs)
}

/**
 * The result of a task that has ended, as its state holds it.
 *
 * @throws {JsonRpcError} `ERR_MCP_JSONRPC` what the call would have failed with.
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it holds neither.
 */
export function outcomeOf({ status, message, raw }: TaskState): JsonObject {
  const { result, error } = raw
  const type = isObject(result) ? (result.resultType ?? 'complete') : undefined
  if (status === 'completed' && type === 'complete') return result as JsonObject
  if (status === 'failed' && isObject(error) && typeof error.code === 'number')
    throw new JsonRpcError(`The task failed with error ${error.code}: ${String(error.message ?? message ?? '')}`, {
      data: { rpcCode: error.code, ...(error.data !== undefined && { rpcData: error.data }) },
    })
  throw invalid(`The task is ${status}, and the server sends no ${status === 'failed' ? 'error' : 'result'} with it`)
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
