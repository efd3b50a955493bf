import type { Json, JsonObject } from '../../protocol.js'
import { isName, isObject, typesOf } from '../keywords.js'
import {
  arraysWithItems,
  choiceAsAny,
  type Edit,
  inTurn,
  portablePatterns,
  typedStructures,
  typedValues,
  typesAsChoice,
} from './edits.js'
import type { Profile } from './profile.js'

const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])

const knownFormats: Edit = (part, { lose }) => {
  const { format, ...rest } = part
  if (format === undefined || (typeof format === 'string' && formats.has(format))) return part
  lose('format', 'strict mode has no such format')
  return rest
}

/** A list of types as a choice wherever one of them has parts of its own. */
const structuredTypes = typesAsChoice((types) => types.some((type) => type === 'object' || type === 'array'))

/** What constrained decoding can't produce: values that nothing is said of. */
const nothingOpen: Edit = (part, { isRoot, refuse }) => {
  const { type, properties, additionalProperties, prefixItems } = part
  if (prefixItems !== undefined) refuse('prefixItems', 'strict mode has no tuples')
  if (type === undefined && !Array.isArray(part.anyOf)) refuse('type', 'strict mode needs a type')
  if (type !== 'object') return part
  const named = isObject(properties) && Object.keys(properties).length > 0
  if (additionalProperties !== undefined && additionalProperties !== false)
    refuse('additionalProperties', 'strict mode has no properties but those that are named')
  else if (!named && !isRoot && additionalProperties === undefined)
    refuse('properties', 'strict mode has no properties but those that are named')
  return part
}

/** Every property is required; one that may be left out may be null instead. */
const allRequired: Edit = (part) => {
  if (part.type !== 'object') return part
  const properties = isObject(part.properties) ? part.properties : {}
  const required = Array.isArray(part.required) ? part.required.filter(isName) : []
  const all = Object.entries(properties).map(([name, schema]): [string, Json] => [
    name,
    required.includes(name) || !isObject(schema) ? schema : nullable(schema),
  ])
  return {
    ...part,
    properties: Object.fromEntries(all),
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

function nullable(schema: JsonObject): JsonObject {
  const types = typesOf(schema)
  const { const: constant, ...rest } = schema
  const values = Array.isArray(rest.enum) ? rest.enum : constant === undefined ? undefined : [constant]
  if (values || (types && !types.some((type) => type === 'object' || type === 'array')))
    return {
      ...rest,
      ...(types && { type: [...new Set([...types, 'null'])] }),
      ...(values && { enum: values.includes(null) ? values : [...values, null] }),
    }
  const choices = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list))
  // What nothing is said of stays so, and is refused.
  if (!types && !choices) return schema
  if (types?.includes('null') || choices?.some((choice) => isObject(choice) && typesOf(choice)?.includes('null')))
    return schema
  const { description, ...own } = schema
  return { ...(description !== undefined && { description }), anyOf: [own, { type: 'null' }] }
}

/**
 * OpenAI's functions in strict mode, the subset of Structured Outputs. A tool that it can't express is refused, and
 * may be offered without.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas}
 */
export const openaiStrict: Profile = {
  keywords: new Set([
    ...['title', 'description', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties'],
    ...['items', 'minItems', 'maxItems', 'pattern', 'format'],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ]),
  edit: inTurn(
    typedStructures,
    typedValues,
    choiceAsAny,
    structuredTypes,
    arraysWithItems,
    nothingOpen,
    allRequired,
    knownFormats,
    portablePatterns,
  ),
}
