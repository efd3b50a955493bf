import { cleanText } from '../clean-text.js'
import type { ServerConfig } from '../config.js'
import type { RequestOptions } from '../connection.js'
import type { CallToolResult, Finding, JsonObject, Tool } from '../protocol.js'
import { plainAlias, toolAlias } from '../schema/alias.js'
import { hiddenTextIn } from '../schema/hidden-text.js'
import { type ToolHints, toHints } from './hints.js'

/** One tool of a set. */
export interface ToolHandle {
  /** Legal for every model provider, and unique in the set. */
  readonly name: string
  readonly server: string
  /** Without characters that people can't see, as the description. */
  readonly title: string
  readonly description: string
  /** The tool as the server sent it: its texts may hide what a person doesn't see. */
  readonly tool: Tool
  /** What is odd about it: `hidden-text`, `tool-repeated`. */
  readonly findings: Finding[]
  readonly hints: ToolHints
  /**
   * Calls the tool, after `approve` where the set has one.
   *
   * @throws {ToolNameError} `ERR_MCP_TOOL_NAME` when the set doesn't have the tool any more; nothing is sent.
   * @throws {DeniedError} `ERR_MCP_DENIED` when it was not approved; nothing is sent.
   * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` when its server has left the set.
   * @throws Otherwise as {@link McpClient.callTool}.
   */
  execute(args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
}

/** Which tools a set has. */
export interface ToolSelection {
  /** Which tools the set has. */
  filter?(tool: Tool, server: string): boolean
  /** Whether names begin with the server's; false only with one server. Default true. */
  prefix?: boolean
  /**
   * Whether tools are in the set that servers keep from models, for their own user interface to call
   * (`_meta.ui.visibility` without `"model"`). For sets that serve no model. Default false.
   */
  appTools?: boolean
}

export interface ServerTools {
  handles: ToolHandle[]
  /** Tools that the server offers and the set does not have: nobody can call them through it. */
  leftOut: { name: string; reason: string }[]
  /** Tools that `tools.allow` names and the server does not offer. */
  missing: string[]
}

/** What a set has of one server's list. */
export function selectTools(
  server: string,
  offered: Tool[],
  config: Pick<ServerConfig, 'tools' | 'trusted'>,
  { filter, prefix = true, appTools = false }: ToolSelection,
  execute: (tool: Tool) => ToolHandle['execute'],
): ServerTools {
  const { allow, deny } = config.tools ?? {}
  const selected = new Map<string, ToolHandle>()
  const leftOut: ServerTools['leftOut'] = []
  for (const tool of offered) {
    const name = aliasOf(server, tool.name, prefix)
    const first = selected.get(name)
    const reason = (): string | undefined => {
      // A provider refuses the whole list when two tools in it have one name.
      if (first?.tool.name === tool.name) return 'the server lists this name twice'
      if (first) return `"${first.tool.name}" has the same name for models`
      if (allow && !allow.includes(tool.name)) return 'not in tools.allow'
      if (deny?.includes(tool.name)) return 'in tools.deny'
      if (!appTools && !isForModel(tool)) return 'for the server’s own app only'
      return filter && !filter(tool, server) ? 'refused by the filter' : undefined
    }
    const why = reason()
    if (why) leftOut.push({ name: tool.name, reason: why })
    else selected.set(name, toHandle(name, server, tool, config.trusted === true, execute(tool)))
    if (first) first.findings.push({ code: 'tool-repeated', message: `"${tool.name}" was left out: ${why}` })
  }
  const names = new Set(offered.map(({ name }) => name))
  return { handles: [...selected.values()], leftOut, missing: (allow ?? []).filter((wanted) => !names.has(wanted)) }
}

/** What models call a server's tool. */
export const aliasOf = (server: string, tool: string, prefix = true) =>
  prefix ? toolAlias(server, tool) : plainAlias(tool)

/**
 * MCP Apps: who may use a tool is the model and the server's own app, where the server says nothing.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx}
 */
export function isForModel({ _meta: meta }: Tool): boolean {
  const ui = meta?.ui
  if (typeof ui !== 'object' || ui === null || Array.isArray(ui)) return true
  return !Array.isArray(ui.visibility) || ui.visibility.includes('model')
}

function toHandle(
  name: string,
  server: string,
  tool: Tool,
  trusted: boolean,
  execute: ToolHandle['execute'],
): ToolHandle {
  return {
    name,
    server,
    title: cleanText(tool.title ?? '') || cleanText(tool.annotations?.title ?? '') || cleanText(tool.name),
    description: cleanText(tool.description ?? ''),
    tool,
    findings: hiddenTextIn(tool),
    hints: toHints(tool, trusted),
    execute,
  }
}
