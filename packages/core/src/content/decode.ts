import { InvalidResponseError } from '../errors.js'
import type {
  CallToolResult,
  CompleteResult,
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
  const { structuredContent, isError, _meta } = raw
  return {
    // Servers with structured content leave the content out, though it is required.
    content: listOf(raw, 'content', findings).map((block, index) => decodeBlock(block, `/content/${index}`, findings)),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    findings,
    ...metaOf(_meta),
  }
}

export function decodeReadResourceResult(raw: JsonObject): ReadResourceResult {
  const findings: Finding[] = []
  const contents = listOf(raw, 'contents', findings).flatMap((item, index) => {
    const decoded = decodeContents(item)
    if (decoded) return [decoded]
    findings.push({
      code: 'malformed-content',
      message: 'This part of the resource has no uri, or neither text nor valid base64, and was left out',
      path: `/contents/${index}`,
    })
    return []
  })
  return { contents, findings, ...metaOf(raw._meta) }
}

export function decodeGetPromptResult(raw: JsonObject): GetPromptResult {
  const findings: Finding[] = []
  const messages = listOf(raw, 'messages', findings).map((message, index) => ({
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

/** @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it holds no values. */
export function decodeCompleteResult(raw: JsonObject): CompleteResult {
  const { values, total, hasMore } = objectOf(raw.completion)
  if (!Array.isArray(values))
    throw new InvalidResponseError('The server answers with no list of values to complete with', {
      data: { reason: 'shape' },
    })
  return {
    completion: {
      values: values.filter((value) => typeof value === 'string'),
      ...(typeof total === 'number' && { total }),
      ...(typeof hasMore === 'boolean' && { hasMore }),
    },
  }
}

/** What a model or an app relies on is checked here: the type, and what belongs to it. Other fields pass as they are. */
export function decodeBlock(raw: Json, path: string, findings: Finding[]): ContentBlock {
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
      if (typeof block.mimeType !== 'string') return malformed('has no mimeType')
      const data = typeof block.data === 'string' ? decodeBase64(block.data) : undefined
      if (!data) return malformed('has no valid base64 data')
      return { ...block, type: block.type, mimeType: block.mimeType, data } as ContentBlock
    }
    case 'resource_link':
      if (typeof block.uri !== 'string') return malformed('has no uri')
      if (typeof block.name === 'string') return raw as unknown as ContentBlock
      findings.push({ code: 'mended-content', message: 'This link has no name; its uri stands in for it', path })
      return { ...(block as unknown as Resource), type: 'resource_link', name: block.uri }
    case 'resource': {
      const resource = decodeContents(block.resource ?? null)
      return resource
        ? ({ ...block, resource } as ContentBlock)
        : malformed('has no uri, or neither text nor valid base64,')
    }
    default:
      return kept('unknown-content', `A block of type ${nameOf(block.type)} is unknown and was kept as it came`)
  }
}

function decodeContents(raw: Json): ResourceContents | undefined {
  // Many servers send `null` for what they don't know.
  const { blob, mimeType, ...rest } = objectOf(raw)
  if (typeof rest.uri !== 'string') return undefined
  const contents = { ...rest, ...(typeof mimeType === 'string' && { mimeType }) }
  if (typeof rest.text === 'string') return contents as unknown as ResourceContents
  const bytes = typeof blob === 'string' ? decodeBase64(blob) : undefined
  return bytes && ({ ...contents, blob: bytes } as unknown as ResourceContents)
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function listOf(raw: JsonObject, key: string, findings: Finding[]): Json[] {
  const value = raw[key]
  if (Array.isArray(value)) return value
  if (value !== undefined)
    findings.push({ code: 'malformed-content', message: `"${key}" is no list and was left out`, path: `/${key}` })
  return []
}

/** A block's type, which a server may make as long and strange as it likes. */
const nameOf = (type: Json | undefined) => JSON.stringify(type ?? null).slice(0, 60)

function metaOf(value: Json | undefined): { _meta?: JsonObject } {
  return value === undefined ? {} : { _meta: objectOf(value) }
}
