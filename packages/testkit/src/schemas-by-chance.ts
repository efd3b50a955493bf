type Schema = Record<string, unknown>

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

/**
 * Makes schemas of a tool's arguments, good ones and such as no server should send: the same ones for the same seed.
 *
 * @returns A function that makes the next one; its root says that it is an object.
 */
export function schemasByChance(seed: number): () => Schema {
  // Linear congruential.
  let state = seed
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!
  const names = ['a', 'b', 'kind', '__proto__', 'constructor', 'x y', '$top', 'type', 'enum', '']
  const values: unknown[] = ['a', 'b\u200b', 1, 1.5, true, null, [1], { a: 1 }]
  const keywords = [
    ...['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'properties', 'required'],
    ...[
      'additionalProperties',
      'patternProperties',
      'items',
      'prefixItems',
      'minLength',
      'minimum',
      'pattern',
      'format',
    ],
    ...[
      'exclusiveMinimum',
      'description',
      'default',
      '$ref',
      '$defs',
      '$id',
      '$anchor',
      'nullable',
      'dependentRequired',
    ],
  ]
  const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'any']
  const references = ['#', '#/$defs/a', '#/properties/a', '#here', '#/nowhere', 'https://a.example/x']

  function value(keyword: string, depth: number): unknown {
    // One in eight is nonsense.
    if (next(8) === 0) return pick(values)
    switch (keyword) {
      case 'type':
        return next(3) ? pick(types) : times(next(4), () => pick(types))
      case 'enum':
        return times(next(4), () => pick(values))
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
        return times(next(4), () => schema(depth + 1))
      case 'properties':
      case '$defs':
      case 'patternProperties':
        return Object.fromEntries(times(next(4), () => [pick(names), schema(depth + 1)]))
      case 'required':
        return times(next(4), () => pick(names))
      case 'not':
      case 'if':
      case 'then':
      case 'items':
      case 'additionalProperties':
        return schema(depth + 1)
      case 'minLength':
      case 'minimum':
      case 'exclusiveMinimum':
        return next(5)
      case 'pattern':
        return pick(['^a$', '(?=x)', '[', '\\p{L}'])
      case '$ref':
        return pick(references)
      case '$id':
        return 'https://a.example/x'
      case '$anchor':
        return 'here'
      case 'nullable':
        return true
      case 'dependentRequired':
        return { a: ['b'] }
      default:
        return pick(['text', 'text\u202e', 'uuid'])
    }
  }

  function schema(depth: number): unknown {
    if (next(12) === 0) return next(2) === 0
    if (depth > 4) return { type: pick(types) }
    return Object.fromEntries(times(next(5), () => pick(keywords)).map((keyword) => [keyword, value(keyword, depth)]))
  }

  return () => ({ type: 'object', ...(schema(0) as Schema) })
}
