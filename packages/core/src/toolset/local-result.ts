import type { CallToolResult, ContentBlock, Json } from '../protocol.js'

/** What a function of the app may give. */
export type LocalResult = string | Json | ContentBlock[] | CallToolResult | Omit<CallToolResult, 'findings'> | undefined

/**
 * What a function gave, as a tool's result:
 *
 * - a string: one block of text; nothing at all: no block
 * - an array of content blocks, at least one: those
 * - an object whose `content` is an array of content blocks: that result
 * - any other JSON: `structuredContent`, and its text
 *
 * @throws {TypeError} When it is none of these.
 */
export function toLocalResult(value: unknown): CallToolResult {
  if (value === undefined) return { content: [], findings: [] }
  if (typeof value === 'string') return textResult(value)
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return { content: value, findings: [] }
  if (isResult(value)) {
    const { structuredContent, findings = [], ...rest } = value
    if (structuredContent === undefined) return { ...rest, findings }
    return { ...rest, structuredContent: toJson(structuredContent)[1], findings }
  }
  const [text, structuredContent] = toJson(value)
  return { ...textResult(text), structuredContent }
}

function toJson(value: unknown): [text: string, value: Json] {
  // `undefined` for a function or a symbol; a ring or a bigint throws.
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`a ${typeof value} is no result`)
  return [text, JSON.parse(text)]
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], findings: [] })

function isResult(value: unknown): value is Omit<CallToolResult, 'findings'> & Partial<CallToolResult> {
  return isObject(value) && Array.isArray(value.content) && value.content.every(isBlock)
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false
  switch (value.type) {
    case 'text':
      return typeof value.text === 'string'
    case 'image':
    case 'audio':
      return typeof value.mimeType === 'string' && value.data instanceof Uint8Array
    case 'resource_link':
      return typeof value.uri === 'string' && typeof value.name === 'string'
    case 'resource': {
      const { resource } = value
      if (!isObject(resource) || typeof resource.uri !== 'string') return false
      return typeof resource.text === 'string' || resource.blob instanceof Uint8Array
    }
    case 'unknown':
      return 'raw' in value
    default:
      return false
  }
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
