import { cleanText } from '../clean-text.js'
import { type McpError, ToolError } from '../errors.js'
import type { CallToolResult, ContentBlock, Json, JsonObject, ResourceContents } from '../protocol.js'
import { encodeBase64 } from './base64.js'

export interface ModelOutputOptions {
  /** The tool's and the server's name, for the error of a failed call. */
  tool?: string
  server?: string
  /** Default `keep`. `placeholder`: a line that says what was left out. `error`: throw. */
  audio?: 'keep' | 'placeholder' | 'error'
  /** Told of each block that doesn't reach the model as it is; `block` is its index in `content`. */
  onLoss?(loss: { block: number; reason: string }): void
}

/** A block that a model is to see, and its index in `content`; structured content comes after the last. */
export interface BlockForModel {
  block: ContentBlock
  index: number
}

/**
 * What a model is shown of a tool's result: one text block as its string, nothing as `''`, structured content alone as
 * its JSON text, several blocks as an array in JSON form (bytes as base64). Blocks for the user only are left out.
 *
 * @throws {ToolError} `ERR_MCP_TOOL` for a result with `isError`, naming the tool; and for audio with `audio: 'error'`.
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

/** What a model reads where a result holds nothing for it. */
export const userOnlyLabel = '[The result is for the user only]'

/** What a model reads in place of a block that it can't have. */
export const leftOut = (what: string): string => `[Left out: ${what}]`

/** What a tool with `isError` said went wrong, as an error. */
export function toolError(result: CallToolResult, { tool, server }: ModelOutputOptions): ToolError {
  const blocks = blocksForModel(result, {})
  const texts = blocks === 'user-only' ? [] : blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : []))
  const said = texts.join('\n') || 'it gave no reason'
  return new ToolError(`The tool ${tool ? `"${tool}" ` : ''}failed: ${said}`, { data: toolData(tool, server) })
}

/**
 * The blocks that a model is to see: not those for the user only; structured content as text, unless one of them says
 * the same already.
 */
export function blocksForModel(
  { content, structuredContent }: CallToolResult,
  { onLoss }: Pick<ModelOutputOptions, 'onLoss'>,
): BlockForModel[] | 'user-only' {
  const blocks = content
    .map((block, index): BlockForModel => ({ block, index }))
    .filter(({ block, index }) => {
      const audience = 'annotations' in block ? block.annotations?.audience : undefined
      if (!audience?.length || audience.includes('assistant')) return true
      onLoss?.({ block: index, reason: 'for the user only' })
      return false
    })
  if (content.length > 0 && blocks.length === 0) return 'user-only'
  if (structuredContent === undefined) return blocks
  // Most servers repeat the structured content as text, for clients that read only text: once is enough.
  const repeated = blocks.some(({ block }) => block.type === 'text' && sameJson(block.text, structuredContent))
  if (!repeated)
    blocks.push({ block: { type: 'text', text: JSON.stringify(structuredContent) }, index: content.length })
  return blocks
}

function toJsonBlock({ block, index }: BlockForModel, options: ModelOutputOptions): Json {
  const { audio = 'keep', tool, server, onLoss } = options
  const placeholder = (reason: string, what: string): Json => {
    onLoss?.({ block: index, reason })
    return { type: 'text', text: leftOut(what) }
  }
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'audio':
      if (audio === 'error')
        throw new ToolError(`The tool ${tool ? `"${tool}" ` : ''}answered with audio, which is not wanted here`, {
          data: { ...toolData(tool, server), reason: 'audio' },
        })
      if (audio === 'placeholder') return placeholder('audio', describeBlock(block))
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
      return placeholder('unknown type', describeBlock(block))
  }
}

/** What a model reads in place of a block that its provider can't take; `onLoss` is told. */
export function labelFor({ block, index }: BlockForModel, reason: string, { onLoss }: ModelOutputOptions): string {
  onLoss?.({ block: index, reason })
  return leftOut(cleanText(describeBlock(block)))
}

/** A failed call's error for a model. */
export function errorText(error: McpError, _options: ModelOutputOptions = {}): string {
  return cleanText(error.message)
}

/** A block that a model can't have, in a few words. */
export function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `text, ${block.text.length} characters`
    case 'image':
    case 'audio':
      return `${block.type}, ${block.mimeType}, ${block.data.byteLength} bytes`
    case 'resource_link':
      return `link ${block.uri}`
    case 'resource': {
      const { uri, mimeType = 'application/octet-stream' } = block.resource
      const size = 'text' in block.resource ? block.resource.text.length : block.resource.blob.byteLength
      return `resource ${uri}, ${mimeType}, ${size} ${'text' in block.resource ? 'characters' : 'bytes'}`
    }
    case 'unknown': {
      const { type } = (block.raw ?? {}) as JsonObject
      // Of the server's making, so no more of it than a name can be.
      const named = typeof type === 'string' && /^[\w-]{1,40}$/.test(type)
      return `${named ? `content of type "${type}"` : 'content'} that is not known here or could not be read`
    }
  }
}

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

/** Whether a text is this JSON value, whatever its white space and key order. */
function sameJson(text: string, value: Json): boolean {
  try {
    return canonical(JSON.parse(text)) === canonical(value)
  } catch {
    return false
  }
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_, item: Json) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
