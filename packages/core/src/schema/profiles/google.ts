import type { Json, JsonObject } from '../../protocol.js'
import {
  choiceAsAny,
  type Edit,
  inTurn,
  requiredAmongProperties,
  typedStructures,
  typedValues,
  typesAsChoice,
} from './edits.js'
import type { Profile } from './profile.js'

/** "Supported properties" of JSON Schema in the API's reference, and what its own `Schema` has beside them. */
const keywords = [
  ...['title', 'description', 'default', 'enum', 'format', 'pattern', 'minLength', 'maxLength'],
  ...['items', 'prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum', 'anyOf'],
  ...['properties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
]

/** `enum` is for texts and numbers; of flags it says nothing that their type doesn't, unless it names only one. */
const valuesAsEnum: Edit = (part, { lose }) => {
  const { const: constant, ...rest } = part
  const values = Array.isArray(rest.enum) ? rest.enum : constant === undefined ? undefined : [constant]
  if (!values) return part
  const { enum: _, ...others } = rest
  if (values.every((value) => typeof value === 'string' || typeof value === 'number'))
    return { ...others, enum: values }
  const complete = values.every((value) => value === null) || (values.includes(true) && values.includes(false))
  if (!complete) lose(constant === undefined ? 'enum' : 'const', 'the provider has choices of texts and numbers alone')
  return others
}

/** Bounds that are not included, by the nearest that are. */
const boundsIncluded: Edit = (part, { lose }) => {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = part
  if (exclusiveMinimum === undefined && exclusiveMaximum === undefined) return part
  const nearest = (keyword: string, bound: Json | undefined, by: 1 | -1): number | undefined => {
    if (typeof bound !== 'number') return undefined
    if (part.type === 'integer' && Number.isInteger(bound)) return bound + by
    lose(keyword, 'it is told as a bound that is included')
    return bound
  }
  return {
    ...rest,
    ...bound('minimum', Math.max, rest.minimum, nearest('exclusiveMinimum', exclusiveMinimum, 1)),
    ...bound('maximum', Math.min, rest.maximum, nearest('exclusiveMaximum', exclusiveMaximum, -1)),
  }
}

function bound(keyword: string, pick: typeof Math.max, ...bounds: (Json | undefined)[]): JsonObject {
  const known = bounds.filter((value) => typeof value === 'number')
  return known.length > 0 ? { [keyword]: pick(...known) } : {}
}

/** Several types beside null, or values of several, are a choice; one type that may be null is written as a list. */
const severalTypes = typesAsChoice((types) => types.filter((type) => type !== 'null').length > 1)
const valuesOfSeveralTypes: Edit = (part, context) =>
  Array.isArray(part.enum) || part.const !== undefined ? typesAsChoice(() => true)(part, context) : part

/**
 * Gemini's `parametersJsonSchema`: it takes JSON Schema, where the older `parameters` takes a subset of OpenAPI 3.0 and
 * refuses a request for any word that it doesn't know. Of JSON Schema it supports what its reference lists.
 *
 * @see {@link https://ai.google.dev/api/caching#FunctionDeclaration}
 * @see {@link https://ai.google.dev/api/generate-content#FIELDS.response_json_schema}
 */
export const google: Profile = {
  keywords: new Set(keywords),
  edit: inTurn(
    typedStructures,
    typedValues,
    choiceAsAny,
    valuesOfSeveralTypes,
    severalTypes,
    valuesAsEnum,
    boundsIncluded,
    requiredAmongProperties,
  ),
}
