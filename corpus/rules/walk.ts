/** One schema in a tool's parameters. */
export interface Part {
  path: string
  schema: Record<string, unknown>
  /** Objects and lists around it, itself among them. */
  level: number
}

const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every schema in another one, itself first, by the keywords that hold schemas. Written apart from what it checks. */
export function partsOf(schema: unknown, path = '', level = 0): Part[] {
  if (!isRecord(schema)) return []
  const own = ['object', 'array'].some((type) => typesOf(schema).includes(type)) ? level + 1 : level
  const inner = [
    ...single.map((keyword) => [`${path}/${keyword}`, schema[keyword]] as const),
    ...lists.flatMap((keyword) => entries(schema[keyword], `${path}/${keyword}`)),
    ...maps.flatMap((keyword) => entries(schema[keyword], `${path}/${keyword}`)),
  ]
  return [{ path, schema, level: own }, ...inner.flatMap(([where, part]) => partsOf(part, where, own))]
}

const entries = (value: unknown, path: string): (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([key, part]) => [`${path}/${key}`, part] as const)
    : []

export const typesOf = ({ type }: Record<string, unknown>): unknown[] => (Array.isArray(type) ? type : [type])

export const namesOf = ({ properties }: Record<string, unknown>): string[] =>
  isRecord(properties) ? Object.keys(properties) : []

/** The paths of the parts that a rule is broken in. */
export const pathsWhere = (schema: unknown, isBroken: (part: Part) => boolean): string[] =>
  partsOf(schema)
    .filter(isBroken)
    .map(({ path }) => path || '/')
