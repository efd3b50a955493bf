import type { ServerConfig } from '../config.js'
import type { RequestOptions } from '../connection.js'
import type { CallToolResult, Finding, JsonObject, Tool } from '../protocol.js'
import { plainAlias, toolAlias } from '../schema/alias.js'

/** One tool of a set. */
export interface ToolHandle {
  /** Legal for every model provider, and unique in the set. */
  readonly name: string
  readonly server: string
  readonly title: string
  readonly description: string
  /** The tool as the server sent it. */
  readonly tool: Tool
  readonly findings: Finding[]
  readonly hints: ToolHints
  execute(args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
}

/** What may be relied on. A server that isn't `trusted` can make no promise and take no warning back. */
export interface ToolHints {
  readOnly: boolean
  parallel: boolean
  retry: boolean
  destructive: boolean
  openWorld: boolean
}

/** Which tools a set has. */
export interface ToolSelection {
  /** Which tools the set has. */
  filter?(tool: Tool, server: string): boolean
  /** Whether names begin with the server's; false only with one server. Default true. */
  prefix?: boolean
}

export interface ServerTools {
  handles: ToolHandle[]
  /** Tools that the server offers and the set does not have. */
  leftOut: { name: string; reason: string }[]
  /** Tools that `tools.allow` names and the server does not offer. */
  missing: string[]
}

/** What a set has of one server's list. */
export function selectTools(
  server: string,
  offered: Tool[],
  config: Pick<ServerConfig, 'tools' | 'trusted'>,
  { filter, prefix = true }: ToolSelection,
  execute: (tool: Tool) => ToolHandle['execute'],
): ServerTools {
  const { allow, deny } = config.tools ?? {}
  const selected = new Map<string, ToolHandle>()
  const leftOut: ServerTools['leftOut'] = []
  for (const tool of offered) {
    const name = prefix ? toolAlias(server, tool.name) : plainAlias(tool.name)
    const reason = (): string | undefined => {
      // A provider refuses the whole list when two tools in it have one name.
      if (selected.has(name)) return 'the server lists this name twice'
      if (allow && !allow.includes(tool.name)) return 'not in tools.allow'
      if (deny?.includes(tool.name)) return 'in tools.deny'
      return filter && !filter(tool, server) ? 'refused by the filter' : undefined
    }
    const why = reason()
    if (why) leftOut.push({ name: tool.name, reason: why })
    else selected.set(name, toHandle(name, server, tool, config.trusted === true, execute(tool)))
  }
  const missing = (allow ?? []).filter((wanted) => !offered.some(({ name }) => name === wanted))
  return { handles: [...selected.values()], leftOut, missing }
}

function toHandle(
  name: string,
  server: string,
  tool: Tool,
  trusted: boolean,
  execute: ToolHandle['execute'],
): ToolHandle {
  // Servers send `null` for what they don't know.
  const said = tool.annotations ?? {}
  const believed = trusted ? said : {}
  const readOnly = believed.readOnlyHint === true
  return {
    name,
    server,
    title: tool.title ?? said.title ?? tool.name,
    description: tool.description ?? '',
    tool,
    findings: [],
    hints: {
      readOnly,
      parallel: readOnly,
      retry: readOnly || believed.idempotentHint === true,
      // The specification's defaults: what isn't said is to be expected.
      destructive: !readOnly && believed.destructiveHint !== false,
      openWorld: believed.openWorldHint !== false,
    },
    execute,
  }
}
