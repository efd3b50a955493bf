import { toModelOutput } from '../content/model-output.js'
import { McpError } from '../errors.js'
import type { Json } from '../protocol.js'
import type { ToolHandle } from '../toolset/tools.js'
import { checkNames, nameOf, type ToolAction } from './actions-file.js'
import { resolveArguments } from './argument-references.js'
import { createFaults } from './faults.js'
import type { OpenServersOptions } from './open-servers.js'
import { type ServerMap, serverName } from './server-map.js'
import { openTools } from './wanted-tools.js'

export interface RunActionsOptions extends OpenServersOptions {
  /** What `serverUrl` may name. */
  servers: ServerMap
  /** What arguments may refer to beside results. Default: nothing. */
  variables?: Readonly<Record<string, Json>>
  /** Told of each result as it comes: also of those before an action that fails. */
  onResult?(result: { action: ToolAction; index: number; value: Json }): void
}

/**
 * Runs actions, one after another. Each result is what {@link toModelOutput} makes of it, bound under the action's
 * `output.result`, and later arguments may refer to it: a string that is `${name}` becomes the result itself; within
 * other text it becomes text; `${name.key.0}` goes into objects and lists, and into text that is JSON; `$${` stands for
 * `${`. Nothing is evaluated.
 *
 * Before the first is run the servers are opened that are no open clients, and every server, tool and reference is
 * checked. The first action that fails ends the run; none is run twice.
 *
 * @returns What the actions have bound, by name.
 * @throws {ConfigError} `ERR_MCP_CONFIG` with everything that is wrong, as {@link resolveAgent}; nothing was run.
 * @throws The action's error: what `callTool` throws, or {@link ToolError} `ERR_MCP_TOOL` for a result with `isError`.
 *   `data.outcome` says whether the tool ran, `data.key` is `actions.<index>`; with `server` and `tool`, and with `file`
 *   and `line` where the action came from a file.
 * @throws The caller's `signal.reason` when aborted.
 */
export async function runActions(
  actions: readonly ToolAction[],
  { servers, variables = {}, onResult, ...connectOptions }: RunActionsOptions,
): Promise<Record<string, Json>> {
  const { signal } = connectOptions
  const faults = createFaults(actions[0]?.source?.file)
  checkNames(actions, Object.keys(variables), faults)
  const wanted = actions.map(({ serverUrl, toolName, source }) => ({
    serverUrl,
    toolName,
    serverLine: source?.serverLine,
    toolLine: source?.toolLine,
  }))
  const { handles, close } = await openTools(wanted, servers, connectOptions, faults)
  try {
    faults.check()
    const known = new Map(Object.entries(variables))
    const bound: [string, Json][] = []
    for (const [index, action] of actions.entries()) {
      signal?.throwIfAborted()
      const value = await runAction(action, index, handles[index]!, known, signal)
      onResult?.({ action, index, value })
      const name = action.output?.result
      if (name === undefined) continue
      known.set(name, value)
      bound.push([name, value])
    }
    return Object.fromEntries(bound)
  } finally {
    await close()
  }
}

async function runAction(
  action: ToolAction,
  index: number,
  handle: ToolHandle,
  known: ReadonlyMap<string, Json>,
  signal: AbortSignal | undefined,
): Promise<Json> {
  const server = serverName(action.serverUrl)
  const tool = action.toolName
  try {
    const args = resolveArguments(action.arguments ?? {}, known)
    const result = await handle.execute(args, signal && { signal })
    return toModelOutput(result, { server, tool })
  } catch (error) {
    if (!McpError.is(error)) throw error
    const faults = createFaults(action.source?.file)
    // What fails before there is a call has no outcome of its own.
    const outcome = error.data.outcome ?? (error.code === 'ERR_MCP_CONFIG' ? 'not-run' : 'unknown')
    faults.addError(action.source?.line, error, `${nameOf(action, index)} failed: `, {
      server,
      tool,
      outcome,
      key: `actions.${index}`,
    })
    faults.check()
    throw error
  }
}
