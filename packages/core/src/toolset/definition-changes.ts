import type { Json } from '../protocol.js'
import { canonicalDefinition, canonicalJson, definitionOf, type ToolDefinition } from './fingerprint.js'

/** One place where a definition differs from what it was. Raw text: it may hide what people don't see. */
export interface DefinitionChange {
  /** JSON Pointer into the definition. */
  path: string
  /** Absent where nothing was there. */
  before?: Json
  /** Absent where nothing is there any more. */
  after?: Json
}

/** Changes that are told at the most. */
const maxChanges = 100

/** Where two definitions differ; in lists of one length item by item, else as a whole. At most 100. */
export function changesBetween(before: ToolDefinition, after: ToolDefinition): DefinitionChange[] {
  if (canonicalDefinition(before) === canonicalDefinition(after)) return []
  const changes: DefinitionChange[] = []
  compare('', { ...definitionOf(before) } as unknown as Json, { ...definitionOf(after) } as unknown as Json, changes)
  return changes
}

function compare(path: string, before: Json | undefined, after: Json | undefined, changes: DefinitionChange[]): void {
  if (changes.length >= maxChanges || isSame(before, after)) return
  if (!isNested(before) || !isNested(after) || isDifferentList(before, after)) {
    changes.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
    return
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    compare(`${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, own(before, key), own(after, key), changes)
}

const isSame = (before: Json | undefined, after: Json | undefined) =>
  before === undefined || after === undefined ? before === after : canonicalJson(before) === canonicalJson(after)

const isNested = (value: Json | undefined): value is Json[] | { [key: string]: Json } =>
  typeof value === 'object' && value !== null

function isDifferentList(before: object, after: object): boolean {
  if (!Array.isArray(before) && !Array.isArray(after)) return false
  return !Array.isArray(before) || !Array.isArray(after) || before.length !== after.length
}

/** Arguments may be called `__proto__` or `constructor`. */
const own = (value: object, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? (value as { [key: string]: Json })[key] : undefined
