// Parsing more than this takes long enough to be felt; such a text stays text.
const longest = 1_000_000

const known = new Map<string, { value: unknown } | undefined>()

/** The object or array that a text is the JSON of, if it is one of a size that can be parsed at once. */
export function parseShownJson(text: string): { value: unknown } | undefined {
  if (text.length > longest || !/^\s*[[{]/.test(text)) return undefined
  if (!known.has(text)) {
    // The last text is all that is asked for again and again.
    known.clear()
    known.set(text, parse(text))
  }
  return known.get(text)
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
