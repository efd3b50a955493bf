import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import type { Json, JsonObject } from '../protocol.js'

/** A form that a server wants filled in, by its schema: a flat object of primitives and choices. */
export interface Form {
  /** The answer's fields that the form has, with its defaults for those that are lacking; or the fault of one of them. */
  fill(content: JsonObject): { content: JsonObject } | { fault: string }
}

interface Field {
  name: string
  required: boolean
  /** The schema's default; one that does not fit the schema itself is none. */
  fallback: Json | undefined
  fits(value: Json): boolean
}

/** Fields that a form may have: more are not for people. */
const maxFields = 100
/** Characters that a text with a format may have: the patterns behind formats are made for short ones. */
const maxFormattedLength = 2_048
const formats = new Set(['email', 'uri', 'date', 'date-time'])

/**
 * Reads a form's schema. It is checked by what the specification allows in it and nothing else: above all no `pattern`,
 * since a regular expression of a stranger's can run for hours.
 *
 * @returns The form, or why it is none.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema}
 */
export function readForm(schema: Json | undefined): Form | string {
  const { type = 'object', properties, required } = objectOf(schema)
  if (type !== 'object' || typeof properties !== 'object' || properties === null || Array.isArray(properties))
    return 'its schema is no object with properties'
  const entries = Object.entries(properties)
  if (entries.length > maxFields) return `it has ${entries.length} fields, and ${maxFields} are the most`
  const fields: Field[] = []
  for (const [name, property] of entries) {
    const flat = flatSchema(objectOf(property))
    if (!flat) return `its field ${JSON.stringify(name).slice(0, 60)} is neither a primitive nor a choice of texts`
    const fits = createCheck(flat)
    const fallback = objectOf(property).default
    fields.push({
      name,
      required: Array.isArray(required) && required.includes(name),
      fallback: fallback !== undefined && fits(fallback) ? fallback : undefined,
      fits,
    })
  }
  return { fill: (content) => fill(fields, content) }
}

function fill(fields: Field[], given: JsonObject): { content: JsonObject } | { fault: string } {
  const filled: [string, Json][] = []
  for (const { name, required, fallback, fits } of fields) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined
    const value = own === undefined ? fallback : own
    if (value === undefined) {
      if (required) return { fault: `"${name}" is required and lacking` }
    } else if (!fits(value)) return { fault: `"${name}" does not fit its schema` }
    else filled.push([name, value])
  }
  return { content: Object.fromEntries(filled) }
}

/** What of a field's schema is checked; undefined where it asks for more than a primitive or a choice of texts. */
function flatSchema(schema: JsonObject): JsonObject | undefined {
  const { type, items, format } = schema
  const choices = choicesOf(schema)
  if (choices && (type === undefined || type === 'string')) return { type: 'string', enum: choices }
  switch (type) {
    case 'boolean':
      return { type }
    case 'number':
    case 'integer':
      return { type, ...numbers(schema, 'minimum', 'maximum') }
    case 'string':
      return {
        type,
        ...numbers(schema, 'minLength', 'maxLength'),
        ...(typeof format === 'string' && formats.has(format) && { format }),
      }
    case 'array': {
      const several = choicesOf(objectOf(items))
      return several && { type, items: { enum: several }, ...numbers(schema, 'minItems', 'maxItems') }
    }
    default:
      return undefined
  }
}

/** The values to choose from, in each of the forms that revisions have given them. */
function choicesOf({ enum: plain, oneOf, anyOf }: JsonObject): string[] | undefined {
  const titled = oneOf ?? anyOf
  const values = Array.isArray(titled) ? titled.map((option) => objectOf(option).const) : plain
  return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : undefined
}

function numbers(schema: JsonObject, ...keywords: string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const value = schema[keyword]
      return typeof value === 'number' ? [[keyword, value]] : []
    }),
  )
}

function createCheck(schema: JsonObject): (value: Json) => boolean {
  const validate = new CfWorkerJsonSchemaValidator().getValidator(schema)
  return (value) => {
    // JSON has no such numbers.
    if (typeof value === 'number' && !Number.isFinite(value)) return false
    if (typeof value === 'string' && schema.format && value.length > maxFormattedLength) return false
    // The app's answer may hold anything, and the validator throws at functions and the like.
    if (!['string', 'number', 'boolean'].includes(typeof value) && !Array.isArray(value)) return false
    if (Array.isArray(value) && !value.every((item) => typeof item === 'string')) return false
    return validate(value).valid
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
