import type { ContentBlock } from '../protocol.js'

/** What a block says in words, for providers that have no form of their own for it; undefined of bytes and the unknown. */
export function blockText(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') {
    const { title, name, uri, description } = block
    return `${title ?? name}: ${uri}${description ? ` (${description})` : ''}`
  }
  // With its address: a tool may give several, and a model asks for more by address.
  if (block.type === 'resource' && 'text' in block.resource) return `${block.resource.uri}:\n${block.resource.text}`
  return undefined
}

export interface BlockFile {
  mimeType: string
  bytes: Uint8Array<ArrayBuffer>
  /** Of a resource. */
  uri?: string
}

/** A block that is a file, wherever its bytes are; undefined of what is none. */
export function blockFile(block: ContentBlock): BlockFile | undefined {
  if (block.type === 'image' || block.type === 'audio')
    return { mimeType: plainType(block.mimeType), bytes: block.data }
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined
  const { uri, mimeType = 'application/octet-stream', blob } = block.resource
  return { mimeType: plainType(mimeType), bytes: blob, uri }
}

/** Without parameters and in lower case, as providers compare them; `image/jpg` is what many servers call `image/jpeg`. */
function plainType(mimeType: string): string {
  const type = mimeType.slice(0, 100).split(';')[0]!.trim().toLowerCase()
  return type === 'image/jpg' ? 'image/jpeg' : type
}
