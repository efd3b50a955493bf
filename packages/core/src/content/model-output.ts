import { cleanText } from '../clean-text.js'
import { type McpError, ToolError } from '../errors.js'
import type { CallToolResult, ContentBlock, Json, JsonObject, ResourceContents } from '../protocol.js'
import { encodeBase64 } from './base64.js'
import type { ContentBudget } from './budget.js'
import type { Rest, RestStore } from './rest-store.js'
import { encodeUtf8Length } from './utf8.js'

export interface ModelOutputOptions {
  /** The tool's and the server's name, for the error of a failed call. */
  tool?: string
  server?: string
  /** Default `keep`. `placeholder`: a line that says what was left out. `error`: throw. */
  audio?: 'keep' | 'placeholder' | 'error'
  /**
   * Told of each block that doesn't reach the model as it is. A hook that throws refuses the whole: the error is the
   * caller's.
   *
   * @param loss.block - Its index in `content`; of structured content, one more than the last.
   * @param loss.handle - By which `rest` gives what was left out.
   */
  onLoss?(loss: { block: number; reason: string; handle?: string }): void
  /** What a result may take of a model's context. */
  budget?: ContentBudget
  /** Keeps what is left out, so that labels can name a handle for it. */
  rest?: RestStore
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

/**
 * The label that stands where a block is left out: what it is, how large, and the handle of what was left out where
 * `rest` keeps it. `onLoss` is told.
 *
 * @param reason - For `onLoss`, in a few words.
 */
export function labelFor(
  { block, index }: BlockForModel,
  reason: string,
  { onLoss, rest }: ModelOutputOptions,
): string {
  const whole = restOf(block)
  const handle = whole && rest?.keep(whole)
  onLoss?.({ block: index, reason, ...(handle && { handle }) })
  return leftOut(`${describeBlock(block)}${handle ? `; handle "${handle}"` : ''}`)
}

/** The text of an error as a model may see it. */
export function errorText(error: McpError, _options: ModelOutputOptions = {}): string {
  return cleanText(error.message)
}

/** What a tool with `isError` said went wrong, as an error. */
export function toolError(result: CallToolResult, { tool, server }: ModelOutputOptions = {}): ToolError {
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
  { onLoss }: ModelOutputOptions,
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
  const { audio = 'keep', tool, server } = options
  const placeholder = (reason: string): Json => ({ type: 'text', text: labelFor({ block, index }, reason, options) })
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'audio':
      if (audio === 'error')
        throw new ToolError(`The tool ${tool ? `"${tool}" ` : ''}answered with audio, which is not wanted here`, {
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

/** A block in a few words. */
export function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `text, ${bytes(encodeUtf8Length(block.text))}`
    case 'image':
    case 'audio':
      return `${block.type}, ${block.mimeType}, ${bytes(block.data.byteLength)}`
    case 'resource_link':
      return `link to ${block.uri}`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return `resource ${resource.uri}, ${bytes(encodeUtf8Length(resource.text))}`
      const { uri, mimeType = 'application/octet-stream', blob } = resource
      return `resource ${uri}, ${mimeType}, ${bytes(blob.byteLength)}`
    }
    case 'unknown': {
      const { type } = (block.raw ?? {}) as JsonObject
      // Of the server's making, so no more of it than a name can be.
      const named = typeof type === 'string' && /^[\w-]{1,40}$/.test(type)
      return `${named ? `content of type "${type}"` : 'content'} that is not known here or could not be read`
    }
  }
}

const bytes = (count: number) => `${String(count).replace(/\B(?=(\d{3})+$)/g, ' ')} bytes`

/** What is kept of a block that is left out; nothing of a link, which is a reference itself. */
function restOf(block: ContentBlock): Rest | undefined {
  switch (block.type) {
    case 'text':
      return { text: block.text }
    case 'image':
    case 'audio':
      return { mimeType: block.mimeType, bytes: block.data }
    case 'resource': {
      const { resource } = block
      const kept = 'text' in resource ? { text: resource.text } : { bytes: resource.blob }
      return { ...kept, ...(resource.mimeType && { mimeType: resource.mimeType }) }
    }
    case 'resource_link':
      return undefined
    case 'unknown':
      return { mimeType: 'application/json', text: JSON.stringify(block.raw) }
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
