import * as z from 'zod'
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
  fits: Check
}

/** Fields that a form may have: more are not for people. */
const maxFields = 100
/** Characters that a text with a format may have: the patterns behind formats are made for short ones. */
const maxFormattedLength = 2_048

type Check = (value: unknown) => boolean

/** The formats that a form may ask for; others are left to the server. */
const formats: Readonly<Record<string, Check>> = {
  email: fitsType(z.email()),
  // RFC 3986 has no white space; a URL parser takes it.
  uri: (value) => typeof value === 'string' && URL.canParse(value) && !/\s/.test(value),
  date: fitsType(z.iso.date()),
  'date-time': fitsType(z.iso.datetime({ offset: true })),
}

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
    const fits = checkOf(objectOf(property))
    if (!fits) return `its field ${JSON.stringify(name).slice(0, 60)} is neither a primitive nor a choice of texts`
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

/** Checks a field's value; undefined where its schema asks for more than a primitive or a choice of texts. */
function checkOf(schema: JsonObject): Check | undefined {
  const { type, items } = schema
  const isChoice = choiceOf(schema)
  if (isChoice && (type === undefined || type === 'string')) return isChoice
  switch (type) {
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'number':
    case 'integer':
      return (value) =>
        // JSON has no other numbers than finite ones.
        (type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)) &&
        isWithin(value as number, schema.minimum, schema.maximum)
    case 'string':
      return textCheck(schema)
    case 'array': {
      const isItem = choiceOf(objectOf(items))
      return (
        isItem &&
        ((value) =>
          Array.isArray(value) && value.every(isItem) && isWithin(value.length, schema.minItems, schema.maxItems))
      )
    }
    default:
      return undefined
  }
}

function textCheck({ minLength, maxLength, format }: JsonObject): Check {
  const hasFormat = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  return (value) => {
    if (typeof value !== 'string') return false
    if (hasFormat && (value.length > maxFormattedLength || !hasFormat(value))) return false
    // Characters, not UTF-16 units (JSON Schema Validation 6.3).
    return (minLength === undefined && maxLength === undefined) || isWithin([...value].length, minLength, maxLength)
  }
}

/** A choice of texts, in each of the forms that revisions have given it. */
function choiceOf({ enum: plain, oneOf, anyOf }: JsonObject): Check | undefined {
  const titled = oneOf ?? anyOf
  const values: unknown = Array.isArray(titled) ? titled.map((option) => objectOf(option).const) : plain
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return undefined
  const choices = new Set<unknown>(values)
  return (value) => choices.has(value)
}

/** A limit that is no number is none. */
const isWithin = (value: number, least: Json | undefined, most: Json | undefined) =>
  !(typeof least === 'number' && value < least) && !(typeof most === 'number' && value > most)

function fitsType(type: z.ZodType): Check {
  return (value) => type.safeParse(value).success
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
