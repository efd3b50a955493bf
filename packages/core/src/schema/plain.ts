import { hiddenIn } from '../clean-text.js'
import type { Json, JsonObject } from '../protocol.js'
import { fold } from './fold.js'
import { consumed, isName, isObject, isOfType, kinds, typesOf } from './keywords.js'
import { createLedger } from './ledger.js'
import type { SchemaFault, SchemaLoss } from './loss.js'
import { mended } from './mended.js'
import { ownLength } from './own-length.js'
import { step } from './pointer.js'
import { createReferences } from './references.js'
import { plainValue } from './values.js'

/** A schema in its plainest form, and where each part of it stands in the server's. */
export interface PlainSchema {
  schema: JsonObject
  losses: SchemaLoss[]
  pathOf(part: JsonObject): string | undefined
}

const maxDepth = 32
/** How often what a reference leads to may stand within itself. */
const maxRecursion = 3
const maxAllOf = 64
const references = ['$ref', '$dynamicRef', '$recursiveRef']

interface Place {
  path: string
  /** Whose value it is. */
  keyword: string
  depth: number
  /** What the references on the way here lead to. */
  within: readonly unknown[]
}

/**
 * A copy without `$ref`, `allOf`, boolean subschemas and earlier drafts' keywords, whose every keyword has a value that
 * it can have, and whose texts hold nothing that people can't see.
 */
export function plainSchema(root: JsonObject): PlainSchema | { fault: SchemaFault } {
  const paths = new WeakMap<JsonObject, string>()
  const { find } = createReferences(root)
  const ledger = createLedger()
  const { lose, hide, spend } = ledger

  function expand(raw: unknown, place: Place): JsonObject {
    const copy = copyOf(raw, place)
    paths.set(copy, place.path)
    return copy
  }

  function copyOf(raw: unknown, place: Place): JsonObject {
    if (raw === true) return {}
    if (raw === false) return { not: {} }
    if (!isObject(raw)) return missing(place, 'it is no schema')
    if (place.depth > maxDepth) return missing(place, `it lies deeper than ${maxDepth} levels`)
    if (ledger.isFull) return {}
    return spend(1, isReferred(place), ownLength(raw)) ? assemble(raw, place) : {}
  }

  function missing({ keyword, path }: Pick<Place, 'keyword' | 'path'>, reason: string): JsonObject {
    lose(keyword, path, reason)
    return {}
  }

  /** Its own keywords first: a description beside a reference is about this use of what it leads to. */
  function assemble(raw: JsonObject, place: Place): JsonObject {
    const { path } = place
    const loseOwn = (keyword: string, reason: string) => lose(keyword, step(path, keyword), reason)
    let copy = ownKeywords(mended(raw, loseOwn), place)
    const add = (other: JsonObject) => {
      copy = fold(copy, other, (keyword) => loseOwn(keyword, 'it is said twice, in different ways'))
    }
    for (const keyword of references) {
      const reference = raw[keyword]
      if (typeof reference === 'string') add(follow(reference, below(place, keyword)))
    }
    if (Array.isArray(raw.allOf)) {
      if (raw.allOf.length > maxAllOf) loseOwn('allOf', `only the first ${maxAllOf} of it are told`)
      for (const [index, branch] of raw.allOf.slice(0, maxAllOf).entries())
        add(expand(branch, below(place, 'allOf', index)))
    }
    return withFittingValues(withNamed(copy, place))
  }

  function follow(reference: string, place: Place): JsonObject {
    const target = find(reference)
    if (!target) return missing(place, 'it leads to nothing in this schema')
    const { schema, path } = target
    if (place.within.filter((one) => one === schema).length >= maxRecursion)
      return missing(place, `it leads into itself, and is followed ${maxRecursion} times`)
    return expand(schema, { ...place, path, within: [...place.within, schema] })
  }

  function ownKeywords(raw: JsonObject, place: Place): JsonObject {
    const copy: JsonObject = {}
    for (const [keyword, value] of Object.entries(raw)) {
      if (consumed.has(keyword) || keyword === 'allOf' || value === undefined) continue
      const kept = keywordValue(keyword, value, place)
      if (kept !== undefined) copy[keyword] = kept
      else
        lose(
          keyword,
          step(place.path, keyword),
          kinds.has(keyword) ? 'its value is none that it can have here' : 'it is no keyword of JSON Schema',
        )
    }
    return copy
  }

  function keywordValue(keyword: string, value: Json, place: Place): Json | undefined {
    const kind = kinds.get(keyword)
    switch (kind) {
      case undefined:
        return undefined
      case 'schema':
        if (keyword === 'additionalProperties' && typeof value === 'boolean') return value
        return isObject(value) || typeof value === 'boolean' ? expand(value, below(place, keyword)) : undefined
      case 'schemas':
        return schemas(value, keyword, place)
      case 'schema map':
        return isObject(value) ? schemaMap(value, keyword, place) : undefined
      default:
        return plainValue(keyword, kind, value, step(place.path, keyword), ledger)
    }
  }

  function schemas(value: Json, keyword: string, place: Place): Json | undefined {
    if (!Array.isArray(value)) return undefined
    const branches = value.flatMap((branch, index) =>
      branch === false && keyword !== 'prefixItems' ? [] : [expand(branch, below(place, keyword, index))],
    )
    return branches.length > 0 ? branches : undefined
  }

  function schemaMap(map: JsonObject, keyword: string, place: Place): JsonObject {
    return Object.fromEntries(
      Object.entries(map).flatMap(([name, schema]): [string, Json][] => {
        const inner = below(place, keyword, name)
        if (hiddenIn(name).length > 0) hide(inner.path, 'the name of a property')
        if (schema === undefined || ledger.isFull) return []
        if (schema !== false) return [[name, expand(schema, inner)]]
        lose(keyword, inner.path, 'nothing can be given for it')
        return []
      }),
    )
  }

  /** What is required and lacks a schema can be anything; unless nothing is allowed but what has one. */
  function withNamed(copy: JsonObject, place: Place): JsonObject {
    const { path } = place
    const { required, properties, type, additionalProperties } = copy
    if (!Array.isArray(required) || !(isObject(properties) || type === 'object')) return copy
    const known = isObject(properties) ? properties : {}
    const names = required.filter(isName)
    const absent = names.filter((name) => !Object.hasOwn(known, name))
    if (absent.length === 0) return copy
    if (additionalProperties === false) {
      lose('required', step(path, 'required'), 'it names a property that is not allowed')
      return { ...copy, required: names.filter((name) => Object.hasOwn(known, name)) }
    }
    for (const name of absent)
      if (hiddenIn(name).length > 0) hide(step(path, 'required'), 'the name of a required property')
    if (!spend(absent.length, isReferred(place))) return copy
    const schema = isObject(additionalProperties) ? additionalProperties : {}
    const added = absent.map((name): [string, JsonObject] => [name, schema])
    return { ...copy, properties: Object.fromEntries([...Object.entries(known), ...added]) }
  }

  const schema = expand(root, { path: '', keyword: 'type', depth: 0, within: [root] })
  const { fault, losses } = ledger
  return fault ? { fault } : { schema, losses, pathOf: (part) => paths.get(part) }
}

const below = ({ path, depth, within }: Place, keyword: string, key?: string | number): Place => ({
  path: key === undefined ? step(path, keyword) : step(step(path, keyword), key),
  keyword,
  depth: depth + 1,
  within,
})

/** Whether it was a reference that led here. */
const isReferred = ({ within }: Place): boolean => within.length > 1

/** A value that the type excludes can't be chosen. */
function withFittingValues(copy: JsonObject): JsonObject {
  const allowed = typesOf(copy)
  if (!allowed || !Array.isArray(copy.enum)) return copy
  const fitting = copy.enum.filter((value) => allowed.some((type) => isOfType(value, type)))
  return fitting.length === 0 ? copy : { ...copy, enum: fitting }
}
