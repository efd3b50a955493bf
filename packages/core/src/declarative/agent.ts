import type { JsonObject } from '../protocol.js'
import type { ToolHandle } from '../toolset/tools.js'
import { readDocument } from './document.js'
import { createFaults, type Faults, quote, quotePath } from './faults.js'
import { type Located, type Member, stringOf, toJsonObject } from './located.js'
import type { OpenServersOptions } from './open-servers.js'
import { type ServerMap, serverName } from './server-map.js'
import { openTools, type WantedTool } from './wanted-tools.js'

export interface ResolveAgentOptions extends OpenServersOptions {
  /** The file's name: `.yaml`, `.yml`, `.json` or `.jsonc` says how it is read. Errors have it, with the line. */
  file?: string
  /** What `server_url` may name. */
  servers: ServerMap
}

export interface ResolvedAgent extends AsyncDisposable {
  /** The whole file as it is, its `tools` among it. */
  agent: JsonObject
  /** The tools of kind `mcp` in the file's order, under the names that the file gives them. */
  tools: ToolHandle[]
  /** Closes what was opened for these tools; clients that were open before stay open. */
  close(): Promise<void>
}

/**
 * Reads an agent file and finds its tools: of `tools`, those of kind `mcp`, each with a `name`, a `server_url` and a
 * `tool_name`. Other tools and other keys are left as they are. Servers that are no open client are opened, in which case
 * this waits until each has answered.
 *
 * @param text - YAML 1.2, or JSON with comments and trailing commas; one document, up to 4 Mi characters. Anchors,
 *   aliases and merge keys are resolved.
 * @throws {ConfigError} `ERR_MCP_CONFIG` with everything that is wrong: `data.errors` has one error for each fault (a
 *   server that is not in `servers` or can't be reached, a tool that it doesn't offer, a name that is there twice or that
 *   model providers refuse) with `file`, `line`, `server` and `tool`.
 * @throws The caller's `signal.reason` when aborted.
 */
export async function resolveAgent(text: string, options: ResolveAgentOptions): Promise<ResolvedAgent> {
  const { file, servers, ...connectOptions } = options
  const faults = createFaults(file)
  const root = readDocument(text, file, faults)
  const wanted = readTools(root, faults)
  const { handles, close } = await openTools(wanted, servers, connectOptions, faults)
  try {
    faults.check()
  } catch (error) {
    await close()
    throw error
  }
  return {
    agent: root.kind === 'object' ? toJsonObject(root) : {},
    tools: handles.map((handle, index) => ({ ...handle!, name: wanted[index]!.name })),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A tool as an agent file names it. */
interface AgentTool extends WantedTool {
  name: string
}

/** What every model provider takes as a tool's name. */
const legalName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

function readTools(root: Located, faults: Faults): AgentTool[] {
  if (root.kind !== 'object') faults.add(root.line, 'an agent must be an object')
  faults.check()
  const tools = root.kind === 'object' ? root.entries.get('tools') : undefined
  if (!tools) return []
  if (tools.value.kind !== 'list') {
    faults.add(tools.line, '"tools" must be a list', { key: 'tools' })
    return []
  }
  const lines = new Map<string, number>()
  return tools.value.items.flatMap((item, index) => {
    // Of a kind that is not ours, no more is known than that a model sees its name.
    const entries = item.kind === 'object' ? item.entries : undefined
    const read = stringOf(entries?.get('kind')?.value) === 'mcp' ? readTool(item, index, faults) : undefined
    const name = stringOf(entries?.get('name')?.value)
    if (name === undefined) return []
    const earlier = lines.get(name)
    if (earlier === undefined) lines.set(name, item.line)
    else
      faults.add(
        entries!.get('name')!.line,
        `the name ${quote(name)}${whose(read)} is there already, on line ${earlier}`,
        detailsOf(index, read),
      )
    return read ?? []
  })
}

const whose = (tool: AgentTool | undefined) =>
  tool ? ` of the tool ${quote(tool.toolName)} of ${quote(serverName(tool.serverUrl))}` : ''

const detailsOf = (index: number, tool: AgentTool | undefined) => ({
  key: `tools.${index}.name`,
  ...(tool && { server: serverName(tool.serverUrl), tool: tool.toolName }),
})

function readTool(item: Located, index: number, faults: Faults): AgentTool | undefined {
  const entries: ReadonlyMap<string, Member> = item.kind === 'object' ? item.entries : new Map()
  const [name, serverUrl, toolName] = ['name', 'server_url', 'tool_name'].map((key) => {
    const member = entries.get(key)
    const text = stringOf(member?.value)
    if (!text)
      faults.add(member?.line ?? item.line, `${quotePath('tools', index, key)} must be a string that is not empty`, {
        key: `tools.${index}.${key}`,
      })
    return text
  })
  if (!name || !serverUrl || !toolName) return
  const tool: AgentTool = {
    name,
    serverUrl,
    toolName,
    serverLine: entries.get('server_url')?.line,
    toolLine: entries.get('tool_name')?.line,
  }
  if (!legalName.test(name))
    faults.add(
      entries.get('name')!.line,
      `the name ${quote(name)}${whose(tool)} must begin with a letter or "_", and be at most 64 letters, digits, "_" and "-": model providers take no other`,
      detailsOf(index, tool),
    )
  return tool
}
