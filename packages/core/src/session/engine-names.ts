import type { Era } from '../protocol.js'

/** Methods of 2025-11-25 that modern servers have by an extension: the engine refuses to send them there. */
const refused = new Set(['tasks/get', 'tasks/cancel'])
const prefix = '@x/core:'

/** The name by which the engine sends a method. A modern server has no `ping`; that it still answers shows as well otherwise. */
export function toEngineName(method: string, era: Era): string {
  if (era === 'legacy') return method
  if (method === 'ping') return 'server/discover'
  return refused.has(method) ? prefix + method : method
}

/** A message of the engine with its method's own name. */
export const withOwnName = <Message extends object>(message: Message): Message =>
  'method' in message && typeof message.method === 'string' && message.method.startsWith(prefix)
    ? { ...message, method: message.method.slice(prefix.length) }
    : message
