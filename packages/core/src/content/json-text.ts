import type { Json } from '../protocol.js'

/** A value as JSON, however deep: `JSON.stringify` overflows the stack where `JSON.parse` does not. */
export function jsonText(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return deepJsonText(value)
    throw error
  }
}

function deepJsonText(whole: Json): string {
  const pieces: string[] = []
  /** What is still to be written, the next at the end: values, and pieces of JSON. */
  const ahead: ({ value: Json } | string)[] = [{ value: whole }]
  while (ahead.length > 0) {
    const next = ahead.pop()!
    if (typeof next === 'string') {
      pieces.push(next)
      continue
    }
    const { value } = next
    if (typeof value !== 'object' || value === null) {
      pieces.push(JSON.stringify(value))
      continue
    }
    const list = Array.isArray(value)
    pieces.push(list ? '[' : '{')
    ahead.push(list ? ']' : '}')
    const members: [string | number, Json][] = list ? value.map((item, index) => [index, item]) : Object.entries(value)
    for (let index = members.length - 1; index >= 0; index--) {
      const [key, item] = members[index]!
      ahead.push({ value: item }, `${index > 0 ? ',' : ''}${list ? '' : `${JSON.stringify(key)}:`}`)
    }
  }
  return pieces.join('')
}
