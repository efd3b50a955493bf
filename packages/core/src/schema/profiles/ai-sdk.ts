import type { JsonObject } from '../../protocol.js'
import { typesOf } from '../keywords.js'
import {
  arraysWithItems,
  choiceAsAny,
  type Edit,
  inTurn,
  legalArguments,
  portablePatterns,
  requiredAmongProperties,
  tuplesAsArrays,
  typedStructures,
  typedValues,
  typesAsChoice,
} from './edits.js'
import type { Profile } from './profile.js'

const map: JsonObject = { type: 'object', additionalProperties: true }
const single: JsonObject[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, map]

/** Anything, in words that have a type. */
const anything: JsonObject[] = [...single, { type: 'array', items: { anyOf: single } }]

/** Gemini's `parameters`, to which the SDK's provider translates, wants a type everywhere. */
const typedAnything: Edit = (part) =>
  part.type === undefined && part.anyOf === undefined && part.enum === undefined && part.const === undefined
    ? { ...part, anyOf: anything }
    : part

/** The same provider drops an object without properties, unless it is said to have others. */
const openObjects: Edit = (part, { isRoot }) =>
  !isRoot &&
  part.properties === undefined &&
  part.additionalProperties === undefined &&
  typesOf(part)?.includes('object')
    ? { ...part, additionalProperties: true }
    : part

/** `enum` is a list of texts there. */
const choicesOfTexts: Edit = (part, { lose }) => {
  const { enum: values, const: constant, ...rest } = part
  const chosen = Array.isArray(values) ? values : constant === undefined ? [] : [constant]
  if (chosen.every((value) => typeof value === 'string')) return part
  if (!chosen.every((value) => value === null))
    lose(constant === undefined ? 'enum' : 'const', 'not every provider behind the SDK has choices of other than texts')
  return rest
}

const severalTypes = typesAsChoice((types) => types.filter((type) => type !== 'null').length > 1)
const valuesOfSeveralTypes: Edit = (part, context) =>
  Array.isArray(part.enum) || part.const !== undefined ? typesAsChoice(() => true)(part, context) : part

/**
 * What every provider behind the AI SDK takes: the SDK hands most of them the schema as it is, and translates it for
 * Google, which is where most can go wrong.
 *
 * @see {@link https://github.com/vercel/ai/blob/main/packages/google/src/convert-json-schema-to-openapi-schema.ts}
 */
export const aiSdk: Profile = {
  keywords: new Set([
    ...['title', 'description', 'default', 'examples', 'deprecated', 'enum', 'const', 'anyOf'],
    ...['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
    ...['items', 'minItems', 'maxItems', 'uniqueItems', 'minLength', 'maxLength', 'pattern', 'format'],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ]),
  edit: inTurn(
    legalArguments,
    typedStructures,
    typedValues,
    choiceAsAny,
    tuplesAsArrays,
    valuesOfSeveralTypes,
    severalTypes,
    choicesOfTexts,
    typedAnything,
    arraysWithItems,
    openObjects,
    portablePatterns,
    requiredAmongProperties,
  ),
}
