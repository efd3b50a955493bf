import { ToolError } from '../errors.js'
import type { CallToolResult, ContentBlock, Json, JsonObject, ResourceContents } from '../protocol.js'
import { encodeBase64 } from './base64.js'

export interface ModelOutputOptions {
  /** The tool's and the server's name, for the error of a failed call. */
  tool?: string
  server?: string
  /** Default `keep`. `placeholder`: a line that says what was left out. `error`: throw. */
  audio?: 'keep' | 'placeholder' | 'error'
  /** Told of each block that doesn't reach the model as it is. */
  onLoss?(loss: { block: number; reason: string }): void
}

/**
 * What a model is shown of a tool's result: one text block as its string, nothing as `''`, structured content alone as
 * its JSON text, several blocks as an array in JSON form (bytes as base64). Blocks for the user only are left out.
 *
 * @throws {ToolError} `ERR_MCP_TOOL` for a result with `isError`, naming the tool; and for audio with `audio: 'error'`.
 */
export function toModelOutput(result: CallToolResult, options: ModelOutputOptions = {}): string | Json[] {
  const { blocks, userOnly } = blocksForModel(result, options)
  if (result.isError) throw toolError(result, options)
  if (blocks.length === 0) return userOnly ? '[The result is for the user only]' : ''
  const [first] = blocks
  if (blocks.length === 1 && first?.type === 'text') return first.text
  return blocks.map((block, index) => toJsonBlock(block, index, options))
}

/** What a tool with `isError` said went wrong, as an error. */
export function toolError(result: CallToolResult, { tool, server }: ModelOutputOptions): ToolError {
  const texts = blocksForModel(result, {}).blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const said = texts.join('\n') || 'it gave no reason'
  return new ToolError(`The tool ${tool ? `"${tool}" ` : ''}failed: ${said}`, {
    data: { outcome: 'ran', ...(tool && { tool }), ...(server && { server }) },
  })
}

/**
 * The blocks that a model is to see: not those for the user only; structured content as text, unless a block says the
 * same already.
 */
export function blocksForModel(
  { content, structuredContent }: CallToolResult,
  { onLoss }: Pick<ModelOutputOptions, 'onLoss'>,
): { blocks: ContentBlock[]; userOnly: boolean } {
  const blocks = content.filter((block, index) => {
    const audience = 'annotations' in block ? block.annotations?.audience : undefined
    if (!audience?.length || audience.includes('assistant')) return true
    onLoss?.({ block: index, reason: 'for the user only' })
    return false
  })
  const userOnly = content.length > 0 && blocks.length === 0
  if (structuredContent === undefined || userOnly) return { blocks, userOnly }
  // Most servers repeat the structured content as text, for clients that read only text: once is enough.
  const repeated = content.some((block) => block.type === 'text' && sameJson(block.text, structuredContent))
  if (!repeated) blocks.push({ type: 'text', text: JSON.stringify(structuredContent) })
  return { blocks, userOnly }
}

function toJsonBlock(block: ContentBlock, index: number, { audio = 'keep', tool, onLoss }: ModelOutputOptions): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'audio':
      if (audio === 'error')
        throw new ToolError(`The tool ${tool ? `"${tool}" ` : ''}answered with audio, which is not wanted here`, {
          data: { outcome: 'ran', reason: 'audio', ...(tool && { tool }) },
        })
      if (audio === 'placeholder') {
        onLoss?.({ block: index, reason: 'audio' })
        return label(`audio, ${block.mimeType}, ${block.data.byteLength} bytes`)
      }
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
      onLoss?.({ block: index, reason: 'unknown type' })
      return label('content of a type that is not known here')
  }
}

function toJsonContents(contents: ResourceContents): JsonObject {
  const { uri, mimeType } = contents
  return {
    uri,
    ...(mimeType && { mimeType }),
    ...('text' in contents ? { text: contents.text } : { blob: encodeBase64(contents.blob) }),
  }
}

const label = (what: string): Json => ({ type: 'text', text: `[Left out: ${what}]` })

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
