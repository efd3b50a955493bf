import type { ConnectionEvent } from '../connection.js'
import { isLogLevel } from './events.js'

const lists = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
} as const

/** What a server's notification tells the app; undefined for those that tell it nothing, known or unknown. */
export function toEvent({
  method,
  params,
}: {
  method: string
  params?: object | undefined
}): ConnectionEvent | undefined {
  if (Object.hasOwn(lists, method)) return { type: 'list-changed', list: lists[method as keyof typeof lists] }
  const { uri, level, logger, data } = (params ?? {}) as {
    uri?: unknown
    level?: unknown
    logger?: unknown
    data?: unknown
  }
  if (method === 'notifications/resources/updated' && typeof uri === 'string') return { type: 'resource-updated', uri }
  if (method !== 'notifications/message') return undefined
  return {
    type: 'log',
    level: isLogLevel(level) ? level : 'info',
    ...(typeof logger === 'string' && { logger }),
    data,
  }
}
