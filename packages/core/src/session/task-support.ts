import type { JsonObject, ServerInfo } from '../protocol.js'
import { isObject } from './task-state.js'

/** The extension by which modern servers have tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Whether the server makes tasks of calls that ask for it. A modern one makes them by itself. */
export const runsTasks = ({ era, capabilities }: ServerInfo): boolean =>
  era === 'legacy' && isObject(at(capabilities, 'tasks', 'requests', 'tools', 'call'))

/** Whether it takes `tasks/cancel`. */
export const cancelsTasks = ({ era, capabilities }: ServerInfo): boolean =>
  era === 'modern' || isObject(at(capabilities, 'tasks', 'cancel'))

function at(value: JsonObject, ...path: string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
}
