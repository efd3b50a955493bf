import type { RequestOptions } from '../connection.js'
import { McpError, reportError, ToolError, ToolNameError } from '../errors.js'
import type { CallToolResult, JsonObject } from '../protocol.js'
import type { SchemaProfile } from '../schema/normalize.js'
import { type OfferedTool, offeredTool, type ToolSource } from './offered.js'

/** A call as a model made it. */
export interface ModelCall {
  /** The tool's name in the list that the model was given. */
  name: string
  /** JSON text or an object, by provider. Nothing, `null` and an empty text stand for no arguments. */
  arguments: unknown
}

/** How the call is made; its result's form has options of its own. */
export type CallOptions = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'idleTimeoutMs' | 'onProgress' | 'meta'>

export interface RanCall {
  outcome: CallToolResult | McpError
  /** The tool's name on its server; absent where there is no such tool. */
  tool?: string
  server?: string
}

/**
 * Runs a model's call. Whatever goes wrong is the outcome, for the model to read: a tool that there isn't, arguments that
 * can't be read (the tool isn't run), a server that has left.
 *
 * @param adapt - Makes of the model's arguments what the tool's own schema asks for.
 * @throws The caller's `signal.reason` when aborted, and nothing else.
 */
export async function runCall(
  source: ToolSource,
  call: ModelCall,
  profile: SchemaProfile,
  options: CallOptions = {},
  adapt: (args: JsonObject, tool: OfferedTool) => JsonObject = (args) => args,
): Promise<RanCall> {
  const { signal } = options
  let tool: OfferedTool | undefined
  const about = () => (tool ? { tool: tool.tool.name, ...(tool.server !== undefined && { server: tool.server }) } : {})
  try {
    signal?.throwIfAborted()
    tool = await offeredTool(source, profile, call.name)
    if (!tool) throw new ToolNameError(`There is no tool ${shown(call.name)}`, { data: { outcome: 'not-run' } })
    const args = adapt(readArguments(call), tool)
    return { outcome: await tool.execute(args, requestOptions(options)), ...about() }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return { outcome: McpError.is(error) ? error : unexpectedError(call.name, error), ...about() }
  }
}

/** @throws {ToolError} `ERR_MCP_TOOL`, for the model to try again. */
function readArguments({ name, arguments: given }: ModelCall): JsonObject {
  const refuse = (what: string) =>
    new ToolError(`The arguments of ${shown(name)} ${what}; the tool was not run. Call it with a JSON object.`, {
      data: { reason: 'arguments', outcome: 'not-run' },
    })
  const text = typeof given === 'string' ? given.trim() : undefined
  if (given === undefined || given === null || text === '') return {}
  let args: unknown
  try {
    args = text === undefined ? given : JSON.parse(text)
  } catch {
    throw refuse('are not valid JSON')
  }
  if (args === null) return {}
  if (typeof args !== 'object' || Array.isArray(args)) throw refuse('are no JSON object')
  return args as JsonObject
}

/** A failure that is no error of ours: its words are the app's, not for a model. */
export function unexpectedError(name: string, cause: unknown): ToolError {
  reportError(cause)
  return new ToolError(`The tool ${shown(name)} failed in the app that runs it`, {
    data: { outcome: 'unknown' },
    cause,
  })
}

/** A model makes up what it likes; no more of it than a name can be. */
const shown = (name: string) => JSON.stringify(String(name).slice(0, 64))

function requestOptions({ signal, timeoutMs, idleTimeoutMs, onProgress, meta }: CallOptions): RequestOptions {
  return {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(onProgress && { onProgress }),
    ...(meta && { meta }),
  }
}
