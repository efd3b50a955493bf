import type { Json, JsonObject } from '../protocol.js'
import { isObject, typesOf } from './keywords.js'

/**
 * What earlier drafts and OpenAPI say in other words, in those of 2020-12: tuples in `items`, exclusive bounds as flags,
 * `nullable`, and names by pattern as `additionalProperties`, which every provider knows.
 */
export function mended(raw: JsonObject, lose: (keyword: string, reason: string) => void): JsonObject {
  const { nullable, additionalItems, patternProperties, ...schema } = raw
  const types = typesOf(schema)
  if (nullable === true && types && !types.includes('null')) schema.type = [...types, 'null']
  mendTuple(schema, additionalItems)
  mendBound(schema, 'exclusiveMinimum', 'minimum')
  mendBound(schema, 'exclusiveMaximum', 'maximum')
  if (isObject(patternProperties)) mendPatterns(schema, patternProperties, lose)
  return schema
}

function mendTuple(schema: JsonObject, additionalItems: Json | undefined): void {
  if (Array.isArray(schema.items)) {
    schema.prefixItems = schema.items
    delete schema.items
    if (additionalItems !== undefined) schema.items = additionalItems
  }
  if (schema.items === true) delete schema.items
  if (schema.items === false) {
    delete schema.items
    const { length } = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
    schema.maxItems = Math.min(length, typeof schema.maxItems === 'number' ? schema.maxItems : length)
  }
  if (Array.isArray(schema.prefixItems) && schema.prefixItems.length === 0) delete schema.prefixItems
}

function mendBound(schema: JsonObject, exclusive: string, inclusive: string): void {
  const flag = schema[exclusive]
  if (typeof flag !== 'boolean') return
  delete schema[exclusive]
  if (!flag || schema[inclusive] === undefined) return
  schema[exclusive] = schema[inclusive]
  delete schema[inclusive]
}

function mendPatterns(schema: JsonObject, patterns: JsonObject, lose: (keyword: string, reason: string) => void): void {
  const [only, ...more] = Object.values(patterns)
  if (only === undefined) return
  lose('patternProperties', 'the names that it is about are not told')
  const other = schema.additionalProperties
  if (isObject(other) || (other === true && more.length === 0)) return
  // Closed but for these names, it would be closed to them as well.
  if (more.length === 0 && (isObject(only) || only === true)) schema.additionalProperties = only
  else delete schema.additionalProperties
}
