import type { Tool } from '../protocol.js'

/*
 * This file, and those that are loaded when they are needed (`approval`, `pins`), import no code of what every page loads:
 * bundlers would move that into files of their own.
 */

/** What a tool promises: all of it that a person approves of, or a model goes by. */
export type ToolDefinition = Pick<
  Tool,
  'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'
>

/** How what stands below a key is to be read. */
type Reading = 'schema' | 'names' | 'value'

const fields = {
  name: 'value',
  title: 'value',
  description: 'value',
  inputSchema: 'schema',
  outputSchema: 'schema',
  annotations: 'value',
} as const satisfies Record<keyof ToolDefinition, Reading>

/** Keywords whose lists are sets to JSON Schema: their order says nothing. */
const sets = new Set(['required', 'enum', 'type'])
/** Keywords whose keys are names that the author chose. */
const namesBelow = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that hold values, not schemas. */
const valuesBelow = new Set(['const', 'default', 'enum', 'examples'])
/** Definitions nested deeper can't be compared. */
const maxDepth = 200

/** @param tool - Servers send `null` for what they don't know: it counts as absent. */
export function definitionOf(tool: ToolDefinition): ToolDefinition {
  const kept = Object.keys(fields).filter((field) => (tool[field as keyof ToolDefinition] ?? undefined) !== undefined)
  return Object.fromEntries(
    kept.map((field) => [field, tool[field as keyof ToolDefinition]]),
  ) as unknown as ToolDefinition
}

/**
 * A definition as one text, the same whatever the order of keys, and of the lists of `required`, `enum` and `type`, which
 * are sets. The order of every other list counts: `anyOf` and `examples` are read in it.
 *
 * @param without - A field to leave out.
 * @throws {RangeError} When it is nested more than 200 deep.
 */
export function canonicalDefinition(tool: ToolDefinition, without?: keyof ToolDefinition): string {
  const { ...definition } = definitionOf(tool)
  if (without) delete definition[without]
  return object(definition, (field) => fields[field as keyof ToolDefinition], 1)
}

/**
 * What a tool is known by: 64 hexadecimal digits, the SHA-256 of its canonical definition and its server's name.
 *
 * @throws {RangeError} When it is nested more than 200 deep.
 * @throws {Error} Where there is no WebCrypto.
 */
export async function fingerprintOf(server: string, tool: ToolDefinition): Promise<string> {
  // Browsers have it in secure contexts only.
  const { subtle } = globalThis.crypto ?? {}
  if (!subtle)
    throw new Error(
      '"approve" and "pins" need WebCrypto, which browsers offer only to pages of https:// and of localhost',
    )
  const text = `[${JSON.stringify(server)},${canonicalDefinition(tool)}]`
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Any JSON as one text, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => canonical(value, 'value', 0)

function canonical(value: unknown, reading: Reading, depth: number): string {
  if (depth > maxDepth) throw new RangeError('it is nested too deeply')
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, reading, depth + 1)).join()}]`
  // JSON text may hold `1e400`, which is read as Infinity and would be written as null.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  return object(value, (key) => below(key, reading), depth + 1, reading === 'schema')
}

function object(value: object, readingOf: (key: string) => Reading, depth: number, isSchema = false): string {
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => {
      const text =
        isSchema && sets.has(key) && Array.isArray(item)
          ? `[${item
              .map((member) => canonical(member, 'value', depth + 1))
              .sort()
              .join()}]`
          : canonical(item, readingOf(key), depth)
      // As JSON writes it, so that half a surrogate pair is not taken for another.
      return `${JSON.stringify(key)}:${text}`
    })
  return `{${members.join()}}`
}

function below(key: string, reading: Reading): Reading {
  if (reading === 'names') return 'schema'
  if (reading === 'value' || valuesBelow.has(key)) return 'value'
  return namesBelow.has(key) ? 'names' : 'schema'
}
