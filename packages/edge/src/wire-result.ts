import type { CallToolResult, ContentBlock, Json, JsonObject, ResourceContents } from '@x/core'

/** Keys of `_meta` that each hop of the protocol sets for itself. */
const reserved = 'io.modelcontextprotocol/'

/** A result as it goes on the wire: bytes as base64 again, and without what this hop found or the last one claimed. */
export function encodeCallToolResult({ content, findings: _, _meta, ...result }: CallToolResult): JsonObject {
  const meta = _meta && withoutReserved(_meta)
  return {
    ...result,
    content: content.map(encodeBlock),
    ...(meta && Object.keys(meta).length > 0 && { _meta: meta }),
  }
}

export function withoutReserved(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => !key.startsWith(reserved) && key !== 'progressToken'),
  )
}

function encodeBlock(block: ContentBlock): Json {
  switch (block.type) {
    case 'text':
    case 'resource_link':
      return block as unknown as JsonObject
    case 'image':
    case 'audio':
      return { ...(block as unknown as JsonObject), data: encodeBase64(block.data) }
    case 'resource':
      return { ...(block as unknown as JsonObject), resource: encodeContents(block.resource) }
    case 'unknown':
      return block.raw
  }
}

function encodeContents(contents: ResourceContents): JsonObject {
  const plain = contents as unknown as JsonObject
  return 'blob' in contents ? { ...plain, blob: encodeBase64(contents.blob) } : plain
}

/** In pieces: a call with a million arguments overflows the stack. */
function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  return btoa(binary)
}
