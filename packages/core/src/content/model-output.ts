import { cleanJson, cleanText } from '../clean-text.js'
import { type McpError, ToolError } from '../errors.js'
import type { CallToolResult, ContentBlock, Json, JsonObject, ResourceContents } from '../protocol.js'
import { encodeBase64 } from './base64.js'
import { budgetOf, cutText, withinBudget } from './budget.js'
import { cleanBlock } from './clean-block.js'
import { jsonText } from './json-text.js'
import { labelFor, short, tellLoss, userOnlyLabel } from './label.js'
import type { BlockForModel, ModelOutputOptions } from './model-options.js'
import { saysTheSame } from './said-once.js'

export { describeBlock, labelFor, leftOut, userOnlyLabel } from './label.js'
export type { BlockForModel, ContentBudget, ModelOutputOptions } from './model-options.js'

/**
 * What a model is shown of a tool's result: one text block as its string, nothing as `''`, structured content alone as
 * its JSON text, several blocks as an array in JSON form (bytes as base64). Blocks for the user only are left out, hidden text
 * is stripped, and a label stands for what is over the budget.
 *
 * @throws {ToolError} `ERR_MCP_TOOL` for a result with `isError`, naming the tool; and for audio with `audio: 'error'`.
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a budget that is none.
 * @throws What `onLoss` throws.
 */
export function toModelOutput(result: CallToolResult, options: ModelOutputOptions = {}): string | Json[] {
  if (result.isError) throw toolError(result, options)
  const blocks = blocksForModel(result, options)
  if (blocks === 'user-only') return userOnlyLabel
  if (blocks.length === 0) return ''
  const [{ block } = {}] = blocks
  if (blocks.length === 1 && block?.type === 'text') return block.text
  return blocks.map((each) => toJsonBlock(each, options))
}

/** What a tool with `isError` said went wrong, as an error whose message a model may see. */
export function toolError(result: CallToolResult, options: ModelOutputOptions = {}): ToolError {
  const { tool, server } = options
  const blocks = blocksForModel(result, options)
  const said = blocks === 'user-only' ? [] : blocks.map((each) => ({ ...each, text: textOf(each.block) }))
  // An error is a text: of what else there is, a label.
  const lines = said.map(({ text, ...each }) => text ?? labelFor(each, 'an error holds only text', options))
  return new ToolError(
    `The tool ${named(tool)}failed: ${(said.some(({ text }) => text) ? lines : ['it gave no reason', ...lines.filter(Boolean)]).join('\n')}`,
    { data: toolData(tool, server) },
  )
}

/** The text of an error as a model may see it. For `onLoss`, it is block 0. */
export function errorText({ message }: McpError, options: ModelOutputOptions = {}): string {
  const text = cleanText(message)
  const shown = text && cutText(text, 0, budgetOf(options), options)
  // A provider refuses an error that says nothing.
  return shown?.trim() ? shown : 'The call failed, and nothing is said of it'
}

/**
 * The blocks that a model is to see, clean and within the budget: not those for the user only; structured content as text,
 * unless they say the same already. Blocks that are left out are text blocks with a label here.
 */
export function blocksForModel(result: CallToolResult, options: ModelOutputOptions): BlockForModel[] | 'user-only' {
  const { content, structuredContent } = result
  const blocks = content
    .map((block, index): BlockForModel => ({ block, index }))
    .filter(({ block, index }) => {
      if (isForModel(block)) return true
      tellLoss(index, 'for the user only', undefined, options)
      return false
    })
  const userOnly = content.length > 0 && blocks.length === 0
  const index = content.length
  if (userOnly) {
    if (structuredContent !== undefined) tellLoss(index, 'for the user only', undefined, options)
    return 'user-only'
  }
  // Most servers repeat the structured content as text, for clients that read only text: once is enough.
  const texts = blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : []))
  const clean = blocks.map((each) => ({ block: cleanBlock(each.block), index: each.index }))
  // Servers send null for what they don't have; it is an answer only where there is no other.
  const isAnswer = structuredContent !== undefined && (structuredContent !== null || blocks.length === 0)
  if (isAnswer && !saysTheSame(texts, structuredContent))
    clean.push({ block: { type: 'text', text: jsonText(cleanJson(structuredContent)) }, index })
  return withinBudget(clean, options)
}

/** `audience` is what a server makes of it: a word instead of a list, or anything. */
function isForModel(block: ContentBlock): boolean {
  const audience: unknown = 'annotations' in block ? block.annotations?.audience : undefined
  const named = typeof audience === 'string' ? [audience] : audience
  return !Array.isArray(named) || named.length === 0 || named.includes('assistant')
}

/** What a block says in words. */
function textOf(block: ContentBlock): string | undefined {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource':
      return 'text' in block.resource ? block.resource.text : undefined
    case 'resource_link':
      return `${block.title ?? block.name}: ${block.uri}`
    default:
      return undefined
  }
}

function toJsonBlock({ block, index }: BlockForModel, options: ModelOutputOptions): Json {
  const { audio = 'keep', tool, server } = options
  const placeholder = (reason: string): Json => ({ type: 'text', text: labelFor({ block, index }, reason, options) })
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'audio':
      if (audio === 'error')
        throw new ToolError(`The tool ${named(tool)}answered with audio, which is not wanted here`, {
          data: { ...toolData(tool, server), reason: 'audio' },
        })
      if (audio === 'placeholder') return placeholder('audio')
      return { type: 'audio', mimeType: block.mimeType, data: encodeBase64(block.data) }
    case 'image':
      return { type: 'image', mimeType: block.mimeType, data: encodeBase64(block.data) }
    case 'resource_link': {
      const { uri, name, title, description, mimeType } = block
      return {
        type: 'link',
        uri,
        name,
        ...(title && { title }),
        ...(description && { description }),
        ...(mimeType && { mimeType }),
      }
    }
    case 'resource':
      return { type: 'resource', ...toJsonContents(block.resource) }
    case 'unknown':
      return placeholder('unknown type')
  }
}

const named = (tool?: string) => (tool ? `"${short(tool)}" ` : '')

const toolData = (tool?: string, server?: string) => ({
  outcome: 'ran' as const,
  ...(tool && { tool }),
  ...(server && { server }),
})

function toJsonContents(contents: ResourceContents): JsonObject {
  const { uri, mimeType } = contents
  return {
    uri,
    ...(mimeType && { mimeType }),
    ...('text' in contents ? { text: contents.text } : { blob: encodeBase64(contents.blob) }),
  }
}
