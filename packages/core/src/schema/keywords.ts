import { hiddenIn } from '../clean-text.js'
import type { Json, JsonObject } from '../protocol.js'

/** What a keyword's value has to be. */
export type Kind =
  | 'type'
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'number'
  | 'count'
  | 'flag'
  | 'text'
  | 'pattern'
  | 'names'
  | 'names map'
  | 'value'
  | 'values'

/**
 * Keywords that a copy may hold, by what their value is. Those that are resolved in it, like `$ref`, are none of them;
 * nor is what only some tool of the server's knows, since nobody has said what it does to a model.
 *
 * @see {@link https://json-schema.org/draft/2020-12/json-schema-validation}
 */
export const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['type', 'type'],
  ['title', 'text'],
  ['description', 'text'],
  ['default', 'value'],
  ['examples', 'values'],
  ['deprecated', 'flag'],
  ['readOnly', 'flag'],
  ['writeOnly', 'flag'],
  ['enum', 'values'],
  ['const', 'value'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['dependentSchemas', 'schema map'],
  ['dependentRequired', 'names map'],
  ['properties', 'schema map'],
  ['required', 'names'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
  ['items', 'schema'],
  ['prefixItems', 'schemas'],
  ['contains', 'schema'],
  ['minContains', 'count'],
  ['maxContains', 'count'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['uniqueItems', 'flag'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['pattern', 'pattern'],
  ['format', 'text'],
  ['contentEncoding', 'text'],
  ['contentMediaType', 'text'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
])

/** Resolved where they are met, or of use to validators alone: that a copy lacks them is no loss. */
export const consumed: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$ref',
  '$defs',
  'definitions',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  '$vocabulary',
  '$comment',
])

export const types: ReadonlySet<string> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Which type a keyword is about; those of any type are lacking. */
export const typeOfKeyword: ReadonlyMap<string, string> = new Map([
  ...['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties']
    .concat('dependentSchemas', 'dependentRequired')
    .map((keyword) => [keyword, 'object'] as const),
  ...['items', 'prefixItems', 'contains', 'minContains', 'maxContains', 'minItems', 'maxItems', 'uniqueItems'].map(
    (keyword) => [keyword, 'array'] as const,
  ),
  ...['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'].map(
    (keyword) => [keyword, 'string'] as const,
  ),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
    (keyword) => [keyword, 'number'] as const,
  ),
])

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isName = (value: unknown): value is string => typeof value === 'string'

/** The types that a schema names; undefined where it leaves them open. */
export function typesOf({ type }: JsonObject): string[] | undefined {
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter(isName) : undefined
}

/** The JSON Schema type of a value, `integer` where it is one. */
export function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

export function isOfType(value: Json, type: string): boolean {
  const own = typeOfValue(value)
  return own === type || (own === 'integer' && type === 'number')
}

/** Parts that a default, an example or a choice may have, and how deep. */
const maxParts = 200
const maxValueDepth = 8

/** Whether a value may stand in a copy: `hidden` where a text in it holds what people can't see. */
export function judgeValue(value: unknown): 'clean' | 'hidden' | 'large' | 'no JSON' {
  let parts = 0
  let hidden = false
  const visit = (part: unknown, depth: number): 'large' | 'no JSON' | undefined => {
    if (++parts > maxParts || depth > maxValueDepth) return 'large'
    if (typeof part === 'string') hidden ||= hiddenIn(part).length > 0
    if (part === null || ['string', 'boolean'].includes(typeof part) || Number.isFinite(part)) return undefined
    if (typeof part !== 'object') return 'no JSON'
    for (const [key, inner] of Object.entries(part)) {
      hidden ||= hiddenIn(key).length > 0
      const fault = visit(inner, depth + 1)
      if (fault) return fault
    }
    return undefined
  }
  return visit(value, 0) ?? (hidden ? 'hidden' : 'clean')
}
