import { dereference, type OutputUnit, validate } from '@cfworker/json-schema'
import { cleanText } from '../clean-text.js'
import type { Json, JsonObject } from '../protocol.js'
import { dialectOf } from './dialect.js'
import { createMeter, LimitError, meterSchema, meterValue } from './metered.js'

/** What became of a check; `path` is a JSON Pointer into the value. */
export type Verdict = { valid: true } | { valid: false; path: string; reason: string } | { unvalidated: string }

export interface CheckOptions {
  /** Whether `pattern` and `patternProperties` are run: a regular expression can take hours, and nothing ends it. */
  patterns: boolean
}

/** Units of work: a look at a schema, a key or an item of the value. All of them are spent in less than a second. */
const compileUnits = 200_000
const checkUnits = 2_000_000

/** What a schema without an `$id` is called; nothing is ever read from there. */
const base = new URL('https://schema.invalid/')

/**
 * Reads a schema and gives the check of values against it, within limits. It interprets: nothing is compiled to code.
 * A `$ref` leads to what is in the schema itself, and nowhere else.
 */
export function createCheck(schema: JsonObject, { patterns }: CheckOptions): (value: Json) => Verdict {
  const meter = createMeter()
  const dialect = dialectOf(schema)
  if (!dialect)
    return always(`its outputSchema is in a dialect that is not known here: ${cleanText(short(schema.$schema))}`)
  let metered: JsonObject
  let lookup: ReturnType<typeof dereference>
  try {
    meter.allow(compileUnits)
    metered = meterSchema(schema, { dialect, meter, patterns })
    lookup = dereference(metered, Object.create(null), base)
  } catch (error) {
    return always(`its outputSchema can’t be used: ${reasonOf(error)}`)
  }
  return (value) => {
    try {
      meter.allow(checkUnits)
      const { valid, errors } = validate(meterValue(value, meter), metered, dialect, lookup)
      return valid ? { valid } : { valid, ...failure(errors) }
    } catch (error) {
      return { unvalidated: `its outputSchema can’t be used on it: ${reasonOf(error)}` }
    }
  }
}

const always = (unvalidated: string) => (): Verdict => ({ unvalidated })

/** Failures that are told of, and characters of each. */
const maxFailures = 3
const maxCharacters = 120

/** Keywords of which the validator's own words hold no more of the value than its type, a name or a length. */
const plainSpoken = new Set([
  'additionalProperties',
  'dependentRequired',
  'maxItems',
  'maxLength',
  'minItems',
  'minLength',
  'required',
  'type',
  'unevaluatedProperties',
])

function failure(errors: OutputUnit[]): { path: string; reason: string } {
  const leaves = errors.filter(isLeaf)
  const told = leaves.slice(0, maxFailures).map(({ keyword, instanceLocation, error }) => {
    const what = plainSpoken.has(keyword) ? error.replace(/\.$/, '') : `It does not satisfy "${keyword}"`
    return `${short(pointerOf(instanceLocation) || '/')}: ${what.slice(0, maxCharacters)}`
  })
  if (leaves.length > told.length) told.push(`and ${leaves.length - told.length} more`)
  const path = pointerOf(leaves[0]?.instanceLocation ?? '#')
  // A pointer that was cut would point somewhere else.
  return { path: path.length > 500 ? '' : path, reason: cleanText(told.join('; ')) }
}

/** Whether no error after it says more precisely what is wrong; those of a `false` say less. */
function isLeaf({ keyword, keywordLocation }: OutputUnit, index: number, errors: OutputUnit[]): boolean {
  const next = errors[index + 1]
  if (keyword === 'false') return errors.length === 1
  if (!next || next.keyword === 'false') return true
  // The one keyword whose errors stand beside it.
  return keyword !== 'if' && !next.keywordLocation.startsWith(`${keywordLocation}/`)
}

const pointerOf = (location: string) => decodeURIComponent(location.slice(1))

/** What is wrong with a schema. The validator's own words end in a list of all that is in it, or tell of its code. */
function reasonOf(error: unknown): string {
  const { message, name } = error as Error
  if (error instanceof LimitError) return message
  if (message.startsWith('Unresolved $ref')) return cleanText(short(message.split(/\.? {2}|\n/, 1)[0]!))
  if (name === 'SyntaxError') return 'it has a pattern that is no regular expression'
  // The stack is at its end; Firefox has a name of its own for that.
  return name === 'RangeError' || name === 'InternalError' ? 'it leads too deep' : 'it is malformed'
}

const short = (value: Json | undefined) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)!
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
}
