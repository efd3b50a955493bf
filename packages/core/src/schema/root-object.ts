import type { Json, JsonObject } from '../protocol.js'
import { isName, isObject, typesOf } from './keywords.js'
import type { SchemaFault } from './loss.js'

export type OnLoss = (keyword: string, reason: string) => void

/**
 * A tool's schema as every provider wants it at its root: an object with properties, and no choice between schemas, which
 * OpenAI and Anthropic refuse there. Choices become one object with all their properties, of which those are required
 * that every choice requires.
 */
export function rootObject(plain: JsonObject, lose: OnLoss): { schema: JsonObject } | { fault: SchemaFault } {
  const types = typesOf(plain)
  if (types && !types.includes('object'))
    return {
      fault: { path: '/type', reason: `a tool's arguments are an object, and its schema says ${types.join(' or ')}` },
    }
  let root: JsonObject = { ...plain, type: 'object', properties: isObject(plain.properties) ? plain.properties : {} }
  for (const keyword of ['anyOf', 'oneOf']) {
    const choices = root[keyword]
    if (!Array.isArray(choices)) continue
    delete root[keyword]
    root = withChoices(root, choices.filter(isObject))
    lose(keyword, 'at the root, its choices are told as one object')
  }
  for (const keyword of ['enum', 'const', 'not', 'if', 'then', 'else']) {
    if (!(keyword in root)) continue
    delete root[keyword]
    lose(keyword, 'it may not stand at the root')
  }
  return { schema: root }
}

function withChoices(root: JsonObject, choices: JsonObject[]): JsonObject {
  const objects = choices
    .filter((choice) => typesOf(choice)?.includes('object') ?? true)
    // A choice of choices: what they have in common is not looked for.
    .map((choice) => (['anyOf', 'oneOf'].some((keyword) => keyword in choice) ? flat(choice) : choice))
  const own = root.properties as JsonObject
  const found = new Map<string, Map<string, JsonObject>>()
  for (const { properties } of objects)
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      if (Object.hasOwn(own, name) || !isObject(schema)) continue
      const known = found.get(name) ?? new Map<string, JsonObject>()
      found.set(name, known.set(JSON.stringify(schema), schema))
    }
  const properties = Object.fromEntries([
    ...Object.entries(own),
    ...[...found].map(([name, schemas]): [string, Json] => [name, oneOf([...schemas.values()])]),
  ])
  const required = [...new Set([...namesOf(root), ...inAll(objects.map(namesOf))])].filter((name) =>
    Object.hasOwn(properties, name),
  )
  const closed = objects.length > 0 && objects.every(({ additionalProperties }) => additionalProperties === false)
  return {
    ...root,
    properties,
    ...((required.length > 0 || 'required' in root) && { required }),
    ...(closed && root.additionalProperties === undefined && { additionalProperties: false }),
  }
}

function flat(choice: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = choice
  return [anyOf, oneOf].reduce<JsonObject>(
    (all, inner) => (Array.isArray(inner) ? withChoices(all, inner.filter(isObject)) : all),
    { ...rest, properties: isObject(rest.properties) ? rest.properties : {} },
  )
}

const namesOf = ({ required }: JsonObject): string[] => (Array.isArray(required) ? required.filter(isName) : [])

const inAll = ([first = [], ...others]: string[][]): string[] =>
  first.filter((name) => others.every((names) => names.includes(name)))

/** A discriminator's constants as one choice; anything else as a choice of schemas. */
function oneOf(schemas: JsonObject[]): JsonObject {
  const [first] = schemas
  if (schemas.length === 1) return first!
  const values = schemas.map((schema) => ('const' in schema ? [schema.const!] : (schema.enum as Json[] | undefined)))
  if (!values.every((list) => list !== undefined)) return { anyOf: schemas }
  const { const: _, enum: __, ...rest } = first!
  const distinct = [...new Map(values.flat().map((value) => [JSON.stringify(value), value])).values()]
  return { ...rest, enum: distinct }
}
