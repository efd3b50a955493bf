import type { JsonObject } from '../../protocol.js'
import { isName, isObject, isOfType, typeOfKeyword, typeOfValue, typesOf } from '../keywords.js'
import { isPythonPattern } from '../python-pattern.js'
import type { EditContext } from './profile.js'

/** What several profiles do to one part of a schema. */
export type Edit = (part: JsonObject, context: EditContext) => JsonObject

/** One edit after the other. */
export const inTurn =
  (...edits: Edit[]): Edit =>
  (part, context) =>
    edits.reduce((edited, edit) => edit(edited, context), part)

/** OpenAI compiles patterns with Python's `re` and, on its newer models, without looking around. */
export const portablePatterns: Edit = (part, { lose }) => {
  const { pattern, ...rest } = part
  if (typeof pattern !== 'string' || isPythonPattern(pattern)) return part
  lose('pattern', 'the provider can’t compile it')
  return rest
}

/** `oneOf` as `anyOf`. */
export const choiceAsAny: Edit = (part, { lose }) => {
  const { oneOf, ...rest } = part
  if (!Array.isArray(oneOf)) return part
  if (Array.isArray(rest.anyOf)) {
    lose('oneOf', 'it stands beside anyOf, which is told')
    return rest
  }
  lose('oneOf', 'it is told as anyOf: that only one choice may fit is not said')
  return { ...rest, anyOf: oneOf }
}

/** Every array says what it holds, if only that it can be anything. */
export const arraysWithItems: Edit = (part) =>
  typesOf(part)?.includes('array') && part.items === undefined ? { ...part, items: {} } : part

/** Every object lists its properties, if only that it has none of its own. */
export const objectsWithProperties: Edit = (part) =>
  typesOf(part)?.includes('object') && part.properties === undefined ? { ...part, properties: {} } : part

/** `required` names only what `properties` has beside it. */
export const requiredAmongProperties: Edit = (part, { lose }) => {
  const { required, properties = {} } = part
  if (!Array.isArray(required)) return part
  const known = required.filter((name) => isName(name) && isObject(properties) && Object.hasOwn(properties, name))
  if (known.length === required.length) return part
  lose('required', 'what it names has its schema elsewhere')
  const { required: _, ...rest } = part
  return known.length > 0 ? { ...rest, required: known } : rest
}

/** A tuple as an array whose items fit any of its places. */
export const tuplesAsArrays: Edit = (part, { lose }) => {
  const { prefixItems, items, ...rest } = part
  if (!Array.isArray(prefixItems)) return part
  lose('prefixItems', 'it is told as an array whose items fit any of the places')
  const places = [...prefixItems, ...(isObject(items) ? [items] : [])]
  const distinct = [...new Map(places.map((place) => [JSON.stringify(place), place])).values()]
  return { ...rest, items: distinct.length === 1 ? distinct[0]! : { anyOf: distinct } }
}

/**
 * A list of types as a choice between one part for each, with what is said of that type.
 *
 * @param needed - Whether these types have to be told apart.
 */
export const typesAsChoice =
  (needed: (types: string[]) => boolean): Edit =>
  (part, { lose }) => {
    const types = typesOf(part)
    if (!types || types.length < 2 || !needed(types)) return part
    const { title, description, default: fallback, anyOf, oneOf, type: _, ...rest } = part
    if (anyOf !== undefined) lose('anyOf', 'it stands beside a list of types, which is told')
    if (oneOf !== undefined) lose('oneOf', 'it stands beside a list of types, which is told')
    const choices = types.map((type) => ofType(rest, type)).filter((choice) => choice !== undefined)
    if (choices.length === 0) return part
    return {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { default: fallback }),
      anyOf: choices,
    }
  }

/** What a schema says of values of one type; undefined where its `enum` has none. */
function ofType(schema: JsonObject, type: string): JsonObject | undefined {
  const concerned = Object.entries(schema).filter(([keyword]) => {
    const about = typeOfKeyword.get(keyword)
    return about === undefined || about === type || (about === 'number' && type === 'integer')
  })
  const part: JsonObject = { type, ...Object.fromEntries(concerned) }
  if (part.const !== undefined && !isOfType(part.const, type)) return undefined
  if (!Array.isArray(part.enum)) return part
  const values = part.enum.filter((value) => isOfType(value, type))
  if (values.length === 0) return undefined
  if (type !== 'null') return { ...part, enum: values }
  const { enum: _, ...rest } = part
  return rest
}

/** A choice between values says their types. */
export const typedValues: Edit = (part) => {
  const values = Array.isArray(part.enum) ? part.enum : part.const !== undefined ? [part.const] : undefined
  if (!values || part.type !== undefined) return part
  const found = [...new Set(values.map(typeOfValue))].filter(
    (type, _, all) => type !== 'integer' || !all.includes('number'),
  )
  return { ...part, type: found.length === 1 ? found[0]! : found }
}

/** A part that lists properties or items says that it is an object or an array. */
export const typedStructures: Edit = (part) => {
  if (part.type !== undefined || Array.isArray(part.enum) || part.const !== undefined) return part
  if (isObject(part.properties) || part.additionalProperties !== undefined) return { type: 'object', ...part }
  return isObject(part.items) || Array.isArray(part.prefixItems) ? { type: 'array', ...part } : part
}

/** "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'": Anthropic's, said of the root's alone. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/

/** Arguments under names that Anthropic takes: others are left out, where they may be. */
export const legalArguments: Edit = (part, { isRoot, lose, refuse }) => {
  const { properties, required } = part
  if (!isRoot || !isObject(properties)) return part
  const illegal = Object.keys(properties).filter((name) => !legalName.test(name))
  if (illegal.length === 0) return part
  const needed = Array.isArray(required) ? required.filter(isName) : []
  for (const name of illegal)
    if (needed.includes(name)) refuse('properties', 'the provider refuses this name, and it is required', name)
    else lose('properties', 'the provider refuses this name', name)
  const legal = Object.entries(properties).filter(([name]) => legalName.test(name))
  return { ...part, properties: Object.fromEntries(legal) }
}
