import type { Json, JsonObject } from '../protocol.js'
import { isName, isObject, typesOf } from './keywords.js'

/** Told of a keyword that two schemas use in ways that one can't say. */
export type OnConflict = (keyword: string) => void

/**
 * One schema that says what two say together, as `allOf` and a reference with neighbours mean it. Titles, descriptions
 * and defaults are the first one's, where it has them.
 */
export function fold(first: JsonObject, second: JsonObject, onConflict: OnConflict): JsonObject {
  const folded: JsonObject = { ...second, ...first }
  for (const [keyword, own] of Object.entries(first)) {
    const other = second[keyword]
    if (other === undefined || annotations.has(keyword) || JSON.stringify(own) === JSON.stringify(other)) continue
    const both = foldKeyword(keyword, own, other, onConflict)
    if (both === undefined) onConflict(keyword)
    else folded[keyword] = both
  }
  return folded
}

const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'])

function foldKeyword(keyword: string, own: Json, other: Json, onConflict: OnConflict): Json | undefined {
  switch (keyword) {
    case 'type':
      return foldTypes(own, other)
    case 'enum':
      return foldLists(own, other, (both) => both.length > 0)
    case 'required':
      return Array.isArray(own) && Array.isArray(other) ? [...new Set([...own, ...other])] : undefined
    case 'properties':
      return isObject(own) && isObject(other) ? foldMaps(own, other, onConflict) : undefined
    case 'additionalProperties':
      if (own === false || other === false) return false
      if (own === true || other === true) return own === true ? other : own
      return isObject(own) && isObject(other) ? fold(own, other, onConflict) : undefined
    case 'items':
      return isObject(own) && isObject(other) ? fold(own, other, onConflict) : undefined
    case 'uniqueItems':
      return true
    default:
      if (typeof own !== 'number' || typeof other !== 'number') return undefined
      if (/^(min|exclusiveMin)/.test(keyword)) return Math.max(own, other)
      return /^(max|exclusiveMax)/.test(keyword) ? Math.min(own, other) : undefined
  }
}

function foldTypes(own: Json, other: Json): Json | undefined {
  const [mine, theirs] = [typesOf({ type: own }) ?? [], typesOf({ type: other }) ?? []]
  const fits = (type: string, list: string[]) => list.includes(type) || (type === 'integer' && list.includes('number'))
  const both = [
    ...new Set([...mine.filter((type) => fits(type, theirs)), ...theirs.filter((type) => fits(type, mine))]),
  ]
  return both.length > 1 ? both : both[0]
}

function foldLists(own: Json, other: Json, accept: (both: Json[]) => boolean): Json | undefined {
  if (!Array.isArray(own) || !Array.isArray(other)) return undefined
  const theirs = new Set(other.map((value) => JSON.stringify(value)))
  const both = own.filter((value) => theirs.has(JSON.stringify(value)))
  return accept(both) ? both : undefined
}

function foldMaps(own: JsonObject, other: JsonObject, onConflict: OnConflict): JsonObject {
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])].filter(isName)
  return Object.fromEntries(
    names.map((name): [string, Json] => {
      const mine = Object.hasOwn(own, name) ? own[name]! : undefined
      const theirs = Object.hasOwn(other, name) ? other[name]! : undefined
      return [name, isObject(mine) && isObject(theirs) ? fold(mine, theirs, onConflict) : (mine ?? theirs)!]
    }),
  )
}
