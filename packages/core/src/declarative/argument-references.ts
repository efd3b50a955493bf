import { ConfigError } from '../errors.js'
import type { Json, JsonObject } from '../protocol.js'
import { quote } from './faults.js'
import { untilLastReference } from './references.js'

/** Names that results are bound under. */
export const resultName = /^[A-Za-z_][\w-]*$/

/** Characters of text that references may make of the arguments of one call: results can be put into one another. */
const maxLength = 4 * 1024 * 1024

const reference = /(\$?)\$\{([^}]*)\}/g

/** The names of all results that arguments refer to. */
export function namesIn(value: Json): string[] {
  if (typeof value === 'string')
    return [...untilLastReference(value).matchAll(reference)].flatMap(([, escaped, path]) =>
      escaped ? [] : [path!.split('.')[0]!],
    )
  if (typeof value !== 'object' || value === null) return []
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(namesIn)
}

/**
 * Arguments with results in the place of their references. A string that is one reference becomes the result itself, of
 * whatever type; within a string it becomes text. `${name.key.0}` goes into objects and lists by their own keys; into a
 * text that is JSON, too. `$${` stands for `${`. Nothing is evaluated.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a reference to what isn't there.
 */
export function resolveArguments(args: JsonObject, results: ReadonlyMap<string, Json>): JsonObject {
  let length = 0
  const count = (text: string) => {
    length += text.length
    if (length > maxLength)
      throw new ConfigError(`the references make more than ${maxLength} characters of the arguments`)
    return text
  }

  function look(path: string): Json {
    const [name = '', ...keys] = path.split('.')
    const result = results.get(name)
    if (result === undefined) throw new ConfigError(`no earlier action has the result ${quote(name)}`)
    let value = result
    for (const key of keys) value = step(value, key, path)
    return value
  }

  function resolve(value: Json): Json {
    if (typeof value === 'string') return resolveText(value)
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
  }

  function resolveText(text: string): Json {
    const part = untilLastReference(text)
    const [whole] = [...part.matchAll(reference)]
    if (whole && whole[0] === text && !whole[1]) {
      const value = structuredClone(look(whole[2]!))
      count(typeof value === 'string' ? value : JSON.stringify(value))
      return value
    }
    const resolved = part.replace(reference, (found, escaped: string, path: string) => {
      if (escaped) return found.slice(1)
      const value = look(path)
      return count(typeof value === 'string' ? value : JSON.stringify(value))
    })
    return resolved + text.slice(part.length)
  }

  try {
    return resolve(args) as JsonObject
  } catch (error) {
    // A text that is JSON may be of any depth.
    if (error instanceof RangeError) throw new ConfigError('what the references lead to is nested too deeply')
    throw error
  }
}

function step(value: Json, key: string, path: string): Json {
  // Most tools answer with JSON as text.
  const inner = typeof value === 'string' ? parsed(value) : value
  const found =
    typeof inner === 'object' &&
    inner !== null &&
    Object.hasOwn(inner, key) &&
    !(Array.isArray(inner) && key === 'length')
      ? (inner as JsonObject)[key]
      : undefined
  if (found === undefined) throw new ConfigError(`the reference ${quote(path)} leads to nothing, from ${quote(key)} on`)
  return found
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
