import type { Rule } from './rule.js'
import { isRecord, partsOf } from './walk.js'

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0
const isFlag = (value: unknown) => typeof value === 'boolean'
const isSchema = (value: unknown) => isFlag(value) || isRecord(value)
const isSchemas = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isSchema)
const isSchemaMap = (value: unknown) => isRecord(value) && Object.values(value).every(isSchema)
const isNames = (value: unknown) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const isType = (value: unknown) =>
  Array.isArray(value)
    ? isNames(value) && value.length > 0 && value.every((type) => types.includes(type))
    : types.includes(value as string)

function isPattern(value: unknown): boolean {
  try {
    return isText(value) && new RegExp(value as string).flags === ''
  } catch {
    return false
  }
}

/** What the meta-schema says of each keyword's value. */
const values: Record<string, (value: unknown) => boolean> = {
  type: isType,
  enum: Array.isArray,
  properties: isSchemaMap,
  patternProperties: isSchemaMap,
  $defs: isSchemaMap,
  dependentSchemas: isSchemaMap,
  additionalProperties: isSchema,
  propertyNames: isSchema,
  items: isSchema,
  contains: isSchema,
  not: isSchema,
  if: isSchema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: isSchema,
  else: isSchema,
  anyOf: isSchemas,
  oneOf: isSchemas,
  allOf: isSchemas,
  prefixItems: isSchemas,
  required: isNames,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isNames),
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isFlag,
  pattern: isPattern,
  format: isText,
  title: isText,
  description: isText,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  examples: Array.isArray,
}

/** "JSON schema is invalid. It must match JSON Schema draft 2020-12." */
export const wellFormed: Rule = {
  title: 'it is a schema of JSON Schema 2020-12',
  source: 'https://json-schema.org/draft/2020-12/schema',
  breaches: ({ schema }) => [
    ...(isRecord(schema) ? [] : ['/']),
    ...partsOf(schema).flatMap((part) =>
      Object.entries(part.schema)
        .filter(([keyword, value]) => Object.hasOwn(values, keyword) && !values[keyword]!(value))
        .map(([keyword]) => `${part.path}/${keyword}`),
    ),
  ],
}

// biome-ignore format: one group a line
const hidden =
  /[\u{e0000}-\u{e0fff}\u200b\u2060-\u2064\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Ours, not a provider's: a model is not to read what people can't see. */
export const nothingHidden: Rule = {
  title: 'no text in it has characters that people can’t see',
  source: 'https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing',
  breaches: ({ name, description = '', schema }) =>
    [name, description, JSON.stringify(schema)].filter((text) => hidden.test(text)).map(() => 'a text in it'),
}
