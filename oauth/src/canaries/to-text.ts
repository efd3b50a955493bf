/** A value with all that is in it: also what `JSON.stringify` and a console leave out. */
export function toText(value: unknown): string {
  const seen = new Set<object>()
  const walk = (one: unknown): unknown => {
    if (typeof one === 'bigint' || typeof one === 'function' || typeof one === 'symbol') return String(one)
    if (typeof one !== 'object' || one === null) return one
    if (seen.has(one)) return '(seen)'
    seen.add(one)
    if (ArrayBuffer.isView(one)) return new TextDecoder().decode(one)
    if (one instanceof ArrayBuffer) return new TextDecoder().decode(one)
    if (one instanceof Headers || one instanceof Map) return [...one].map(walk)
    if (Array.isArray(one) || one instanceof Set) return [...one].map(walk)
    // Message, stack and cause of an error are not enumerable.
    return Object.getOwnPropertyNames(one).map((name) => [name, walk((one as Record<string, unknown>)[name])])
  }
  return JSON.stringify(walk(value)) ?? String(value)
}
