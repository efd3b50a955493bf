import type { Json, JsonObject } from '../protocol.js'
import { type Dialect, foreignKeywords } from './dialect.js'

/** How much work may still be done. */
export interface Meter {
  /** @throws {LimitError} when more was done than may be. */
  spend(units: number): void
  /** From now on this much. */
  allow(units: number): void
  /** Characters of the text that the validator was handed last: whatever schema it meets may read all of it. */
  textLength: number
}

/** A schema, or a value under it, that is too much to be checked. */
export class LimitError extends Error {}

/** Of schemas and values; each level is a few frames of the validator's. */
const maxDepth = 200
/** The validator reads a schema with its own `$id` twice, so that nested ones double the work at each level. */
const maxNestedIds = 3
/** What the validator's look at a schema costs, to which come its parts that are read whole. */
const unitsPerVisit = 3
/** Characters that are read in the time of one unit: of names, addresses and JSON, which are copied too; and of text. */
const charactersPerUnit = 16
const textPerUnit = 64

export function createMeter(): Meter {
  let left = 0
  return {
    spend(units) {
      left -= units
      if (left < 0) throw new LimitError('it would take too long')
    },
    allow(units) {
      left = units
    },
    textLength: 0,
  }
}

/** Keywords whose values are schemas by name: whatever a name is, it is no keyword. */
const mapKeywords = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
])
/** Keywords whose values are no schemas and are read whole at each visit. */
const valueKeywords = new Set(['const', 'enum', 'required', 'type'])
/** Keywords for which a text is read whole. */
const textKeywords = new Set(['const', 'enum', 'maxLength', 'minLength', 'pattern'])
/**
 * Keywords that decide nothing (`format` is an annotation, unless both sides agree on more), one that was `$id` in a
 * dialect which is not known here, and what the validator keeps of its own in a schema.
 */
const idleKeywords = new Set([
  '$comment',
  '$schema',
  '$vocabulary',
  '__absolute_recursive_ref__',
  '__absolute_ref__',
  '__absolute_uri__',
  'default',
  'description',
  'examples',
  'format',
  'id',
  'title',
])
/** Keywords by which a schema that allows more can make another refuse. */
const contraryKeywords = new Set([
  'else',
  'if',
  'maxContains',
  'not',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])

export interface MeteredOptions {
  dialect: Dialect
  meter: Meter
  /** Whether regular expressions are run. */
  patterns: boolean
}

/**
 * A copy of a schema that the validator pays for reading, for it has no limits of its own. Whenever it looks at a schema
 * it reads `$ref`, present or not: here that spends.
 *
 * Without patterns the copy never refuses what the original allows: keywords which could turn a pattern's absence into a
 * refusal are left out too, all over the schema, whatever refers to what.
 *
 * @throws {LimitError} when it is too large, too deep, or uses what the validator does not know.
 */
export function meterSchema(schema: JsonObject, options: MeteredOptions): JsonObject {
  const place = { depth: 0, pathLength: 0, ids: 0 }
  const copying = { ...options, weakened: false }
  const copy = copySchema(schema, place, copying) as JsonObject
  return copying.weakened ? (copySchema(schema, place, copying) as JsonObject) : copy
}

interface Place {
  depth: number
  /** Characters of the address that the validator gives to what stands here. */
  pathLength: number
  ids: number
}

interface Copying extends MeteredOptions {
  /** Whether a pattern was left out. */
  weakened: boolean
}

function copySchema(value: Json, place: Place, copying: Copying): Json {
  enter(value, place, copying)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, index) => copySchema(item, below(place, String(index)), copying))
  const inside = placeInside(value, place)
  const readsText = Object.keys(value).some((keyword) => textKeywords.has(keyword))
  let weight = unitsPerVisit
  // Without a prototype `__proto__` is a name as any other.
  const copy: JsonObject = Object.create(null)
  for (const [keyword, child] of Object.entries(value)) {
    if (isLeftOut(keyword, value, copying)) continue
    // The validator takes no notice of it, and would allow everything.
    if (keyword === '$dynamicRef') throw new LimitError('"$dynamicRef" is not followed')
    const here = below(inside, keyword)
    if (valueKeywords.has(keyword)) {
      weight += JSON.stringify(child).length / charactersPerUnit
      copy[keyword] = child
    } else if (mapKeywords.has(keyword)) copy[keyword] = copyMap(child, here, copying)
    else {
      // What is true or false needs no look, but a turn of a loop.
      if (Array.isArray(child)) weight += child.length
      // That only one may match can't be said where each may match more than it should.
      copy[keyword === 'oneOf' && copying.weakened ? 'anyOf' : keyword] = copySchema(child, here, copying)
    }
  }
  const { $ref } = copy
  Object.defineProperty(copy, '$ref', {
    get() {
      copying.meter.spend(weight + (readsText ? copying.meter.textLength / textPerUnit : 0))
      return $ref
    },
  })
  return copy
}

function copyMap(value: Json, place: Place, copying: Copying): Json {
  enter(value, place, copying)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const copy: JsonObject = Object.create(null)
  for (const [name, child] of Object.entries(value)) copy[name] = copySchema(child, below(place, name), copying)
  return copy
}

function placeInside({ $id }: JsonObject, place: Place): Place {
  // Of draft-07: a mere anchor.
  if (typeof $id !== 'string' || $id.startsWith('#')) return place
  if (place.ids === maxNestedIds) throw new LimitError('its "$id"s are nested too deep')
  return below({ ...place, ids: place.ids + 1 }, $id)
}

function isLeftOut(keyword: string, schema: JsonObject, copying: Copying): boolean {
  if (idleKeywords.has(keyword) || foreignKeywords[copying.dialect].has(keyword)) return true
  if (copying.patterns) return false
  if (keyword === 'pattern' || keyword === 'patternProperties') {
    copying.weakened = true
    return true
  }
  if (!copying.weakened) return false
  if (keyword === 'additionalProperties') return Object.hasOwn(schema, 'patternProperties')
  return contraryKeywords.has(keyword) || (keyword === 'oneOf' && Object.hasOwn(schema, 'anyOf'))
}

const below = (place: Place, name: string): Place => ({
  ...place,
  depth: place.depth + 1,
  pathLength: place.pathLength + name.length + 1,
})

function enter(value: Json, { depth, pathLength }: Place, { meter }: Copying): void {
  if (depth > maxDepth) throw new LimitError('it is nested too deep')
  meter.spend(1 + (pathLength + (typeof value === 'string' ? value.length : 0)) / charactersPerUnit)
}

/**
 * A value as the validator may see it: whatever it reads of it spends.
 *
 * @throws {LimitError} when it is nested too deep.
 */
export function meterValue(value: Json, meter: Meter, depth = 0): Json {
  meter.textLength = typeof value === 'string' ? value.length : 0
  // It may be compared with others.
  meter.spend(meter.textLength / textPerUnit)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) throw new LimitError('it is nested too deep')
  const pay = (target: object, key: string | symbol) => {
    const length = key === 'length' && Array.isArray(target) ? target.length : 1
    meter.spend(length + String(key).length / charactersPerUnit)
  }
  return new Proxy(value, {
    get(target, key) {
      pay(target, key)
      return meterValue((target as { [key: string | symbol]: Json })[key]!, meter, depth + 1)
    },
    getOwnPropertyDescriptor(target, key) {
      pay(target, key)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target)
      meter.spend(keys.length)
      // Names are handed out as texts too.
      meter.textLength = keys.reduce((longest, key) => Math.max(longest, String(key).length), 0)
      return keys
    },
  }) as Json
}
