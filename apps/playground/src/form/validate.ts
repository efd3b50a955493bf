import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import type { Json } from '@x/web'

/** Something that keeps a value from fitting its schema. */
export interface Problem {
  /** Where, as property names and indexes. */
  path: (string | number)[]
  message: string
}

/**
 * Checks a value by interpreting its schema: no code is generated, which the page's policy would refuse.
 *
 * @returns What is wrong, each thing once. A schema that can't be used counts as satisfied: it is the server's fault,
 *   and the call is still worth making.
 */
export function findProblems(schema: unknown, value: Json): Problem[] {
  try {
    // The validator marks the schema's objects, so it gets a copy.
    const validator = new Validator(structuredClone(schema) as Schema, draftOf(schema), false)
    return joinTypes(leaves(validator.validate(value).errors)).map((unit) => toProblem(unit, value))
  } catch {
    return []
  }
}

/** Whether a value fits. False where the schema can't be used. */
export function fits(schema: unknown, value: unknown, rootSchema: unknown): boolean {
  // The validator throws on `undefined`, and the form asks about values that aren't there.
  if (value === undefined) return false
  try {
    const branch = withRootReferences(structuredClone(schema)) as Schema
    const validator = new Validator(branch, draftOf(rootSchema))
    validator.addSchema(structuredClone(rootSchema) as Schema, rootUri)
    return validator.validate(JSON.parse(JSON.stringify(value))).valid
  } catch {
    return false
  }
}

function draftOf(schema: unknown): SchemaDraft {
  const dialect = String((schema as Schema | undefined)?.$schema ?? '')
  if (dialect.includes('draft-04')) return '4'
  if (/draft-0[67]/.test(dialect)) return '7'
  // MCP's default where a schema doesn't say.
  return dialect.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Errors that no other error explains further. */
function leaves(units: readonly OutputUnit[]): OutputUnit[] {
  const locations = units.map((unit) => unit.keywordLocation)
  const seen = new Set<string>()
  return units.filter((unit) => {
    if (locations.some((location) => location.startsWith(`${unit.keywordLocation}/`))) return false
    const identity = `${unit.instanceLocation}\n${unit.error}`
    if (seen.has(identity)) return false
    seen.add(identity)
    return true
  })
}

/**
 * A value that fits no member of a union has an error for each. Where one says more than the type, it is the one that
 * was meant; where none does, the types are named together.
 */
function joinTypes(units: readonly OutputUnit[]): OutputUnit[] {
  const types = new Map<string, OutputUnit>()
  return units.flatMap((unit) => {
    if (unit.keyword !== 'type') return [unit]
    const isBeside = (other: OutputUnit) =>
      other.keyword !== 'type' && `${other.instanceLocation}/`.startsWith(`${unit.instanceLocation}/`)
    if (units.some(isBeside)) return []
    const first = types.get(unit.instanceLocation)
    if (first) {
      first.error = first.error.replace(/\.$/, `, ${/Expected (.*)$/.exec(unit.error)?.[1] ?? ''}`)
      return []
    }
    const copy = { ...unit }
    types.set(unit.instanceLocation, copy)
    return [copy]
  })
}

function toProblem(unit: OutputUnit, root: Json): Problem {
  const path = toPath(unit.instanceLocation)
  // The object is where the validator says it; the missing property's field is where a person looks.
  const missing = unit.keyword === 'required' ? /required property "(.*)"\.$/s.exec(unit.error)?.[1] : undefined
  if (missing !== undefined) return { path: [...path, missing], message: 'Required.' }
  if (unit.keyword === 'type' && looksInexact(at(root, path)))
    return {
      path,
      message: `A JavaScript number can't hold this exactly (${Number(at(root, path))} is the nearest), so it is kept as text.`,
    }
  return {
    path,
    message: unit.error.replace(/^Instance type "(\w+)" is invalid\. Expected/, 'This is of type $1. Expected'),
  }
}

function looksInexact(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d{16,}$/.test(value)
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value)
}

/** The path of a JSON Pointer in a URI fragment. */
function toPath(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^(0|[1-9]\d*)$/.test(part) ? Number(part) : part))
}

const rootUri = 'https://root.invalid/'

/** Points a branch's own `#` references to the schema that it was taken from. */
function withRootReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withRootReferences)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? [key, `${rootUri}${value}`]
        : [key, withRootReferences(value)],
    ),
  )
}
