import type { RJSFSchema } from '@rjsf/utils'

const drawn = ['string', 'number', 'integer', 'boolean', 'object', 'array']

/**
 * True where the form library draws nothing, or less than the schema allows, so that the value is to be written as
 * JSON: untyped schemas, free objects, arrays of anything, tuples of `prefixItems`, several types with an object or an
 * array among them, `null` alone, `not` alone.
 *
 * @param schema - With its `$ref` followed and its `allOf` merged.
 */
export function needsJsonBox(schema: RJSFSchema): boolean {
  if (schema.enum || 'const' in schema) return false
  if (schema.anyOf || schema.oneOf) return false
  const types = [schema.type ?? impliedType(schema) ?? []].flat() as string[]
  const [type, ...others] = types.filter((name) => name !== 'null')
  if (type === undefined || !drawn.includes(type) || others.length > 0) return true
  if (types.length > 1 && (type === 'object' || type === 'array')) return true
  if (type === 'object') return isFreeObject(schema)
  if (type === 'array') return 'prefixItems' in schema || !hasEntries(schema.items)
  return false
}

function impliedType(schema: RJSFSchema): string | undefined {
  if (schema.properties || schema.patternProperties) return 'object'
  if (schema.items) return 'array'
  return undefined
}

/** An object that names none of its properties, and says nothing of their values. */
function isFreeObject(schema: RJSFSchema): boolean {
  const declared = hasEntries(schema.properties) || hasEntries(schema.patternProperties)
  return !declared && !hasEntries(schema.additionalProperties) && schema.additionalProperties !== false
}

function hasEntries(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
