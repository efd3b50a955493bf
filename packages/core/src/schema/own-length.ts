import type { JsonObject } from '../protocol.js'
import { isName, isObject, kinds } from './keywords.js'
import { maxCharacters } from './ledger.js'
import { isTooLong } from './values.js'

/** Keywords whose names are read, and whose schemas are parts of their own. */
const maps = new Set(['patternProperties', 'properties', 'dependentSchemas'])

/**
 * How much is read of a schema but for the schemas in it: its keywords, the names of its properties, its texts and
 * values, about as long as their JSON. Counted no further than past the limit.
 */
export function ownLength(schema: JsonObject): number {
  let length = 0
  const ahead: unknown[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    length += keyword.length + 1
    if (maps.has(keyword)) ahead.push(isObject(value) ? Object.keys(value) : undefined)
    // What is left out unread costs nothing.
    else if ((!isSchemas(keyword) || isName(value)) && !isTooLong(keyword, value)) ahead.push(value)
  }
  // No recursion: a default may be nested as deep as the reply is long.
  while (ahead.length > 0 && length <= maxCharacters) {
    const next = ahead.pop()
    length += typeof next === 'string' ? next.length + 1 : 1
    if (typeof next !== 'object' || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      length += key.length
      ahead.push(inner)
    }
  }
  return length
}

/** What is no keyword, or resolved where it is met, is not copied: but for a reference's own text it costs nothing. */
function isSchemas(keyword: string): boolean {
  const kind = kinds.get(keyword)
  return kind === undefined || kind === 'schema' || kind === 'schemas'
}
