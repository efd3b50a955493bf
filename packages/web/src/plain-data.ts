/**
 * Data that can be cloned: what can't be but is plain all the same, such as a framework's proxy, as its JSON.
 *
 * @returns What is wrong instead: `data.key` is the path of something that is not plain; without one that can't be said.
 */
export function toPlain<Data>(data: Data): { plain: Data } | { message: string; data: { key?: string } } {
  let path: string | undefined
  try {
    path = findUncloneable(data)
    if (path === undefined) return { plain: JSON.parse(JSON.stringify(data)) }
  } catch {
    // A ring, or too deep.
  }
  const message = `${path ?? 'What was given'} can't be sent to the worker: only plain data can`
  return { message, data: path === undefined ? {} : { key: path } }
}

/** Where the first value stands that is neither plain data nor can be cloned by itself. */
function findUncloneable(value: unknown, path = '', seen = new Set<unknown>()): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' || typeof value === 'symbol' ? path : undefined
  }
  if (seen.has(value)) return undefined
  seen.add(value)
  if (!isPlain(value)) return canClone(value) ? undefined : path
  for (const [key, item] of Object.entries(value)) {
    const found = findUncloneable(item, path ? `${path}.${key}` : key, seen)
    if (found !== undefined) return found
  }
  return undefined
}

/** An object or a list; also behind a framework's proxy. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function canClone(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
