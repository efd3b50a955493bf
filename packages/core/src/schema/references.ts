import type { Json, JsonObject } from '../protocol.js'
import { isObject } from './keywords.js'
import { step, stepsOf } from './pointer.js'

/** What a reference leads to, and where that is in the server's schema. */
export interface Target {
  schema: JsonObject | boolean
  path: string
}

/** Finds what references within one schema lead to; nothing is ever fetched. */
export interface References {
  find(reference: string): Target | undefined
}

/** Subschemas that are looked through for anchors and identifiers. */
const maxNodes = 10_000
const maxDepth = 64

export function createReferences(root: JsonObject): References {
  let named: Map<string, Target> | undefined
  return {
    find(reference) {
      const hash = reference.indexOf('#')
      const document = hash < 0 ? reference : reference.slice(0, hash)
      const fragment = hash < 0 ? '' : reference.slice(hash + 1)
      const found = () => (named ??= namesIn(root))
      const base: Target | undefined =
        document === '' ? { schema: root, path: '' } : (found().get(document) ?? found().get(absolute(document, root)))
      if (!base) return undefined
      const steps = stepsOf(fragment)
      if (!steps) return found().get(`${document}#${fragment}`) ?? found().get(`#${fragment}`)
      return walk(base, steps)
    },
  }
}

/** A relative identifier as the root's own resolves it. */
function absolute(document: string, { $id }: JsonObject): string {
  const base = typeof $id === 'string' ? $id : undefined
  return URL.canParse(document, base) ? new URL(document, base).href : document
}

function walk(base: Target, steps: string[]): Target | undefined {
  let value: Json = base.schema
  let path = base.path
  for (const key of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as JsonObject)[key]!
    path = step(path, key)
  }
  return isObject(value) || typeof value === 'boolean' ? { schema: value, path } : undefined
}

/** Whatever in a schema has a name of its own: `$id`, `$anchor`, and draft-07's `$id: '#name'`. The first one keeps it. */
function namesIn(root: JsonObject): Map<string, Target> {
  const named = new Map<string, Target>()
  const name = (key: string, target: Target) => {
    if (!named.has(key)) named.set(key, target)
  }
  const waiting: { value: Json; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }]
  for (let seen = 0; seen < waiting.length; seen++) {
    const { value, path, depth } = waiting[seen]!
    if (isObject(value)) {
      const { $id = value.id, $anchor = value.$dynamicAnchor } = value
      if (typeof $id === 'string') name($id.replace(/#$/, ''), { schema: value, path })
      if (typeof $anchor === 'string') name(`#${$anchor}`, { schema: value, path })
    }
    if (typeof value !== 'object' || value === null || depth === maxDepth) continue
    for (const [key, inner] of Object.entries(value))
      if (typeof inner === 'object' && waiting.length < maxNodes)
        waiting.push({ value: inner, path: step(path, key), depth: depth + 1 })
  }
  return named
}
