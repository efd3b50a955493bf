import { McpError } from '../errors.js'
import type { ToolHandle } from '../toolset/tools.js'
import type { Toolset } from '../toolset/toolset.js'
import { type Faults, quote } from './faults.js'
import { type OpenServersOptions, openServers } from './open-servers.js'
import { type ServerMap, serverKey, serverName } from './server-map.js'

/** A tool that a file names, by its server and its name there. */
export interface WantedTool {
  serverUrl: string
  toolName: string
  /** Where the file names the one and the other. */
  serverLine?: number | undefined
  toolLine?: number | undefined
}

export interface OpenedTools {
  /** For each that is wanted, in their order; none where that is a fault. */
  handles: (ToolHandle | undefined)[]
  /** Closes what was opened for them, not clients that were open before. */
  close(): Promise<void>
}

/**
 * Opens the servers of tools, and no other, and finds the tools. What isn't there is a fault.
 *
 * @throws As `connectAll`.
 */
export async function openTools(
  wanted: readonly WantedTool[],
  servers: ServerMap,
  options: OpenServersOptions,
  faults: Faults,
): Promise<OpenedTools> {
  const names = nameServers(wanted, servers, faults)
  const used = Object.fromEntries([...names].map(([key, name]) => [name, servers.get(key)!]))
  // Every server is waited for: which tool is missing can't be said before.
  const toolset = await openServers(used, { settleMs: Infinity, ...options })
  const handles = wanted.map((tool) => {
    const name = names.get(serverKey(tool.serverUrl) ?? '')
    return name === undefined ? undefined : findTool(toolset, name, tool, faults)
  })
  return { handles, close: () => toolset.close() }
}

/** The name of each server that is used, by its key; two keys may differ in what errors must not tell. */
function nameServers(wanted: readonly WantedTool[], servers: ServerMap, faults: Faults): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { serverUrl, toolName, serverLine } of wanted) {
    const key = serverKey(serverUrl)
    const called = serverName(serverUrl)
    if (key === undefined || !servers.has(key)) {
      const why = key === undefined ? 'is neither "stdio://NAME" nor a URL' : 'is not there: register it'
      faults.add(serverLine, `the server ${quote(called)} of the tool ${quote(toolName)} ${why}`, {
        server: called,
        tool: toolName,
      })
    } else if (!names.has(key)) {
      let name = called
      for (let number = 2; taken.has(name); number++) name = `${called} (${number})`
      taken.add(name)
      names.set(key, name)
    }
  }
  return names
}

function findTool(
  toolset: Toolset,
  server: string,
  { toolName, toolLine }: WantedTool,
  faults: Faults,
): ToolHandle | undefined {
  try {
    return toolset.tool(server, toolName)
  } catch (error) {
    if (!McpError.is(error)) throw error
    const { outcome: _, ...data } = error.data
    faults.add(toolLine, error.message, data)
  }
}
