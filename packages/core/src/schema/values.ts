import { cleanText, hiddenIn } from '../clean-text.js'
import type { Json } from '../protocol.js'
import { isName, isObject, judgeValue, type Kind, types } from './keywords.js'
import type { Ledger } from './ledger.js'
import { step } from './pointer.js'

const maxChoices = 1_000
/** Characters of a regular expression that is looked at: it is compiled once, and never run. */
const maxPatternLength = 1_000

/** Whether a value is left out for its length alone. */
export const isTooLong = (keyword: string, value: Json | undefined): boolean =>
  (keyword === 'enum' && Array.isArray(value) && value.length > maxChoices) ||
  (keyword === 'pattern' && typeof value === 'string' && value.length > maxPatternLength)

/** A keyword's value as a copy may have it, of those that hold no schema; undefined where it can't. */
export function plainValue(
  keyword: string,
  kind: Exclude<Kind, 'schema' | 'schemas' | 'schema map'>,
  value: Json,
  path: string,
  ledger: Ledger,
): Json | undefined {
  if (isTooLong(keyword, value)) return undefined
  switch (kind) {
    case 'type':
      return typeValue(value)
    case 'number':
      return Number.isFinite(value) && (keyword !== 'multipleOf' || Number(value) > 0) ? value : undefined
    case 'count':
      return Number.isInteger(value) && Number(value) >= 0 ? value : undefined
    case 'flag':
      return typeof value === 'boolean' ? value : undefined
    case 'text':
      return textValue(keyword, value, path, ledger)
    case 'pattern':
      return isPattern(value) ? value : undefined
    case 'names':
      return Array.isArray(value) ? [...new Set(value.filter(isName))] : undefined
    case 'names map':
      return isNamesMap(value) ? value : undefined
    case 'value':
      if (keyword === 'const') return choices([value], path, ledger)?.[0]
      return judgeValue(value) === 'clean' ? value : undefined
    case 'values':
      if (!Array.isArray(value)) return undefined
      if (keyword === 'enum') return choices(value, path, ledger)
      return value.every((one) => judgeValue(one) === 'clean') ? value : undefined
  }
}

function typeValue(value: Json): Json | undefined {
  const named = (Array.isArray(value) ? value : [value]).filter(isName).filter((type) => types.has(type))
  const distinct = [...new Set(named)]
  return distinct.length > 1 ? distinct : distinct[0]
}

function textValue(keyword: string, value: Json, path: string, { lose }: Ledger): string | undefined {
  if (typeof value !== 'string') return undefined
  const clean = cleanText(value)
  if (clean !== value) lose(keyword, path, "characters that people can't see are taken out")
  return clean
}

function choices(values: Json[], path: string, { hide, spend }: Ledger): Json[] | undefined {
  if (values.length === 0 || !spend(values.length, true)) return undefined
  for (const [index, value] of values.entries()) {
    const judged = judgeValue(value)
    // Another text than the server's would be refused by it.
    if (judged === 'hidden') hide(step(path, index), 'a value to choose')
    if (judged !== 'clean') return undefined
  }
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function isPattern(value: Json): boolean {
  if (typeof value !== 'string' || hiddenIn(value).length > 0) return false
  // JSON Schema means those with `u`; many are written without.
  return compiles(value, 'u') || compiles(value, '')
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp
  } catch {
    return false
  }
}

const isNamesMap = (value: Json): boolean =>
  isObject(value) &&
  judgeValue(value) === 'clean' &&
  Object.values(value).every((names) => Array.isArray(names) && names.every(isName))
