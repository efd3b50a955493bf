import type { Json, JsonObject } from '../../protocol.js'
import { isObject, kinds } from '../keywords.js'
import { step } from '../pointer.js'

/** What a provider's schemas are made of. */
export interface Profile {
  /** The keywords that it takes, beside `type`. */
  keywords: ReadonlySet<string>
  /** One part of a schema in the provider's words, before what it doesn't take is left out. */
  edit?(part: JsonObject, context: EditContext): JsonObject
}

export interface EditContext {
  isRoot: boolean
  /** @param key - Which of the keyword's entries, where it has several. */
  lose(keyword: string, reason: string, key?: string): void
  /** The tool can't be offered with this schema. */
  refuse(keyword: string, reason: string, key?: string): void
}

/** Where a part stands in the server's schema, and what is told of it. */
export interface Outcome {
  pathOf(part: JsonObject): string | undefined
  lose(keyword: string, path: string, reason: string): void
  refuse(path: string, reason: string): void
}

/** A plain schema in a provider's form. */
export function inForm(root: JsonObject, { keywords, edit }: Profile, { pathOf, lose, refuse }: Outcome): JsonObject {
  /** @param around - Where the part around it stands: one that an edit made has no place of its own. */
  function visit(part: JsonObject, around: string): JsonObject {
    const path = pathOf(part) ?? around
    const at = (keyword: string, key?: string) =>
      key === undefined ? step(path, keyword) : step(step(path, keyword), key)
    const context: EditContext = {
      isRoot: part === root,
      lose: (keyword, reason, key) => lose(keyword, at(keyword, key), reason),
      refuse: (keyword, reason, key) => refuse(at(keyword, key), reason),
    }
    const edited = edit?.(part, context) ?? part
    const entries = Object.entries(edited).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === 'type' || keywords.has(keyword)) return [[keyword, inner(keyword, value, path)]]
      context.lose(keyword, 'the provider does not know it')
      return []
    })
    return Object.fromEntries(entries)
  }

  function inner(keyword: string, value: Json, path: string): Json {
    const visitInner = (part: Json, around: string) => (isObject(part) ? visit(part, around) : part)
    switch (kinds.get(keyword)) {
      case 'schema':
        return visitInner(value, step(path, keyword))
      case 'schemas':
        return Array.isArray(value) ? value.map((part) => visitInner(part, path)) : value
      case 'schema map':
        return isObject(value)
          ? Object.fromEntries(
              Object.entries(value).map(([name, part]) => [name, visitInner(part, step(step(path, keyword), name))]),
            )
          : value
      default:
        return value
    }
  }

  return visit(root, '')
}
