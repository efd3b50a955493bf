import type { JsonObject } from '../protocol.js'

/** The dialects of JSON Schema that the validator knows, by its own names. */
export type Dialect = '7' | '2019-09' | '2020-12'

const known = new Map<string, Dialect>([
  ['json-schema.org/draft-07/schema', '7'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
])

/** Keywords that the validator knows and the dialect does not: there they decide nothing. */
export const foreignKeywords: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  '7': new Set([
    '$anchor',
    '$dynamicRef',
    '$recursiveAnchor',
    '$recursiveRef',
    'dependentRequired',
    'dependentSchemas',
    'maxContains',
    'minContains',
    'prefixItems',
    'unevaluatedItems',
    'unevaluatedProperties',
  ]),
  '2019-09': new Set(['$dynamicRef', 'prefixItems']),
  '2020-12': new Set(['$recursiveAnchor', '$recursiveRef']),
}

/**
 * The dialect that a schema says it is written in: http and https, with and without an empty fragment, are the same.
 *
 * @returns `2020-12` where it says nothing; undefined where it names one that is not known here.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage}
 */
export function dialectOf({ $schema }: JsonObject): Dialect | undefined {
  if ($schema === undefined || $schema === null) return '2020-12'
  if (typeof $schema !== 'string') return undefined
  return known.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''))
}
