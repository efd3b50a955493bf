import type { Json, JsonObject } from '../protocol.js'

/**
 * Whether texts say what structured content says, by meaning: one of them is its JSON, whatever the white space and the order
 * of keys; or they are the items of its list, one each. Servers whose tools answer with no object wrap the answer as
 * `{ "result": … }` and send the answer itself as text.
 */
export function saysTheSame(texts: readonly string[], structured: Json): boolean {
  /** What every text is compared with, however many keys it has, is counted once. */
  const counted = new Map<Json, number>()
  const answers = [structured, ...(isObject(structured) && hasOnly(structured, 'result') ? [structured.result!] : [])]
  return answers.some(
    (answer) =>
      texts.some((text) => isText(text, answer, counted)) ||
      (Array.isArray(answer) &&
        answer.length === texts.length &&
        texts.length > 0 &&
        texts.every((text, index) => isText(text, answer[index]!, counted))),
  )
}

/** Whether a text is this value: a string as it is, or anything as JSON. */
function isText(text: string, value: Json, counted: Map<Json, number>): boolean {
  if (text === value) return true
  // Most texts are no JSON, and need not be parsed to see that they are not this value.
  const first = /[^ \t\r\n]/.exec(text)?.[0]
  if (first !== startOf(value) && !(typeof value === 'number' && first && '-0123456789'.includes(first))) return false
  try {
    return sameJson(JSON.parse(text), value, counted)
  } catch {
    return false
  }
}

function startOf(value: Json): string | undefined {
  if (typeof value === 'number') return undefined
  if (typeof value === 'string') return '"'
  if (Array.isArray(value)) return '['
  return typeof value === 'object' && value !== null ? '{' : String(value)[0]
}

/** Without recursion: a server may nest as deep as its reply is long. */
function sameJson(one: Json, other: Json, counted: Map<Json, number>): boolean {
  const ahead: [Json, Json][] = [[one, other]]
  for (let pair = ahead.pop(); pair; pair = ahead.pop()) {
    const [a, b] = pair
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false
      for (let index = 0; index < a.length; index++) ahead.push([a[index]!, b[index]!])
    } else if (isObject(a)) {
      if (!isObject(b)) return false
      const keys = Object.keys(a)
      const count = counted.get(b) ?? Object.keys(b).length
      counted.set(b, count)
      if (keys.length !== count) return false
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false
        ahead.push([a[key]!, b[key]!])
      }
    } else if (a !== b) return false
  }
  return true
}

const hasOnly = (value: JsonObject, key: string) => Object.hasOwn(value, key) && Object.keys(value).length === 1

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
