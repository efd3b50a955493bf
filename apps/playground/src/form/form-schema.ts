import type { RJSFSchema } from '@rjsf/utils'

/**
 * The schema as the form draws it. It describes the same values in the words that the form library draws best:
 * a nullable scalar becomes one field instead of a choice of two, and the members of a union get names.
 */
export function toFormSchema(schema: unknown): RJSFSchema {
  // The library takes no boolean schemas; `{}` says the same as `true`.
  if (!isSchema(schema)) return schema === false ? { not: {} } : {}
  const copy: RJSFSchema = { ...schema }
  for (const key of ['properties', 'patternProperties', '$defs', 'definitions'] as const)
    if (isSchema(copy[key])) copy[key] = mapValues(copy[key], toFormSchema)
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const)
    if (Array.isArray(copy[key])) copy[key] = copy[key].map(toFormSchema)
  if (Array.isArray(copy.items)) copy.items = copy.items.map(toFormSchema)
  else if (copy.items !== undefined) copy.items = toFormSchema(copy.items)
  if (isSchema(copy.additionalProperties)) copy.additionalProperties = toFormSchema(copy.additionalProperties)
  return nameMembers(splitTypes(joinNull(copy)))
}

const scalars = ['string', 'number', 'integer', 'boolean']

/** `anyOf: [scalar, null]`, as generators write an optional parameter, is one nullable scalar. */
function joinNull(schema: RJSFSchema): RJSFSchema {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const members = schema[keyword] as RJSFSchema[] | undefined
    if (members?.length !== 2 || schema.type !== undefined) continue
    const value = members.find((member) => typeof member.type === 'string' && scalars.includes(member.type))
    if (!value || !members.some((member) => member.type === 'null')) continue
    const { [keyword]: _members, ...rest } = schema
    const joined: RJSFSchema = { ...value, ...rest, type: [value.type as 'string', 'null'] }
    if (value.enum) joined.enum = value.enum.includes(null) ? value.enum : [...value.enum, null]
    return joined
  }
  return schema
}

/** Several scalar types at once are a choice between them. */
function splitTypes(schema: RJSFSchema): RJSFSchema {
  const { type, ...rest } = schema
  if (!Array.isArray(type) || rest.enum || rest.anyOf || rest.oneOf) return schema
  const withoutNull = type.filter((name) => name !== 'null')
  if (withoutNull.length < 2 || !withoutNull.every((name) => scalars.includes(name))) return schema
  const { title, description, ...constraints } = rest
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: type.map((name) => ({ ...constraints, type: name })),
  }
}

function nameMembers(schema: RJSFSchema): RJSFSchema {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const members = schema[keyword] as RJSFSchema[] | undefined
    if (!members) continue
    const named = members.map((member) => (member.title ? member : { ...member, title: describe(member) }))
    schema = { ...schema, [keyword]: named }
  }
  return schema
}

/** A few words on a schema without a title. */
function describe(schema: RJSFSchema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) || schema.$ref
  if ('const' in schema) return String(schema.const)
  if (schema.enum) return schema.enum.map(String).join(' | ')
  if (schema.properties) return `{ ${Object.keys(schema.properties).slice(0, 4).join(', ')} }`
  if (schema.type === 'array' && isSchema(schema.items)) return `array of ${describe(schema.items)}`
  return schema.type ? String(schema.type) : 'any value'
}

function isSchema(value: unknown): value is RJSFSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapValues(object: Record<string, unknown>, map: (value: unknown) => RJSFSchema): Record<string, RJSFSchema> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
