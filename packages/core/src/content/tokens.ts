import type { Json } from '../protocol.js'
import { jsonText } from './json-text.js'
import { fittingPart } from './text-size.js'

/**
 * Roughly how many tokens a text is, or a JSON value as it is sent: an estimate by script, since a token is about four
 * letters of English, but half a word of Russian and about one Chinese character.
 *
 * @param value - A text as it is; any other value as its JSON.
 * @returns An integer >= 0; for prose, code, JSON and logs within a third of what `o200k_base` counts.
 */
export function estimateTokens(value: Json): number {
  const text = typeof value === 'string' ? value : jsonText(value)
  return Math.ceil(fittingPart(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).tokens)
}
