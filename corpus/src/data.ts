import { readdirSync, readFileSync } from 'node:fs'
import type { JsonObject } from '@x/core'

/** A tool as its server listed it. */
export interface ListedTool {
  name: string
  title?: string
  description?: string
  inputSchema: JsonObject
  [field: string]: unknown
}

/** A server's tools. */
export interface ToolList {
  server: string
  tools: ListedTool[]
  /** What it said that it can do. */
  capabilities: JsonObject
}

/** What a server answered to one call of a tool. */
export interface Answer {
  server: string
  tool: string
  reply: { result: JsonObject } | { error: JsonObject }
}

const folder = new URL('../data/', import.meta.url)

const read = (ending: string): JsonObject[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as JsonObject)

export function toolLists(): ToolList[] {
  const results = read('.results.json') as unknown as { server: string; initialize?: { capabilities: JsonObject } }[]
  return (read('.tools.json') as unknown as ToolList[]).map(({ server, tools }) => ({
    server,
    tools,
    capabilities: results.find((one) => one.server === server)?.initialize?.capabilities ?? { tools: {} },
  }))
}

/** Every call's answer: over each revision, and at the end of a task. */
export const answers = (): Answer[] => [
  ...read('.results.json').flatMap((recorded) => answersOf(recorded, (call) => [call.response])),
  ...read('.modern.json').flatMap((recorded) => answersOf(recorded, ({ response }) => messagesOf(response))),
  ...read('.tasks.json').flatMap(({ server, tool, steps }) =>
    (steps as unknown as { method: string; response: unknown }[])
      .filter(({ method }) => method === 'tasks/result')
      .flatMap(({ response }) => toAnswer(server as string, tool as string, response)),
  ),
]

interface Call {
  name: string
  response?: unknown
}

function answersOf({ server, calls }: JsonObject, messages: (call: Call) => unknown[]): Answer[] {
  return (calls as unknown as Call[]).flatMap((call) =>
    messages(call).flatMap((message) => toAnswer(server as string, call.name, message)),
  )
}

/** Of a recorded HTTP response: its body, or its events. One that refuses the request is no answer of a tool's. */
function messagesOf(response: unknown): unknown[] {
  const { status = 0, body, events = [] } = (response ?? {}) as { status?: number; body?: unknown; events?: unknown[] }
  return status < 400 ? [body, ...events] : []
}

function toAnswer(server: string, tool: string, message: unknown): Answer[] {
  const { result, error } = (message ?? {}) as { result?: JsonObject; error?: JsonObject }
  if (result) return [{ server, tool, reply: { result } }]
  return error ? [{ server, tool, reply: { error } }] : []
}
