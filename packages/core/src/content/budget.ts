import { ConfigError } from '../errors.js'
import type { ContentBlock } from '../protocol.js'
import { labelFor, leftOut, spaced, tellLoss } from './label.js'
import type { BlockForModel, ContentBudget, ModelOutputOptions } from './model-options.js'
import { fittingPart } from './text-size.js'

const defaultBudget: Required<ContentBudget> = {
  blockBytes: 10 * 1024 * 1024,
  textBytes: 256 * 1024,
  resultBytes: 20 * 1024 * 1024,
  resultTokens: 50_000,
}

/** A result of a million empty blocks is large as well. */
const tokensPerBlock = 4
/** A file is words as well: where a provider takes none, its label. */
const tokensPerFile = 32
/** A label is short, but a thousand of them are not: after so many, one stands for the rest. */
const maxLabels = 16

const overBudget = 'over the budget of the result'

/** The blocks within the budget; labels stand for the others, and for what no model can be shown. */
export function withinBudget(blocks: readonly BlockForModel[], options: ModelOutputOptions): BlockForModel[] {
  const left = budgetOf(options)
  const shown: BlockForModel[] = []
  let labels = 0
  for (const each of blocks) {
    const { block, index } = each
    // Its label is the format's to put.
    if (block.type === 'unknown' && labels++ < maxLabels) {
      shown.push(each)
      continue
    }
    const { caption, text, size = 0 } = partsOf(block)
    const least = size > 0 ? tokensPerFile : tokensPerBlock
    const named = fittingPart(caption, Math.min(left.textBytes, left.resultBytes), left.resultTokens - least)
    const fits = named.end === caption.length && named.bytes + size <= left.resultBytes && left.resultTokens >= least
    const reason = unfitness(block) ?? (size > left.blockBytes ? 'over blockBytes' : fits ? undefined : overBudget)
    if (!reason) {
      left.resultBytes -= named.bytes + size
      left.resultTokens -= named.tokens + least
      const cut = text && cutText(text, index, left, options)
      if (!text || cut) {
        shown.push(cut === text ? each : { block: withText(block, cut!), index })
        continue
      }
    }
    const label = labelFor(each, reason ?? overBudget, options)
    if (block.type === 'unknown' || labels++ >= maxLabels) continue
    shown.push({ block: { type: 'text', text: label }, index })
  }
  const uncounted = labels - maxLabels
  if (uncounted > 0) {
    const text = leftOut(`${uncounted} more ${uncounted === 1 ? 'block' : 'blocks'}`)
    shown.push({ block: { type: 'text', text }, index: blocks.at(-1)!.index })
  }
  return shown
}

/**
 * A text as far as the budget goes, and a label for the rest; undefined when nothing of it fits.
 *
 * @param left - What is left of the budget; the text is taken off.
 */
export function cutText(
  text: string,
  index: number,
  left: Required<ContentBudget>,
  options: ModelOutputOptions,
): string | undefined {
  const { end, bytes, tokens } = fittingPart(text, Math.min(left.textBytes, left.resultBytes), left.resultTokens)
  if (end === 0) return undefined
  left.resultBytes -= bytes
  left.resultTokens -= tokens
  if (end === text.length) return text
  const rest = fittingPart(text.slice(end), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).bytes
  const handle = tellLoss(index, bytes + rest > left.textBytes ? 'over textBytes' : overBudget, { text }, options)
  const size = `${spaced(rest)} of ${spaced(bytes + rest)} bytes`
  const where = handle ? `; handle "${handle}", from ${end}` : ''
  return `${text.slice(0, end)}\n${leftOut(`the rest of this text, ${size}${where}`)}`
}

/** @throws {ConfigError} `ERR_MCP_CONFIG` for what is no number from 0 to `Infinity`. */
export function budgetOf({ budget = {} }: ModelOutputOptions): Required<ContentBudget> {
  for (const [key, value] of Object.entries(budget))
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new ConfigError(`"budget.${key}" must be a number from 0, or Infinity`, { data: { key: `budget.${key}` } })
  const { blockBytes, textBytes, resultBytes, resultTokens } = defaultBudget
  return {
    blockBytes: budget.blockBytes ?? blockBytes,
    textBytes: budget.textBytes ?? textBytes,
    resultBytes: budget.resultBytes ?? resultBytes,
    resultTokens: budget.resultTokens ?? resultTokens,
  }
}

/** Why no model can be shown a block, however large: its provider would refuse the whole request. */
function unfitness(block: ContentBlock): string | undefined {
  switch (block.type) {
    case 'image':
    case 'audio':
      if (block.data.byteLength === 0) return 'empty'
      // Sound has containers that are called otherwise; which of them it takes is its provider's to know.
      return block.type === 'image' && !/^image\//i.test(block.mimeType) ? 'not an image' : undefined
    case 'resource':
      return 'blob' in block.resource && block.resource.blob.byteLength === 0 ? 'empty' : undefined
    default:
      return undefined
  }
}

/** What a block takes: text that is shown whole or not at all, text that can be cut, bytes. */
function partsOf(block: ContentBlock): { caption: string; text?: string; size?: number } {
  switch (block.type) {
    case 'text':
      return { caption: '', text: block.text }
    case 'image':
    case 'audio':
      return { caption: block.mimeType, size: block.data.byteLength }
    case 'resource_link': {
      const { uri, name, title = '', description = '', mimeType = '' } = block
      return { caption: [uri, name, title, description, mimeType].join('\n') }
    }
    case 'resource': {
      const { resource } = block
      const caption = `${resource.uri}\n${resource.mimeType ?? ''}`
      return 'text' in resource ? { caption, text: resource.text } : { caption, size: resource.blob.byteLength }
    }
    case 'unknown':
      return { caption: '' }
  }
}

function withText(block: ContentBlock, text: string): ContentBlock {
  return block.type === 'resource'
    ? { ...block, resource: { ...block.resource, text } as typeof block.resource }
    : ({ ...block, text } as ContentBlock)
}
