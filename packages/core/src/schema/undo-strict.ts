import type { Json, JsonObject } from '../protocol.js'
import { isName, isObject, isOfType, typesOf } from './keywords.js'
import { normalizeSchema } from './normalize.js'

/**
 * A model's arguments without the nulls that strict mode made it give: those of properties that may be left out and, by
 * the tool's own schema, may not be null.
 *
 * @param original - The tool's input schema, as its server sent it.
 */
export function undoStrict(args: JsonObject, original: JsonObject): JsonObject {
  const normalized = normalizeSchema(original, 'openai')
  return 'fault' in normalized ? args : (undo(args, normalized.schema) as JsonObject)
}

function undo(value: Json, schema: Json | undefined): Json {
  if (!isObject(schema)) return value
  if (Array.isArray(value)) {
    const part = partFor(value, schema)
    return value.map((item) => undo(item, part.items))
  }
  if (!isObject(value)) return value
  const { properties, required } = partFor(value, schema)
  const kept = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const known = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    const isRequired = Array.isArray(required) && required.includes(name)
    if (inner === null && isObject(known) && !isRequired && !takesNull(known)) return []
    return [[name, undo(inner, known)]]
  })
  return Object.fromEntries(kept)
}

/** Of a choice, the part that a value was made for: the first that it fits, but for its nulls. */
function partFor(value: Json[] | JsonObject, schema: JsonObject): JsonObject {
  const choices = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as Json[] | undefined
  if (!choices) return schema
  const fitting = choices.filter(isObject).find((choice) => fits(value, choice))
  return fitting ? partFor(value, fitting) : schema
}

function fits(value: Json, schema: JsonObject): boolean {
  const types = typesOf(schema)
  if (types && !types.some((type) => isOfType(value, type))) return false
  if (schema.const !== undefined && schema.const !== value) return false
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false
  const choices = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as Json[] | undefined
  if (choices && !choices.some((choice) => isObject(choice) && fits(value, choice))) return false
  if (!isObject(value) || !isObject(schema.properties)) return true
  const { properties } = schema
  // Strict mode knows no others and leaves none out.
  return (
    Object.entries(value).every(
      ([name, inner]) =>
        Object.hasOwn(properties, name) &&
        (inner === null || (isObject(properties[name]) && fits(inner, properties[name]))),
    ) &&
    (Array.isArray(schema.required) ? schema.required.filter(isName) : []).every((name) => Object.hasOwn(value, name))
  )
}

function takesNull(schema: JsonObject): boolean {
  if (schema.const !== undefined) return schema.const === null
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false
  const types = typesOf(schema)
  if (types) return types.includes('null')
  const choices = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as Json[] | undefined
  return choices ? choices.some((choice) => isObject(choice) && takesNull(choice)) : true
}
