import { legacyServer, modernServer, reply, rpcError, serverInfo } from './mcp-server.js'
import type { Sent } from './scripted-fetch.js'

type Answer = (sent: Sent) => Response | Promise<Response>

export const tasksCapability = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
export const done = { content: [{ type: 'text', text: 'done' }] }
const dates = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' }

/** A task as a server of 2025-11-25 tells it. */
export const legacyTask = (status: string, more: object = {}) => ({
  taskId: 't1',
  status,
  ttl: 180_000,
  ...dates,
  ...more,
})
/** A task as a server with the extension tells it. */
export const modernTask = (status: string, more: object = {}) => ({
  taskId: 't1',
  status,
  ttlMs: null,
  ...dates,
  ...more,
})

/** What a list of answers gives one by one; the last one is given again. */
export function inTurn(...answers: (object | Answer)[]): Answer {
  let next = 0
  return (sent) => {
    const answer = answers[Math.min(next++, answers.length - 1)]!
    return typeof answer === 'function' ? (answer as Answer)(sent) : reply(sent, answer)
  }
}

export const tools = [
  { name: 'required', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
  { name: 'optional', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } },
  { name: 'never', inputSchema: { type: 'object' }, execution: { taskSupport: 'forbidden' } },
  { name: 'plain', inputSchema: { type: 'object' } },
]

/** A server of 2025-11-25 that makes tasks of calls that ask for it. */
export const legacyTaskServer = (own: Record<string, Answer> = {}, capabilities: object = { tasks: tasksCapability }) =>
  legacyServer({
    initialize: (sent) =>
      reply(
        sent,
        {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, ...capabilities },
          serverInfo,
        },
        { headers: { 'mcp-session-id': 'session-1' } },
      ),
    'tools/list': (sent) => reply(sent, { tools }),
    'tools/call': (sent) =>
      sent.body?.params?.task
        ? reply(sent, { task: legacyTask('working') })
        : reply(sent, { content: [{ type: 'text', text: 'at once' }] }),
    'tasks/get': (sent) => reply(sent, legacyTask('completed')),
    'tasks/result': (sent) => reply(sent, done),
    'tasks/cancel': (sent) => reply(sent, legacyTask('cancelled')),
    ...own,
  })

/** A server of 2026-07-28 that makes a task of every call. */
export const modernTaskServer = (own: Record<string, Answer> = {}) =>
  modernServer({
    'tools/list': (sent) => reply(sent, { tools, ttlMs: 0, cacheScope: 'private' }),
    'tools/call': (sent) => reply(sent, modernTask('working', { resultType: 'task' })),
    'tasks/get': (sent) => reply(sent, modernTask('completed', { result: done })),
    'tasks/update': (sent) => reply(sent, {}),
    'tasks/cancel': (sent) => reply(sent, {}),
    ...own,
  })

export const unknownTask: Answer = (sent) => rpcError(sent, -32602, 'Task not found')
