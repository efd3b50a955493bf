import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol.js'
import { readForm } from '../../src/schema/form.js'

const schemaOf = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
})

function fill(schema: JsonObject, content: object) {
  const form = readForm(schema)
  if (typeof form === 'string') throw new Error(form)
  return form.fill(content as JsonObject)
}

// Values by the JSON Schema keywords of the specification's own examples (client/elicitation, revision 2025-11-25).
describe.each<[string, JsonObject, Json[], unknown[]]>([
  ['a text', { type: 'string' }, ['', 'a'], [1, true, null, ['a'], {}]],
  // Lengths count characters, not code units (JSON Schema Validation 6.3).
  ['a text of some length', { type: 'string', minLength: 2, maxLength: 3 }, ['ab', '👍👍👍'], ['a', 'abcd', '👍']],
  ['an e-mail address', { type: 'string', format: 'email' }, ['a@b.example'], ['a', 'a@', '@b', 'a b@c']],
  [
    'a URI',
    { type: 'string', format: 'uri' },
    ['https://a.example/b?c#d', 'mailto:a@b.example'],
    ['a', '/a', 'http://a b'],
  ],
  ['a date', { type: 'string', format: 'date' }, ['2024-02-29'], ['2023-02-29', '2024-2-9', '2024-02-29T00:00:00Z']],
  [
    'a time',
    { type: 'string', format: 'date-time' },
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.5+02:00'],
    ['2023-02-29T00:00:00Z', '2024-02-29', '2024-02-29T25:00:00Z'],
  ],
  ['a format of another kind', { type: 'string', format: 'zip' }, ['anything'], [1]],
  [
    'a number',
    { type: 'number', minimum: 0, maximum: 1.5 },
    [0, 1.5, -0],
    [-0.1, 1.6, '1', Number.NaN, Number.POSITIVE_INFINITY],
  ],
  ['an integer', { type: 'integer', minimum: 18 }, [18, 2 ** 40], [17, 18.5, '18']],
  ['a boolean', { type: 'boolean' }, [true, false], [0, 'true', null]],
  ['a choice', { type: 'string', enum: ['Red', 'Green'] }, ['Red'], ['red', 'Blue', ['Red'], 0]],
  ['a choice with names for people', { type: 'string', enum: ['r'], enumNames: ['Red'] }, ['r'], ['Red']],
  ['a titled choice', { type: 'string', oneOf: [{ const: '#F00', title: 'Red' }] }, ['#F00'], ['Red', '']],
  [
    'several choices',
    { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b', 'c'] } },
    [['a'], ['b', 'c']],
    [[], ['a', 'b', 'c'], ['d'], 'a', [1], [['a']]],
  ],
  [
    'several titled choices',
    { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    [[], ['a']],
    [['A'], [null], { 0: 'a' }],
  ],
])('%s', (_kind, property, good, bad) => {
  test('is taken where it fits', () => {
    for (const value of good)
      expect(fill(schemaOf({ it: property }), { it: value })).toEqual({ content: { it: value } })
  })

  test('is named where it does not', () => {
    const strange = [() => {}, 1n, Symbol('s'), new Date(), Object.create(null)]
    for (const value of [...bad, ...strange])
      expect(fill(schemaOf({ it: property }), { it: value })).toEqual({ fault: '"it" does not fit its schema' })
  })

  test('need not be there, unless it is required', () => {
    for (const content of [{}, { it: undefined }]) {
      expect(fill(schemaOf({ it: property }), content)).toEqual({ content: {} })
      expect(fill(schemaOf({ it: property }, ['it']), content)).toEqual({ fault: '"it" is required and lacking' })
    }
  })
})

describe('defaults', () => {
  const schema = schemaOf(
    {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      colors: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      agreed: { type: 'boolean', default: false },
      none: { type: 'string' },
    },
    ['name'],
  )

  test('stand in for what is lacking, required or not', () => {
    expect(fill(schema, {})).toEqual({ content: { name: 'John Doe', age: 30, colors: ['a'], agreed: false } })
  })

  test('give way to an answer, also to an empty one', () => {
    const content = { name: '', age: 0, colors: [], agreed: true }
    expect(fill(schema, content)).toEqual({ content })
  })

  test('that don’t fit their own schema are none: the server’s mistake must not cost the answer', () => {
    const wrong = schemaOf({ a: { type: 'string', minLength: 1, default: '' }, b: { type: 'integer', default: 'x' } })
    expect(fill(wrong, {})).toEqual({ content: {} })
  })
})

test('only the form’s own fields are sent', () => {
  const given = JSON.parse('{"a":"1","secret":"s","__proto__":{"b":"2"},"constructor":"c"}')
  expect(fill(schemaOf({ a: { type: 'string' }, b: { type: 'string' } }), given)).toEqual({ content: { a: '1' } })
  expect(fill(schemaOf({ toString: { type: 'string' } }), {})).toEqual({ content: {} })
})

test('a field may have any name', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"":{"type":"integer"}}}')
  const filled = fill(schema, JSON.parse('{"__proto__":"p","":1}'))
  expect(JSON.stringify(filled)).toBe('{"content":{"__proto__":"p","":1}}')
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['no object', 'string'],
  ['a list', []],
  ['another type', { type: 'array', properties: {} }],
  ['no properties', { type: 'object' }],
  ['properties that are none', { type: 'object', properties: [] }],
  ['an object in it', schemaOf({ a: { type: 'object', properties: {} } })],
  ['a list of objects', schemaOf({ a: { type: 'array', items: { type: 'object' } } })],
  ['a list of any texts', schemaOf({ a: { type: 'array', items: { type: 'string' } } })],
  ['a list of lists', schemaOf({ a: { type: 'array', items: { type: 'array', items: { enum: ['a'] } } } })],
  ['a reference', schemaOf({ a: { $ref: '#/$defs/a' } })],
  ['several types', schemaOf({ a: { type: ['string', 'null'] } })],
  ['a choice of what are no texts', schemaOf({ a: { enum: [1, 2] } })],
  ['a choice of schemas', schemaOf({ a: { oneOf: [{ type: 'string' }, { type: 'number' }] } })],
  ['no type', schemaOf({ a: {} })],
  ['no schema', schemaOf({ a: true })],
  [
    'too many fields',
    schemaOf(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, { type: 'string' }]))),
  ],
])('a schema with %s is no form, and it is said why', (_what, schema) => {
  expect(readForm(schema as Json)).toMatch(/^it(s| has) /)
})

test('a pattern of a stranger’s is never run: it can take for ever', () => {
  const schema = schemaOf({ a: { type: 'string', pattern: '^(a+)+$' } })
  expect(fill(schema, { a: `${'a'.repeat(40)}!` })).toEqual({ content: { a: `${'a'.repeat(40)}!` } })
})

test('a text with a format is short', () => {
  const schema = schemaOf({ a: { type: 'string', format: 'uri', default: `a:${'b'.repeat(100_000)}` } })
  expect(fill(schema, {})).toEqual({ content: {} })
})
