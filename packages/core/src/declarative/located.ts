import type { Json, JsonObject } from '../protocol.js'

/** A value of a file, and the line that it begins on. What an alias repeats is one object in several places. */
export type Located = LocatedObject | LocatedList | LocatedScalar

interface Place {
  /** From 1. */
  line: number
  /** How many values it is, itself included; what is repeated counts each time. */
  size: number
  /** How many levels it has; 1 where nothing is in it. */
  depth: number
}
export interface LocatedObject extends Place {
  kind: 'object'
  /** A map: `__proto__` is a name as any other. */
  entries: Map<string, Member>
}
export interface LocatedList extends Place {
  kind: 'list'
  items: Located[]
}
export interface LocatedScalar extends Place {
  kind: 'scalar'
  value: string | number | boolean | null
}
/** A key's line, and what it holds. */
export interface Member {
  line: number
  value: Located
}

export function objectAt(line: number, entries: Map<string, Member>): LocatedObject {
  return { kind: 'object', line, entries, ...extent(Array.from(entries.values(), ({ value }) => value)) }
}

export function listAt(line: number, items: Located[]): LocatedList {
  return { kind: 'list', line, items, ...extent(items) }
}

export function scalarAt(line: number, value: LocatedScalar['value']): LocatedScalar {
  return { kind: 'scalar', line, value, ...extent([]) }
}

function extent(parts: Located[]): Pick<Place, 'size' | 'depth'> {
  let size = 1
  let depth = 0
  for (const part of parts) {
    size += part.size
    depth = Math.max(depth, part.depth)
  }
  return { size, depth: depth + 1 }
}

/** What a file may come to: small ones can make billions of values by aliases, and what goes through them recurses. */
const maxValues = 1_000_000
const maxDepth = 200

/** @returns What is too much of it, in words for an error. */
export function excessOf({ size, depth }: Pick<Place, 'size' | 'depth'>): string | undefined {
  if (depth > maxDepth) return `it is nested too deeply: more than ${maxDepth} levels`
  return size > maxValues ? `its aliases make more than ${maxValues} values of it` : undefined
}

/** The plain value; every place has a copy of its own. */
export function toJson(node: Located): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(toJson)
    case 'object':
      return toJsonObject(node)
  }
}

export function toJsonObject({ entries }: LocatedObject): JsonObject {
  return Object.fromEntries([...entries].map(([key, { value }]) => [key, toJson(value)]))
}

/** A plain value as if it stood on one line. */
export function locate(value: Json, line: number): Located {
  if (Array.isArray(value))
    return listAt(
      line,
      value.map((item) => locate(item, line)),
    )
  if (typeof value !== 'object' || value === null) return scalarAt(line, value)
  const members = Object.entries(value).map(([key, item]): [string, Member] => [
    key,
    { line, value: locate(item, line) },
  ])
  return objectAt(line, new Map(members))
}

/** The string, or `undefined` for what is none. */
export function stringOf(node: Located | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

/** Tells the line, from 1, of each offset in a text. */
export function lineCounter(text: string): (offset: number) => number {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
