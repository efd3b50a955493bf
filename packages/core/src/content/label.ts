import { cleanText } from '../clean-text.js'
import type { ContentBlock, JsonObject } from '../protocol.js'
import { jsonText } from './json-text.js'
import type { BlockForModel, ModelOutputOptions } from './model-options.js'
import type { Rest } from './rest-store.js'
import { utf8Length } from './text-size.js'

/** What a model reads where a result holds nothing for it. */
export const userOnlyLabel = '[The result is for the user only]'

/** What a model reads in place of a block that it can't have. */
export const leftOut = (what: string): string => `[Left out: ${what}]`

/**
 * The label that stands where a block is left out: what it is, how large, and the handle of what was left out where
 * `rest` keeps it. `onLoss` is told.
 *
 * @param reason - For `onLoss`, in a few words.
 */
export function labelFor({ block, index }: BlockForModel, reason: string, options: ModelOutputOptions): string {
  const handle = tellLoss(index, reason, restOf(block), options)
  return leftOut(`${describeBlock(block)}${handle ? `; handle "${handle}"` : ''}`)
}

/** Keeps what is lost, where it can be, and tells the app. */
export function tellLoss(
  block: number,
  reason: string,
  lost: Rest | undefined,
  { onLoss, rest }: ModelOutputOptions,
): string | undefined {
  const handle = lost && rest?.keep(lost)
  onLoss?.({ block, reason, ...(handle && { handle }) })
  return handle
}

/** A block in a few words. */
export function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `text, ${bytesOf(utf8Length(block.text))}`
    case 'image':
    case 'audio':
      return `${block.type}, ${short(block.mimeType)}, ${bytesOf(block.data.byteLength)}`
    case 'resource_link':
      return `link to ${short(block.uri)}`
    case 'resource': {
      const { resource } = block
      const [type, size] =
        'text' in resource
          ? ['text', utf8Length(resource.text)]
          : ['application/octet-stream', resource.blob.byteLength]
      return `resource ${short(resource.uri)}, ${short(resource.mimeType ?? type)}, ${bytesOf(size)}`
    }
    case 'unknown': {
      const { type } = (block.raw ?? {}) as JsonObject
      // Of the server's making, so no more of it than a name can be.
      const named = typeof type === 'string' && /^[\w-]{1,40}$/.test(type)
      return `${named ? `content of type "${type}"` : 'content'} that is not known here or could not be read`
    }
  }
}

/** A number that people and models can read. */
export const spaced = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ' ')

const bytesOf = (count: number) => `${spaced(count)} bytes`

/** A server's words in a label: one line, and not so long that the label is a text of its own. */
export function short(text: string): string {
  const line = cleanText(text.slice(0, 1_000)).replace(/\s+/g, ' ')
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}

/** What is kept of a block that is left out; nothing of a link, which is a reference itself. */
function restOf(block: ContentBlock): Rest | undefined {
  switch (block.type) {
    case 'text':
      return { text: block.text }
    case 'image':
    case 'audio':
      return { mimeType: block.mimeType, bytes: block.data }
    case 'resource': {
      const { resource } = block
      const type = resource.mimeType !== undefined && { mimeType: resource.mimeType }
      return 'text' in resource ? { text: resource.text, ...type } : { bytes: resource.blob, ...type }
    }
    case 'resource_link':
      return undefined
    case 'unknown':
      return { mimeType: 'application/json', text: jsonText(block.raw) }
  }
}
