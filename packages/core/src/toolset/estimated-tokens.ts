import { estimateTokens } from '../content/tokens.js'
import type { ToolHandle } from './tools.js'

/** By the handle, which stays the same for as long as its server is not listed anew. */
const known = new WeakMap<ToolHandle, number>()

/** What these tools cost a model, roughly. */
export function estimatedTokensOf(tools: readonly ToolHandle[]): number {
  return tools.reduce((sum, handle) => {
    const tokens = known.get(handle) ?? tokensOf(handle)
    known.set(handle, tokens)
    return sum + tokens
  }, 0)
}

const tokensOf = ({ name, description, tool: { inputSchema } }: ToolHandle) =>
  estimateTokens({ name, description, inputSchema })
