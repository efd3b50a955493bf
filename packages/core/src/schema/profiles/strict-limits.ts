import type { Json, JsonObject } from '../../protocol.js'
import { isObject, kinds } from '../keywords.js'

const maxProperties = 5_000
const maxLevels = 10
const maxCharacters = 120_000
const maxChoices = 1_000
/** A choice of more texts than this may have so many characters. */
const manyChoices = 250
const maxChoiceCharacters = 15_000

/**
 * Which limit of strict mode a schema passes, in words; undefined where it keeps them all.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas}
 */
export function passedLimit(root: JsonObject): string | undefined {
  let [properties, characters, choices] = [0, 0, 0]
  let passed: string | undefined

  function visit(part: JsonObject, level: number): void {
    const own = part.type === 'object' || part.type === 'array' ? level + 1 : level
    if (own > maxLevels) passed ??= `more than ${maxLevels} levels`
    for (const name of isObject(part.properties) ? Object.keys(part.properties) : []) {
      properties++
      characters += name.length
    }
    const values = Array.isArray(part.enum) ? part.enum : part.const === undefined ? [] : [part.const]
    const length = values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
    choices += Array.isArray(part.enum) ? values.length : 0
    characters += length
    if (values.length > manyChoices && length > maxChoiceCharacters)
      passed ??= `a choice of more than ${maxChoiceCharacters} characters`
    if (Array.isArray(part.anyOf) && shareFirstKey(part.anyOf.filter(isObject)))
      passed ??= 'a choice of objects that begin with the same property'
    for (const [keyword, value] of Object.entries(part)) for (const inner of partsOf(keyword, value)) visit(inner, own)
  }

  visit(root, 0)
  if (properties > maxProperties) return `more than ${maxProperties} properties`
  if (choices > maxChoices) return `more than ${maxChoices} values to choose from`
  if (characters > maxCharacters) return `names and values of more than ${maxCharacters} characters`
  return passed
}

function partsOf(keyword: string, value: Json): JsonObject[] {
  const kind = kinds.get(keyword)
  if (kind === 'schema map' && isObject(value)) return Object.values(value).filter(isObject)
  if (kind === 'schemas' && Array.isArray(value)) return value.filter(isObject)
  return kind === 'schema' && isObject(value) ? [value] : []
}

/** "Objects provided via 'anyOf' must not share identical first keys": told apart by its value, such a key is one. */
function shareFirstKey(choices: JsonObject[]): boolean {
  const firsts = choices.flatMap(({ properties }) => {
    const [first] = isObject(properties) ? Object.entries(properties) : []
    return first && isObject(first[1])
      ? [{ name: first[0], value: JSON.stringify(first[1].const ?? first[1].enum) }]
      : []
  })
  return firsts.some(({ name, value }, index) =>
    firsts
      .slice(0, index)
      .some(
        (other) => other.name === name && (value === undefined || other.value === undefined || value === other.value),
      ),
  )
}
