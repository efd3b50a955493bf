import { cleanText, hiddenIn } from '../clean-text.js'
import type { McpClient } from '../client.js'
import type { Finding, JsonObject, Tool } from '../protocol.js'
import { plainAlias } from '../schema/alias.js'
import { normalizeSchema, type SchemaProfile } from '../schema/normalize.js'
import { isForModel, type ToolHandle } from '../toolset/tools.js'
import type { Toolset } from '../toolset/toolset.js'

/** Where a model's tools come from: a tool set, one server, or some of a set's tools. */
export type ToolSource = Toolset | McpClient | readonly ToolHandle[]

/** UTF-16 units. A description beyond fills the context of a model, and the request that holds it is refused whole. */
const maxDescriptionLength = 100_000

/** What was left out of a tool or of the list, for this provider. */
export interface FormatFinding extends Finding {
  server?: string
  /** The tool's name on its server. */
  tool: string
}

export interface FormatOptions {
  /**
   * Told, for every list anew, of each tool that this provider can't have (`tool-left-out`) or can't hold a model to
   * (`not-strict`), of each keyword that its schema loses (`schema-loss`), and of a single server's hidden text
   * (`hidden-text`).
   */
  onFinding?(finding: FormatFinding): void
  /** Of a single client: whether tools that are for the server's own app only (MCP Apps) are offered as well. Default false. */
  appTools?: boolean
}

/** A tool as a provider may have it. */
export interface OfferedTool extends ListedTool {
  /** The provider's copy: the same object at each list, not to be altered. */
  inputSchema: JsonObject
  /** Whose rules the copy keeps. */
  profile: SchemaProfile
}

/** A tool of a source, under its name for models. */
export interface ListedTool extends Pick<ToolHandle, 'name' | 'title' | 'description' | 'tool' | 'execute'> {
  server?: string
}

/**
 * The tools of this moment, their schemas in the provider's form; those that can't have one are left out and reported.
 * A schema is worked out once for each provider, so a list at each step costs little.
 *
 * @param fallback - Whose rules do for a tool that the profile's, which are strict, can't express.
 * @throws What `listTools` throws, where the source is one server.
 */
export async function offeredTools(
  source: ToolSource,
  profile: SchemaProfile,
  { onFinding, appTools = false }: FormatOptions = {},
  fallback?: SchemaProfile,
): Promise<OfferedTool[]> {
  const names = new Set<string>()
  return (await listedTools(source, appTools)).flatMap((listed): OfferedTool[] => {
    const tell = (finding: Finding) =>
      onFinding?.({ tool: listed.tool.name, ...(listed.server !== undefined && { server: listed.server }), ...finding })
    const leaveOut = (reason: string, path?: string): [] => {
      tell({ code: 'tool-left-out', message: `"${listed.name}" was left out: ${reason}`, ...(path && { path }) })
      return []
    }
    // A provider refuses the whole list when two tools in it have one name.
    if (names.has(listed.name)) return leaveOut('a tool before it has this name')
    if (listed.description.length > maxDescriptionLength)
      return leaveOut(`its description is longer than ${maxDescriptionLength} characters`, '/description')
    const wanted = normalizeSchema(listed.tool.inputSchema, profile)
    const isLoose = fallback !== undefined && 'fault' in wanted
    const normalized = isLoose ? normalizeSchema(listed.tool.inputSchema, fallback) : wanted
    if ('fault' in normalized) return leaveOut(normalized.fault.reason, normalized.fault.path)
    names.add(listed.name)
    if (isLoose) {
      const { path, reason } = wanted.fault
      tell({ code: 'not-strict', message: `"${listed.name}" is offered without strict mode: ${reason}`, path })
    }
    for (const { keyword, path, reason } of normalized.losses)
      tell({ code: 'schema-loss', message: `"${keyword}": ${reason}`, path })
    // A tool set tells of its tools' texts by itself.
    if (listed.server === undefined) for (const finding of hiddenText(listed.tool)) tell(finding)
    return [{ ...listed, inputSchema: normalized.schema, profile: isLoose ? fallback : profile }]
  })
}

/** The tool of this name, if the source has it now and the provider may have it. */
export async function offeredTool(
  source: ToolSource,
  profile: SchemaProfile,
  name: string,
): Promise<OfferedTool | undefined> {
  const listed = (await listedTools(source)).find((each) => each.name === name)
  const normalized = listed && normalizeSchema(listed.tool.inputSchema, profile)
  return normalized && 'schema' in normalized ? { ...listed, inputSchema: normalized.schema, profile } : undefined
}

async function listedTools(source: ToolSource, appTools = false): Promise<readonly ListedTool[]> {
  if ('listTools' in source)
    return (await source.listTools())
      .filter((tool) => appTools || isForModel(tool))
      .map((tool) => ofClient(source, tool))
  return ('tools' in source ? source.tools : source).map(({ name, title, description, tool, server, execute }) => ({
    name,
    title,
    description,
    tool,
    server,
    execute,
  }))
}

function ofClient(client: McpClient, tool: Tool): ListedTool {
  return {
    tool,
    name: plainAlias(tool.name),
    title: cleanText(tool.title ?? tool.annotations?.title ?? tool.name),
    description: cleanText(tool.description ?? ''),
    execute: (args, options) => client.callTool(tool.name, args, options),
  }
}

function hiddenText({ name, title, description }: Tool): Finding[] {
  return Object.entries({ name, title, description }).flatMap(([field, text]) =>
    hiddenIn(text ?? '').map((what) => ({
      code: 'hidden-text',
      message: `The ${field} holds ${what}, which a model does not see`,
      path: `/${field}`,
    })),
  )
}
