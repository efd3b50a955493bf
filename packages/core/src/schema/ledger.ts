import { cleanText } from '../clean-text.js'
import type { SchemaFault, SchemaLoss } from './loss.js'

/** What the copy of one schema has lost and cost. */
export interface Ledger {
  readonly losses: SchemaLoss[]
  readonly fault: SchemaFault | undefined
  lose(keyword: string, path: string, reason: string): void
  /** Names what people can't see: the first one found keeps the tool from models. */
  hide(path: string, what: string): void
  /**
   * Whether there is still room for so many parts, and characters in them. What references multiply is cut short; a
   * schema that is larger by itself keeps the tool from models.
   */
  spend(count: number, isReferred: boolean, characters?: number): boolean
  readonly isFull: boolean
}

/** Subschemas, and values to choose from, that a copy may have. OpenAI's limit on properties is as much. */
const maxParts = 5_000
/** Of names, texts and values: a few of them, referred to often, would be a request that nobody can write. */
export const maxCharacters = 1_000_000
const maxLosses = 200
/** Characters of a keyword that only its server knows. */
const maxKeywordLength = 80

export function createLedger(): Ledger {
  const losses: SchemaLoss[] = []
  let fault: SchemaFault | undefined
  let parts = 0
  let read = 0
  let isFull = false
  const lose: Ledger['lose'] = (keyword, path, reason) => {
    if (losses.length < maxLosses) losses.push({ keyword: shown(keyword), path: cleanText(path), reason })
  }
  return {
    losses,
    get fault() {
      return fault
    },
    lose,
    hide(path, what) {
      fault ??= { path: cleanText(path), reason: `${what} holds characters that people can't see` }
    },
    spend(count, isReferred, characters = 0) {
      parts += count
      read += characters
      if (parts <= maxParts && read <= maxCharacters) return true
      const limit = parts > maxParts ? `${maxParts} parts` : `${maxCharacters} characters`
      if (!isReferred) fault ??= { path: '', reason: `it has more than ${limit}` }
      else if (!isFull) lose('$ref', '', `of what references lead to, ${limit} are told`)
      isFull = true
      return false
    },
    get isFull() {
      return isFull
    },
  }
}

const shown = (keyword: string) => cleanText(keyword).slice(0, maxKeywordLength)
