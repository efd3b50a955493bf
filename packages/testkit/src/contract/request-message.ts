import { metaNoteKey } from './fixtures.js'
import type { LogEntry } from './log.js'

/** A JSON-RPC message, as far as anything is done with it. */
export interface Message {
  id?: string | number
  method?: string
  params?: {
    name?: string
    arguments?: Record<string, unknown>
    uri?: string
    task?: object
    level?: LogEntry['logLevel']
    capabilities?: Record<string, unknown>
    notifications?: { resourceSubscriptions?: string[] }
    _meta?: Record<string, unknown>
  }
}

/** What may be told of a message: whatever a case asks about. */
export function describeMessage({ id, method, params = {} }: Message = {}): Partial<LogEntry> {
  const { name, uri, task, level, capabilities, notifications, _meta: meta = {} } = params
  const declared = meta['io.modelcontextprotocol/clientCapabilities'] as Record<string, unknown> | undefined
  const fields: { [Key in keyof LogEntry]?: LogEntry[Key] | undefined } = {
    method,
    id: method === undefined ? undefined : id,
    tool: method === 'tools/call' ? name : undefined,
    asTask: method === 'tools/call' && task !== undefined ? true : undefined,
    uri: uri ?? notifications?.resourceSubscriptions?.toSorted().join(' '),
    logLevel: method === 'logging/setLevel' ? level : (meta['io.modelcontextprotocol/logLevel'] as typeof level),
    capabilities: method === 'initialize' ? capabilities : declared,
    metaNote: asString(meta[metaNoteKey]),
    traceparent: asString(meta.traceparent),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
