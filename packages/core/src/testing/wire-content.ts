import { encodeBase64 } from '../content/base64.js'
import type { CallToolResult, ContentBlock } from '../protocol.js'

/** A block as it goes over the wire: bytes are base64 there. */
export function toWireBlock(block: ContentBlock): object {
  switch (block.type) {
    case 'image':
    case 'audio':
      return { ...block, data: encodeBase64(block.data) }
    case 'resource':
      return { ...block, resource: toWireContents(block.resource) }
    case 'unknown':
      return block.raw as object
    default:
      return block
  }
}

/** Findings are the client's: no server sends them. */
export function toWireResult({ findings: _, content, ...rest }: CallToolResult): object {
  return { content: content.map(toWireBlock), ...rest }
}

export function toWireContents(contents: object): object {
  if (!('blob' in contents) || !(contents.blob instanceof Uint8Array)) return contents
  return { ...contents, blob: encodeBase64(contents.blob) }
}
