import { cleanText } from '../clean-text.js'
import type { ContentBlock } from '../protocol.js'

/** A block with its texts clean; its bytes, and what no model is shown, are the same. */
export function cleanBlock(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: cleanText(block.text) }
    case 'image':
    case 'audio':
      return { ...block, mimeType: cleanText(block.mimeType) }
    case 'resource_link':
      return withoutData(withClean(block, ['uri', 'name', 'title', 'description', 'mimeType']))
    case 'resource':
      return { ...block, resource: withClean(block.resource, ['uri', 'mimeType', 'text']) }
    case 'unknown':
      return block
  }
}

/** A link whose address is its content: base64 is no text for a model. The app has it in the result. */
function withoutData<T extends { uri: string }>(link: T): T {
  const head = /^data:[^,]{0,100}/i.exec(link.uri)?.[0]
  return head === undefined ? link : { ...link, uri: `${head},…` }
}

/** Members that are no text after all, against their type, are left out. */
function withClean<T extends object>(value: T, keys: readonly string[]): T {
  const copy = { ...value } as Record<string, unknown>
  for (const key of keys) {
    if (typeof copy[key] === 'string') copy[key] = cleanText(copy[key])
    else delete copy[key]
  }
  return copy as T
}
