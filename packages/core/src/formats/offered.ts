import { cleanText } from '../clean-text.js'
import type { McpClient } from '../client.js'
import type { Finding, JsonObject, Tool } from '../protocol.js'
import { plainAlias } from '../schema/alias.js'
import { normalizeSchema, type SchemaProfile } from '../schema/normalize.js'
import type { ToolHandle } from '../toolset/tools.js'
import type { Toolset } from '../toolset/toolset.js'

/** Where a model's tools come from: a tool set, one server, or some of a set's tools. */
export type ToolSource = Toolset | McpClient | readonly ToolHandle[]

/** What was left out of a tool or of the list, for this provider. */
export interface FormatFinding extends Finding {
  server?: string
  /** The tool's name on its server. */
  tool: string
}

export interface FormatOptions {
  /** Told of each tool that this provider can't have, and of what its schemas lose. */
  onFinding?(finding: FormatFinding): void
}

/** A tool as a provider may have it. */
export interface OfferedTool extends Pick<ToolHandle, 'name' | 'title' | 'description' | 'execute'> {
  server?: string
  tool: Tool
  /** The provider's copy. */
  inputSchema: JsonObject
}

/**
 * The tools of this moment, their schemas in the provider's form; those that can't have one are left out and reported.
 *
 * @throws What `listTools` throws, where the source is one server.
 */
export async function offeredTools(
  source: ToolSource,
  profile: SchemaProfile,
  { onFinding }: FormatOptions = {},
): Promise<OfferedTool[]> {
  return (await toolsOf(source)).flatMap((offered): OfferedTool[] => {
    const normalized = normalizeSchema(offered.tool.inputSchema, profile)
    const told = { tool: offered.tool.name, ...(offered.server !== undefined && { server: offered.server }) }
    if ('fault' in normalized) {
      const { path, reason } = normalized.fault
      onFinding?.({ ...told, code: 'tool-left-out', message: `"${offered.name}" was left out: ${reason}`, path })
      return []
    }
    for (const { keyword, path, reason } of normalized.losses)
      onFinding?.({ ...told, code: 'schema-loss', message: `"${keyword}" was left out: ${reason}`, path })
    return [{ ...offered, inputSchema: normalized.schema }]
  })
}

async function toolsOf(source: ToolSource): Promise<Omit<OfferedTool, 'inputSchema'>[]> {
  if (!('listTools' in source)) return [...('tools' in source ? source.tools : source)]
  const tools = await source.listTools()
  return tools.map((tool) => ({
    tool,
    name: plainAlias(tool.name),
    title: cleanText(tool.title ?? tool.annotations?.title ?? tool.name),
    description: cleanText(tool.description ?? ''),
    execute: (args, options) => source.callTool(tool.name, args, options),
  }))
}
