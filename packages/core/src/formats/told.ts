import {
  type BlockForModel,
  blocksForModel,
  errorText,
  type ModelOutputOptions,
  toolError,
  userOnlyLabel,
} from '../content/model-output.js'
import { McpError } from '../errors.js'
import type { CallToolResult } from '../protocol.js'

/** What a model is told of a call: the result's blocks, or in words why it failed. */
export type Told = { blocks: BlockForModel[] } | { failed: string }

export function toTold(outcome: CallToolResult | McpError, options: ModelOutputOptions): Told {
  if (McpError.is(outcome)) return { failed: errorText(outcome, options) }
  if (outcome.isError) return { failed: toolError(outcome, options).message }
  const blocks = blocksForModel(outcome, options)
  return { blocks: blocks === 'user-only' ? [{ block: { type: 'text', text: userOnlyLabel }, index: 0 }] : blocks }
}
