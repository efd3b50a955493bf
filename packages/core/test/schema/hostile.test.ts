import { schemasByChance } from '@x/testkit/schemas'
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
    if ('fault' in result) expect(result.fault.reason).toMatch(/5000 parts|1000000 characters|strict mode/)
    else {
      expect(parts(result.schema)).toBeLessThan(100_000)
      expect(result.losses.length).toBeLessThan(10_000)
    }
  })
})

test('references are followed to 5,000 parts', () => {
  expect(parts(normalized(laughs, 'anthropic'))).toBeLessThan(20_000)
})

test.each<[what: string, definition: JsonObject]>([
  ['a long description', { type: 'string', description: 'x'.repeat(100_000) }],
  ['a long name', { type: 'object', properties: { ['x'.repeat(100_000)]: {} } }],
  ['many required names', { type: 'object', required: times(5_000, String) }],
  ['many examples', { type: 'string', examples: times(20_000, String) }],
  ['a long default', { type: 'string', default: 'x'.repeat(100_000) }],
  ['one long value to choose', { enum: ['x'.repeat(100_000)] }],
  ['many types', { type: times(50_000, () => 'string') as Json }],
])('%s is not multiplied by references to it', (_, definition) => {
  const properties = Object.fromEntries(times(500, (index) => [`p${index}`, { $ref: '#/$defs/a' }]))
  const schema: JsonObject = { type: 'object', properties, $defs: { a: definition } }
  for (const profile of profiles) {
    const result = normalizeSchema(schema, profile)
    expect('fault' in result ? '' : JSON.stringify(result.schema)).toSatisfy((json: string) => json.length < 2_000_000)
    if ('losses' in result && profile === 'anthropic')
      expect(result.losses).toContainEqual({
        keyword: '$ref',
        path: '',
        reason: expect.stringMatching(/^of what references lead to, (5000 parts|1000000 characters) are told$/),
      })
  }
  const own = normalizeSchema({ ...properties, properties: { a: { description: 'x'.repeat(1_000_001) } } }, 'openai')
  expect(own).toEqual({ fault: { path: '', reason: 'it has more than 1000000 characters' } })
})

test.each([1, 2, 3, 4])(
  '500 schemas by chance, %i: none throws, none is altered, every copy is made of schemas',
  (seed) => {
    const make = schemasByChance(seed)
    let copies = 0
    for (const schema of times(500, make as () => JsonObject)) {
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
