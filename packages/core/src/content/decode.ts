import { hiddenIn } from '../clean-text.js'
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
  ResourceContents,
} from '../protocol.js'
import { decodeBinary } from './binary.js'
import { sniffType } from './media-type.js'

/**
 * A result with its binary content as bytes, block by block: what can be mended is, what can't be read is kept as it came,
 * and both are reported. Text stays as it came, too; what is hidden in it is reported.
 */
export function decodeCallToolResult(raw: JsonObject): CallToolResult {
  const findings: Finding[] = []
  const { structuredContent, isError, _meta } = raw
  // Taken for what it is meant as: an error that passes for a success misleads a model.
  const failed = isError === true || isError === 'true' || isError === 1
  if (isError != null && typeof isError !== 'boolean') {
    const message = `"isError" is no boolean; read as ${failed}`
    findings.push({ code: 'mended-content', message, path: '/isError' })
  }
  if (structuredContent !== undefined) reportHidden(structuredContent, '/structuredContent', findings)
  return {
    // Servers with structured content leave the content out, though it is required.
    content: listOf(raw, 'content', findings).map((block, index) => decodeBlock(block, `/content/${index}`, findings)),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(failed && { isError: true }),
    findings,
    ...metaOf(_meta),
  }
}

export function decodeReadResourceResult(raw: JsonObject): ReadResourceResult {
  const findings: Finding[] = []
  const contents = listOf(raw, 'contents', findings).flatMap((item, index) => {
    const decoded = decodeContents(item, `/contents/${index}`, findings)
    if (decoded && !('link' in decoded)) return [decoded]
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
      if (typeof block.text !== 'string') return malformed('has no text')
      reportHidden(block.text, path, findings)
      return raw as ContentBlock
    case 'image':
    case 'audio': {
      const binary = decodeBinary(block, 'data', path, findings)
      if (!binary) return malformed('has no valid base64 data')
      const { data, ...rest } = block
      if ('uri' in binary) return decodeLink({ ...rest, uri: binary.uri }, path, findings, linkInstead)
      const { mimeType = 'application/octet-stream', bytes } = binary
      const [kind] = /^(image|audio)(?=\/)/.exec(sniffType(bytes) ?? '') ?? []
      const type = kind && mimeType.startsWith(kind) ? kind : block.type
      if (type !== block.type) {
        const message = `Sent as ${block.type}, but its bytes are ${mimeType}`
        findings.push({ code: 'mended-content', message, path: `${path}/type` })
      }
      return { ...block, type, mimeType, data: bytes } as ContentBlock
    }
    case 'resource_link':
      return typeof block.uri === 'string' ? decodeLink(block, path, findings) : malformed('has no uri')
    case 'resource': {
      const resource = decodeContents(block.resource ?? null, `${path}/resource`, findings)
      if (!resource) return malformed('has no uri, or neither text nor valid base64,')
      if (!('link' in resource)) return { ...block, resource } as ContentBlock
      const { resource: _, ...rest } = block
      const { uri, link, mimeType = null } = resource
      return decodeLink({ ...rest, uri: link, name: uri, mimeType }, path, findings, linkInstead)
    }
    default:
      return kept('unknown-content', `A block of type ${nameOf(block.type)} is unknown and was kept as it came`)
  }
}

const linkInstead = 'A URL where base64 belongs; made a link, not fetched'

function decodeLink(raw: JsonObject, path: string, findings: Finding[], mended?: string): ContentBlock {
  const link: JsonObject = { ...raw, type: 'resource_link' }
  // Many servers send `null` for what they don't know.
  for (const key of ['title', 'description', 'mimeType']) if (typeof link[key] !== 'string') delete link[key]
  if (mended) findings.push({ code: 'mended-content', message: mended, path })
  else if (typeof link.name !== 'string')
    findings.push({ code: 'mended-content', message: 'This link has no name; its uri stands in for it', path })
  if (typeof link.name !== 'string') link.name = link.uri!
  const { uri, name, title = '', description = '' } = link
  reportHidden([uri!, name!, title, description], path, findings)
  return link as unknown as ContentBlock
}

function decodeContents(
  raw: Json,
  path: string,
  findings: Finding[],
): ResourceContents | { uri: string; link: string; mimeType?: string } | undefined {
  const { blob, mimeType: declared, ...rest } = objectOf(raw)
  if (typeof rest.uri !== 'string') return undefined
  const withType = (mimeType: Json | undefined) => ({ ...rest, ...(typeof mimeType === 'string' && { mimeType }) })
  if (typeof rest.text === 'string') {
    reportHidden([rest.uri, rest.text], path, findings)
    return withType(declared) as unknown as ResourceContents
  }
  const binary = decodeBinary(objectOf(raw), 'blob', path, findings)
  if (!binary) return undefined
  if ('uri' in binary) return { ...withType(declared), uri: rest.uri, link: binary.uri }
  reportHidden(rest.uri, path, findings)
  return { ...withType(binary.mimeType), blob: binary.bytes } as unknown as ResourceContents
}

/** Once per block: whose text it is says more than each place in it. */
function reportHidden(value: Json, path: string, findings: Finding[]): void {
  const kinds = hiddenIn(value)
  if (kinds.length === 0) return
  findings.push({ code: 'hidden-text', message: `Models are shown this without its ${kinds.join(', ')}`, path })
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function listOf(raw: JsonObject, key: string, findings: Finding[]): Json[] {
  const value = raw[key]
  if (Array.isArray(value)) return value
  const mended = (what: string) =>
    findings.push({ code: 'mended-content', message: `"${key}" is no list; ${what}`, path: `/${key}` })
  if (value === null) mended('read as an empty one')
  if (value == null) return []
  mended('read as its only item')
  return [typeof value === 'string' && key === 'content' ? { type: 'text', text: value } : value]
}

/** A block's type, which a server may make as long and strange as it likes. */
const nameOf = (type: Json | undefined) =>
  typeof type === 'string' ? JSON.stringify(type.slice(0, 60)) : 'that is no text'

function metaOf(value: Json | undefined): { _meta?: JsonObject } {
  return value === undefined ? {} : { _meta: objectOf(value) }
}
