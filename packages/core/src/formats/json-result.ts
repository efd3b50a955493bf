/**
 * Results that go through JSON on their way to the model, as those of a chat do that a page keeps: bytes are written as
 * MCP's own base64, and read again. What comes back was in other hands, so nothing of it is taken for granted.
 */
import { encodeBase64 } from '../content/base64.js'
import { decodeCallToolResult } from '../content/decode.js'
import type { CallToolResult, ContentBlock, Json } from '../protocol.js'

/** The result with bytes that `JSON.stringify` writes as base64; of others it writes every single one as a number. */
export function jsonSafe(result: CallToolResult): CallToolResult {
  return { ...result, content: result.content.map(toJsonSafe) }
}

function toJsonSafe(block: ContentBlock): ContentBlock {
  if (block.type === 'image' || block.type === 'audio') return { ...block, data: writable(block.data) }
  if (block.type !== 'resource' || !('blob' in block.resource)) return block
  return { ...block, resource: { ...block.resource, blob: writable(block.resource.blob) } }
}

function writable(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  // A view of its own: the tool's may be somebody else's as well.
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Object.defineProperty(view, 'toJSON', { value: () => encodeBase64(view) })
}

/** The result again, whether it has been through JSON or not; of anything else, what can be read of it. */
export function reviveResult(value: unknown): CallToolResult {
  const result = fieldsOf(value)
  const content = Array.isArray(result.content) ? result.content.map(withBytes) : []
  // Bytes need no decoding, and the decoder would take them for malformed.
  const decoded = decodeCallToolResult({ ...result, content: content.map((block) => (isLive(block) ? null : block)) })
  return { ...decoded, content: decoded.content.map((block, at) => (isLive(content[at]) ? content[at] : block)) }
}

type Fields = { [key: string]: Json }
/** As JSON, which it is but for the bytes in it. */
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** A block as its server sent it, or with bytes in it: also where JSON has made an object of numbers of them. */
function withBytes(value: unknown): Json {
  const block = fieldsOf(value)
  if (block.type === 'unknown') return block.raw ?? null
  if (block.type !== 'resource') return { ...block, ...('data' in block && { data: bytesAgain(block.data) }) }
  const resource = fieldsOf(block.resource)
  return { ...block, resource: { ...resource, ...('blob' in resource && { blob: bytesAgain(resource.blob) }) } }
}

function bytesAgain(value: unknown): Json {
  const isMangled = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
  return (isMangled ? Uint8Array.from(Object.values(value)) : value) as Json
}

function isLive(value: unknown): value is ContentBlock {
  const block = fieldsOf(value)
  if (block.type === 'image' || block.type === 'audio')
    return ArrayBuffer.isView(block.data) && typeof block.mimeType === 'string'
  const { uri, blob, mimeType = '' } = fieldsOf(block.resource)
  return (
    block.type === 'resource' && ArrayBuffer.isView(blob) && typeof uri === 'string' && typeof mimeType === 'string'
  )
}
