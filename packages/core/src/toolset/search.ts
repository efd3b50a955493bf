import { ConfigError } from '../errors.js'
import type { Json, JsonObject } from '../protocol.js'
import type { ToolHandle } from './tools.js'

/** How much a word counts where it stands. */
const weights = { name: 4, title: 3, argument: 2, description: 1, argumentDescription: 0.5 }
/** What is read of one tool, in characters, and of its schema, in levels: a server may send any amount. */
const maxCharacters = 8_000
const maxDepth = 4
const maxQueryWords = 32
/** The parameters of BM25 as usual: how soon more of a word says no more, and how much a long text is held against it. */
const saturation = 1.2
const lengthPenalty = 0.75
/** What the beginning of a word counts against the whole of it. */
const prefixWeight = 0.5
const shortestPrefix = 2

interface Index {
  /** For each word which tools have it, by their places in the list, and how weightily. */
  postings: Map<string, Map<number, number>>
  lengths: number[]
  meanLength: number
}

/** By the snapshot of a set's tools, which is replaced at each change. */
const indexes = new WeakMap<readonly ToolHandle[], Index>()

/**
 * Ranks tools against a query by Okapi BM25 over weighted fields.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a `limit` that is no integer of at least 1.
 */
export function searchTools(
  tools: readonly ToolHandle[],
  query: string,
  { limit = 10 }: { limit?: number } = {},
): ToolHandle[] {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new ConfigError('"limit" must be an integer of at least 1', { data: { key: 'limit' } })
  const index = indexes.get(tools) ?? buildIndex(tools)
  indexes.set(tools, index)
  const scores = new Map<number, number>()
  for (const word of new Set(wordsOf(query).slice(0, maxQueryWords))) {
    for (const [place, score] of scoresOf(word, index)) scores.set(place, (scores.get(place) ?? 0) + score)
  }
  return [...scores]
    .sort(([onePlace, one], [otherPlace, other]) => other - one || onePlace - otherPlace)
    .slice(0, limit)
    .map(([place]) => tools[place]!)
}

/** What a word of the query counts for each tool: by its best match in that tool. */
function scoresOf(word: string, { postings, lengths, meanLength }: Index): Map<number, number> {
  const best = new Map<number, number>()
  for (const [found, places] of postings) {
    const isBeginning = word.length >= shortestPrefix && found.startsWith(word)
    if (found !== word && !isBeginning) continue
    const match = found === word ? 1 : (prefixWeight * word.length) / found.length
    const rarity = Math.log(1 + (lengths.length - places.size + 0.5) / (places.size + 0.5))
    for (const [place, count] of places) {
      const length = 1 - lengthPenalty + (lengthPenalty * lengths[place]!) / meanLength
      const score = (match * rarity * count * (saturation + 1)) / (count + saturation * length)
      best.set(place, Math.max(best.get(place) ?? 0, score))
    }
  }
  return best
}

function buildIndex(tools: readonly ToolHandle[]): Index {
  const postings: Index['postings'] = new Map()
  const lengths = tools.map((tool, place) => {
    let [length, left] = [0, maxCharacters]
    const read = (text: string, weight: number) => {
      for (const word of wordsOf(text.slice(0, left))) {
        const places = postings.get(word) ?? new Map<number, number>()
        postings.set(word, places.set(place, (places.get(place) ?? 0) + weight))
        length += weight
      }
      left = Math.max(0, left - text.length)
    }
    read(tool.tool.name, weights.name)
    read(tool.server, weights.title)
    if (tool.title !== tool.tool.name) read(tool.title, weights.title)
    read(tool.description, weights.description)
    readArguments(tool.tool.inputSchema, read)
    return length
  })
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1) || 1
  return { postings, lengths, meanLength }
}

function readArguments(schema: Json | undefined, read: (text: string, weight: number) => void, depth = 0): void {
  if (depth > maxDepth || !isObject(schema)) return
  if (isObject(schema.properties))
    for (const [name, argument] of Object.entries(schema.properties)) {
      read(name, weights.argument)
      if (!isObject(argument)) continue
      if (typeof argument.description === 'string') read(argument.description, weights.argumentDescription)
      readArguments(argument, read, depth + 1)
    }
  readArguments(schema.items, read, depth + 1)
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The words of a text, without case, accents and the plural's s: parts of `camelCase` and `snake_case` each by itself. Of
 * scripts that don't part words each character is one.
 */
function wordsOf(text: string): string[] {
  const parted = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  const plain = parted.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word))
}
