import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol.js'
import { normalizeSchema } from '../../src/schema/normalize.js'
import { undoStrict } from '../../src/schema/undo-strict.js'
import { normalized, profiles, withProperty } from './normalized.js'

/** Every object and list of a copy. */
function parts(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce<number>((sum, inner) => sum + parts(inner), 0)
}

const text: JsonObject = { type: 'string' }
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Each definition refers twice to the next one: 2^40 parts, were it followed to its end. */
const laughs: JsonObject = {
  type: 'object',
  properties: { a: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(
    times(40, (index) => {
      const $ref = `#/$defs/d${index + 1}`
      return [`d${index}`, { type: 'object', properties: { l: { $ref }, r: { $ref } } }]
    }),
  ),
}

const circular: JsonObject = { type: 'object', properties: {} }
circular.properties = { again: circular, list: { type: 'array', items: circular } }

const hostile: Record<string, JsonObject> = {
  laughs,
  'a schema that is its own property': circular,
  '100,000 properties': {
    type: 'object',
    properties: Object.fromEntries(times(100_000, (index) => [`p${index}`, text])),
  },
  '100,000 values': withProperty({ enum: times(100_000, String) }),
  '5,000 schemas in allOf': withProperty({ allOf: times(5_000, (index) => ({ properties: { [`p${index}`]: text } })) }),
  '5,000 choices of one property': {
    type: 'object',
    anyOf: times(5_000, (index) => ({ properties: { p: { const: `v${index}` } } })),
  },
  '100,000 references to nothing': {
    type: 'object',
    properties: Object.fromEntries(times(100_000, (index) => [`p${index}`, { $ref: `#x${index}` }])),
  },
  'an allOf of itself': { type: 'object', allOf: [{ $ref: '#' }, { $ref: '#' }] },
  'a pattern that would run for years': withProperty({ type: 'string', pattern: `^(${'(a+)+'.repeat(20)})$` }),
  'a million characters of pattern': withProperty({ type: 'string', pattern: 'a'.repeat(1_000_000) }),
  'a deep default': withProperty({ default: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) as Json }),
}

describe.each(Object.entries(hostile))('%s', (_, schema) => {
  test.each(profiles)('is bounded for %s', (profile) => {
    const result = normalizeSchema(schema, profile)
    // The AI SDK’s copy says "anything" in a dozen parts.
    if ('fault' in result) expect(result.fault.reason).toMatch(/5000 parts|strict mode/)
    else {
      expect(parts(result.schema)).toBeLessThan(100_000)
      expect(result.losses.length).toBeLessThan(10_000)
    }
  })
})

test('references are followed to 5,000 parts', () => {
  expect(parts(normalized(laughs, 'anthropic'))).toBeLessThan(20_000)
})

/** Linear congruential: the same schemas in every run. */
function generator(seed: number) {
  let state = seed
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!
  const names = ['a', 'b', 'kind', '__proto__', 'constructor', 'x y', '$top', 'type', 'enum', '']
  const values: Json[] = ['a', 'b\u200b', 1, 1.5, true, null, [1], { a: 1 }]
  const keywords = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'properties', 'required']
    .concat(
      'additionalProperties',
      'patternProperties',
      'items',
      'prefixItems',
      'minLength',
      'minimum',
      'exclusiveMinimum',
    )
    .concat(
      'pattern',
      'format',
      'description',
      'default',
      '$ref',
      '$defs',
      '$id',
      '$anchor',
      'nullable',
      'dependentRequired',
    )
  const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'any']
  const references = ['#', '#/$defs/a', '#/properties/a', '#here', '#/nowhere', 'https://a.example/x']

  function value(keyword: string, depth: number): Json {
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

  function schema(depth: number): Json {
    if (next(12) === 0) return next(2) === 0
    if (depth > 4) return { type: pick(types) }
    return Object.fromEntries(times(next(5), () => pick(keywords)).map((keyword) => [keyword, value(keyword, depth)]))
  }

  return (): JsonObject => ({ type: 'object', ...(schema(0) as JsonObject) })
}

test.each([1, 2, 3, 4])(
  '500 schemas by chance, %i: none throws, none is altered, every copy is made of schemas',
  (seed) => {
    const make = generator(seed)
    let copies = 0
    for (const schema of times(500, make)) {
      const before = JSON.stringify(schema)
      for (const profile of profiles) {
        const result = normalizeSchema(schema, profile)
        if ('fault' in result) continue
        copies++
        expect(result.schema).toMatchObject({ type: 'object', properties: {} })
        expect(result.schema.anyOf ?? result.schema.oneOf ?? result.schema.allOf).toBeUndefined()
        expect(JSON.stringify(result.schema)).not.toMatch(/[\u200b\u202e]|"\$ref"|"allOf"|"patternProperties":\{"/)
      }
      undoStrict({ a: null, b: [null], kind: { a: null } }, schema)
      expect(JSON.stringify(schema)).toBe(before)
    }
    expect(copies).toBeGreaterThan(500)
  },
)
