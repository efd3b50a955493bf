import type {
  CallToolResult,
  ContentBlock,
  Finding,
  GetPromptResult,
  Json,
  JsonObject,
  ReadResourceResult,
  Resource,
  ResourceContents,
} from '../protocol.js'
import { decodeBase64 } from './base64.js'

/** A result with its binary content as bytes. What can't be decoded is kept as it came, and reported. */
export function decodeCallToolResult(raw: JsonObject): CallToolResult {
  const findings: Finding[] = []
  const { content, structuredContent, isError, _meta } = raw
  return {
    content: decodeContent(content, '/content', findings),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    findings,
    ...metaOf(_meta),
  }
}

export function decodeReadResourceResult(raw: JsonObject): ReadResourceResult {
  const findings: Finding[] = []
  const contents = listOf(raw.contents).flatMap((item, index) => {
    const decoded = decodeContents(item)
    if (decoded) return [decoded]
    findings.push({
      code: 'malformed-content',
      message: 'This part of the resource has neither text nor valid base64 and was left out',
      path: `/contents/${index}`,
    })
    return []
  })
  return { contents, findings, ...metaOf(raw._meta) }
}

export function decodeGetPromptResult(raw: JsonObject): GetPromptResult {
  const findings: Finding[] = []
  const messages = listOf(raw.messages).map((message, index) => ({
    role: objectOf(message).role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content: decodeBlock(objectOf(message).content ?? null, `/messages/${index}/content`, findings),
  }))
  return {
    ...(typeof raw.description === 'string' && { description: raw.description }),
    messages,
    findings,
    ...metaOf(raw._meta),
  }
}

function decodeContent(content: Json | undefined, path: string, findings: Finding[]): ContentBlock[] {
  return listOf(content).map((block, index) => decodeBlock(block, `${path}/${index}`, findings))
}

function decodeBlock(raw: Json, path: string, findings: Finding[]): ContentBlock {
  const block = objectOf(raw)
  const kept = (code: string, message: string): ContentBlock => {
    findings.push({ code, message, path })
    return { type: 'unknown', raw }
  }
  const malformed = (what: string) =>
    kept('malformed-content', `This ${block.type} block ${what} and was kept as it came`)
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? (raw as ContentBlock) : malformed('has no text')
    case 'image':
    case 'audio': {
      const data = typeof block.data === 'string' ? decodeBase64(block.data) : undefined
      if (!data || typeof block.mimeType !== 'string') return malformed('has no valid base64 data or no mimeType')
      return { ...block, type: block.type, mimeType: block.mimeType, data } as ContentBlock
    }
    case 'resource_link':
      if (typeof block.uri !== 'string') return malformed('has no uri')
      return { ...(block as unknown as Resource), type: 'resource_link' }
    case 'resource': {
      const resource = decodeContents(block.resource ?? null)
      return resource ? ({ ...block, resource } as ContentBlock) : malformed('has neither text nor valid base64')
    }
    default:
      return kept(
        'unknown-content',
        `A block of type ${JSON.stringify(block.type ?? null)} is unknown and was kept as it came`,
      )
  }
}

function decodeContents(raw: Json): ResourceContents | undefined {
  const { blob, ...contents } = objectOf(raw)
  if (typeof contents.uri !== 'string') return undefined
  if (typeof contents.text === 'string') return contents as unknown as ResourceContents
  const bytes = typeof blob === 'string' ? decodeBase64(blob) : undefined
  return bytes && ({ ...contents, blob: bytes } as unknown as ResourceContents)
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function metaOf(value: Json | undefined): { _meta?: JsonObject } {
  return value === undefined ? {} : { _meta: objectOf(value) }
}
