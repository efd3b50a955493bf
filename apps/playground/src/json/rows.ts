/** One line of the tree. */
export interface Row {
  /** JSON Pointer of the value; a range of its entries has `[from-to]` behind it. */
  id: string
  depth: number
  /** The property's name or the item's index; absent at the root and for a range. */
  key?: string | number
  /** Position among its siblings, from 1, and how many they are. */
  position: number
  siblings: number
  value: unknown
  /** Set for a line that stands for a range of the entries of `value`. */
  range?: { from: number; to: number }
  expandable: boolean
  expanded: boolean
}

// A container never shows more lines than this at once: past it, its entries are grouped in ranges, so that opening an
// array of a million items is as quick as opening one of a hundred.
const linesPerContainer = 100
/** A string past this is cut, and opens like a container. */
export const shortString = 80

const keysOf = new WeakMap<object, readonly string[]>()

function keys(value: object): readonly string[] {
  const known = keysOf.get(value)
  if (known) return known
  const found = Object.keys(value)
  keysOf.set(value, found)
  return found
}

/** True for what has entries: an object or an array, not bytes. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}

/** How many entries a container has. */
function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : keys(value).length
}

function isExpandable(value: unknown): boolean {
  if (typeof value === 'string') return value.length > shortString || value.includes('\n')
  return isContainer(value) && (Array.isArray(value) ? value.length > 0 : keys(value).length > 0)
}

/** The visible lines of `value`, given the ids that are open. */
export function toRows(value: unknown, expanded: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  const visit = (row: Omit<Row, 'expandable' | 'expanded'>) => {
    const expandable = row.range !== undefined || isExpandable(row.value)
    const open = expandable && expanded.has(row.id)
    rows.push({ ...row, expandable, expanded: open })
    if (!open || !isContainer(row.value)) return
    const { from, to } = row.range ?? { from: 0, to: sizeOf(row.value) }
    visitEntries(row, row.value, from, to)
  }
  const visitEntries = (parent: Pick<Row, 'id' | 'depth'>, container: object, from: number, to: number) => {
    const pointer = parent.id.replace(/\[\d+-\d+\]$/, '')
    const step = rangeStep(to - from)
    const siblings = Math.ceil((to - from) / step)
    for (let index = 0; index < siblings; index += 1) {
      const start = from + index * step
      const place = { depth: parent.depth + 1, position: index + 1, siblings }
      if (step > 1) {
        const end = Math.min(start + step, to)
        visit({ ...place, id: `${pointer}[${start}-${end}]`, value: container, range: { from: start, to: end } })
      } else {
        const key = Array.isArray(container) ? start : (keys(container)[start] as string)
        visit({
          ...place,
          id: `${pointer}/${escapePointer(String(key))}`,
          key,
          value: (container as Record<string | number, unknown>)[key],
        })
      }
    }
  }
  visit({ id: '', depth: 0, position: 1, siblings: 1, value })
  return rows
}

/** How many entries each line of a container stands for: 1, or a power of {@link linesPerContainer}. */
function rangeStep(count: number): number {
  let step = 1
  while (count / step > linesPerContainer) step *= linesPerContainer
  return step
}

// RFC 6901.
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** What is open at first: the outermost containers, as long as the tree stays within `maxRows` lines. */
export function initiallyExpanded(value: unknown, maxRows: number): Set<string> {
  const expanded = new Set<string>()
  for (let depth = 0; depth < 8; depth += 1) {
    const candidates = toRows(value, expanded).filter(
      (row) => row.depth === depth && row.range === undefined && row.expandable && isContainer(row.value),
    )
    if (candidates.length === 0) return expanded
    const next = new Set([...expanded, ...candidates.map((row) => row.id)])
    if (depth > 0 && toRows(value, next).length > maxRows) return expanded
    for (const id of next) expanded.add(id)
  }
  return expanded
}

/** A few words on a closed container: its first keys, or its length. */
export function preview(value: object): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.length.toLocaleString('en')} ]`
  const names: string[] = []
  let length = 0
  for (const name in value) {
    length += name.length
    if (names.length === 5 || length > 48) return `{ ${names.join(', ')}${names.length > 0 ? ', ' : ''}… }`
    names.push(name)
  }
  return names.length === 0 ? '{}' : `{ ${names.join(', ')} }`
}

/** JSON text of a value; bytes, which JSON has none of, become a note of their length. */
export function toJsonText(value: unknown): string {
  return (
    JSON.stringify(
      value,
      (_key, item: unknown) => (ArrayBuffer.isView(item) ? `<${item.byteLength} bytes>` : item),
      2,
    ) ?? ''
  )
}
