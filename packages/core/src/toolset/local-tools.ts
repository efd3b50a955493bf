import type { McpConnection } from '../connection.js'
import { ConfigError } from '../errors.js'
import type { JsonObject, Tool } from '../protocol.js'
import { createLocalConnection } from './local-connection.js'
import type { LocalResult } from './local-result.js'

/** A function of the app as a tool. */
export interface LocalTool extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations'> {
  /** A JSON Schema of type `object`. Nobody holds the arguments to it but the model: check what matters. */
  inputSchema: JsonObject
  outputSchema?: JsonObject
  /**
   * Runs in the page, once for each call.
   *
   * @param args - As the model, or `approve`, gave them; the function's own.
   * @param context.signal - Fires when the call is aborted, out of time, or the tool set is closed.
   * @returns A string: one block of text. An array of content blocks, or a whole result: that. Other JSON: it is the
   *   `structuredContent`, and its text. Nothing: an empty result. What it throws is told to the model as the tool's own
   *   error (`isError`, with the message).
   */
  execute(args: JsonObject, context: { signal: AbortSignal }): LocalResult | Promise<LocalResult>
}

/** Functions of the app, as a server of a tool set. */
export interface LocalTools {
  /** @internal */
  openLocal(server: string, setTimer?: (ms: number, run: () => void) => () => void): McpConnection
}

/**
 * Functions of the app as a server for `connectAll` and `Toolset.add`: named, filtered, approved and called as any
 * server's tools. Their hints are believed. The definitions are taken as they are now.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` naming the tool; `data.key` is the wrong field.
 */
export function localTools(tools: readonly LocalTool[]): LocalTools {
  const seen = new Set<unknown>()
  const local = tools.map((tool, index) => {
    const [definition, execute] = checked(tool, index)
    if (seen.has(definition.name)) throw wrong(definition.name, 'name', 'is there twice')
    seen.add(definition.name)
    return { definition, execute }
  })
  return { openLocal: (server, setTimer) => createLocalConnection(local, server, setTimer) }
}

function checked(tool: LocalTool, index: number): [Tool, LocalTool['execute']] {
  const { name, title, description, inputSchema, outputSchema, annotations, execute } = tool ?? {}
  if (typeof name !== 'string' || name === '') throw wrong(`number ${index + 1}`, 'name', 'must be a text')
  if (typeof execute !== 'function') throw wrong(name, 'execute', 'must be a function')
  if (title !== undefined && typeof title !== 'string') throw wrong(name, 'title', 'must be a text')
  if (description !== undefined && typeof description !== 'string') throw wrong(name, 'description', 'must be a text')
  if (inputSchema?.type !== 'object') throw wrong(name, 'inputSchema', 'must be a JSON Schema of type "object"')
  const definition: Tool = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: plain(name, 'inputSchema', inputSchema),
    ...(outputSchema !== undefined && { outputSchema: plain(name, 'outputSchema', outputSchema) }),
    ...(annotations !== undefined && { annotations: plain(name, 'annotations', annotations) }),
  }
  return [definition, (args, context) => execute.call(tool, args, context)]
}

function plain<Value>(name: string, key: string, value: Value): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(name, key, 'must be an object')
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw wrong(name, key, 'must be JSON', cause)
  }
}

const wrong = (tool: string, key: string, what: string, cause?: unknown) =>
  new ConfigError(`"${key}" of the local tool "${tool}" ${what}`, { cause, data: { tool, key } })
