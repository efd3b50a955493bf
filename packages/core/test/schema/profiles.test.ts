import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/protocol.js'
import { fault, losses, normalized, property, withProperty } from './normalized.js'

const text: JsonObject = { type: 'string' }
const required = { required: ['p'] }

describe('openai', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['an array says what it holds', { type: 'array' }, { type: 'array', items: {} }],
    ['an array among types, too', { type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
    ['an object lists its properties', { type: 'object' }, { type: 'object', properties: {} }],
    ['a list of types stays', { type: ['null', 'string'], default: null }, { type: ['null', 'string'], default: null }],
    ['a choice stays', { oneOf: [text, { type: 'null' }] }, { oneOf: [text, { type: 'null' }] }],
  ])('%s', (_, schema, copy) => {
    expect(property(withProperty(schema), 'openai')).toEqual(copy)
  })

  test.each(['^(?=.*@).+$', '(?<!a)b', '^(?<year>\\d{4})$', '\\p{L}+', '\\u{1f600}', '[^]', '\\cA', '\\k<a>'])(
    'the pattern %s can’t be compiled there',
    (pattern) => {
      expect(property(withProperty({ type: 'string', pattern }), 'openai')).toEqual(text)
      expect(losses(withProperty({ type: 'string', pattern }), 'openai')).toEqual([
        { keyword: 'pattern', path: '/properties/p/pattern' },
      ])
    },
  )

  test.each(['^[.\\-A-Za-z0-9]+$', '^\\d{4}-\\d\\d$', 'a\\.b\\/c', '(?:a|b)', '\\\\p', '[\\w-]+@x'])(
    'the pattern %s stays',
    (pattern) => {
      expect(property(withProperty({ type: 'string', pattern }), 'openai')).toEqual({ type: 'string', pattern })
    },
  )
})

describe('openai in strict mode', () => {
  const strict = (schema: JsonObject) => property(withProperty(schema), 'openai-strict')

  test('every property is required and there are no others', () => {
    const schema = { type: 'object', properties: { a: text, b: text }, required: ['a'] }
    expect(normalized(schema, 'openai-strict')).toEqual({
      type: 'object',
      properties: { a: text, b: { type: ['string', 'null'] } },
      required: ['a', 'b'],
      additionalProperties: false,
    })
  })

  test('a tool without arguments', () => {
    const copy = { type: 'object', properties: {}, required: [], additionalProperties: false }
    expect(normalized({ type: 'object' }, 'openai-strict')).toEqual(copy)
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'a choice of values has null in it',
      { type: 'string', enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['a constant, too', { const: 'a' }, { type: ['string', 'null'], enum: ['a', null] }],
    ['what may be null already stays', { type: ['null', 'number'] }, { type: ['null', 'number'] }],
    ['so does a choice with null', { anyOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
    [
      'an array is chosen or null',
      { type: 'array', items: text, description: 'list' },
      { description: 'list', anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
    ],
  ])('left out: %s', (_, schema, copy) => {
    expect(strict(schema)).toEqual(copy)
  })

  test.each<[string, JsonObject, string]>([
    ['a map', { type: 'object', additionalProperties: text }, '/properties/p/additionalProperties'],
    ['an object of any kind', { type: 'object' }, '/properties/p/properties'],
    ['anything', {}, '/properties/p/type'],
    ['a list of anything', { type: 'array' }, '/properties/p/items/type'],
    ['a tuple', { type: 'array', prefixItems: [text] }, '/properties/p/prefixItems'],
  ])('%s is refused, and is taken without strict mode', (_, schema, path) => {
    expect(fault(withProperty(schema, required), 'openai-strict').path).toBe(path)
    expect(normalized(withProperty(schema, required), 'openai')).toMatchObject({ type: 'object' })
  })

  const nested = (levels: number): JsonObject =>
    levels === 0 ? text : { type: 'object', properties: { p: nested(levels - 1) }, required: ['p'] }
  const manyNames = (count: number, length = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`.padEnd(length, '_'), text]))
  const values = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'x'))

  // The limits as OpenAI's guide to Structured Outputs gives them.
  test.each<[string, JsonObject, JsonObject]>([
    ['10 levels', nested(10), nested(11)],
    [
      '1,000 values',
      withProperty({ enum: values(1_000, 4) }, required),
      { type: 'object', properties: { p: { enum: values(600, 3) }, q: { enum: values(401, 3) } } },
    ],
    [
      '15,000 characters of a long choice',
      withProperty({ enum: values(300, 50) }, required),
      withProperty({ enum: values(300, 51) }),
    ],
    [
      '120,000 characters',
      { type: 'object', properties: manyNames(1_000, 120) },
      { type: 'object', properties: manyNames(1_000, 121) },
    ],
  ])('%s are taken, more are refused', (_, most, more) => {
    expect(normalized(most, 'openai-strict')).toMatchObject({ additionalProperties: false })
    expect(fault(more, 'openai-strict').reason).toContain('strict mode does not take')
  })

  test('objects of a choice may begin with the same property only where its value tells them apart', () => {
    const choice = (first: JsonObject, other: JsonObject) =>
      withProperty({
        anyOf: [
          { type: 'object', properties: { kind: first, a: text }, required: ['kind', 'a'] },
          { type: 'object', properties: { kind: other, b: text }, required: ['kind', 'b'] },
        ],
      })
    expect(normalized(choice({ const: 'a' }, { const: 'b' }), 'openai-strict')).toHaveProperty('properties')
    expect(fault(choice(text, text), 'openai-strict').reason).toContain('begin with the same property')
  })
})

describe('anthropic', () => {
  test('a name that it refuses is left out where it may be, and told', () => {
    const schema: JsonObject = { type: 'object', properties: { $top: text, ok: text }, required: ['ok'] }
    expect(normalized(schema, 'anthropic').properties).toEqual({ ok: text })
    expect(losses(schema, 'anthropic')).toEqual([{ keyword: 'properties', path: '/properties/$top' }])
  })

  test.each(['filter[id]', 'a b', '', 'x'.repeat(65)])('%j is a fault where it is required', (name) => {
    const schema: JsonObject = { type: 'object', properties: { [name]: text }, required: [name] }
    expect(fault(schema, 'anthropic').path).toBe(`/properties/${name}`)
    expect(normalized(schema, 'openai').properties).toEqual({ [name]: text })
  })

  test('names within are the server’s own affair', () => {
    const schema = withProperty({ type: 'object', properties: { 'a b': text } })
    expect(property(schema, 'anthropic')).toEqual({ type: 'object', properties: { 'a b': text } })
  })
})

describe('google', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['a constant is a choice of one', { const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'a choice of values with null is one of types',
      { enum: ['a', 1, null] },
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'integer', enum: [1] }, { type: 'null' }] },
    ],
    [
      'several types are a choice',
      { type: ['string', 'number'], minLength: 1, minimum: 2 },
      {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'number', minimum: 2 },
        ],
      },
    ],
    ['one that may be null is a list', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['both flags are their type', { enum: [true, false] }, { type: 'boolean' }],
    [
      'bounds of whole numbers are included',
      { type: 'integer', exclusiveMinimum: 0, maximum: 9, exclusiveMaximum: 8 },
      { type: 'integer', minimum: 1, maximum: 7 },
    ],
  ])('%s, and nothing is lost', (_, schema, copy) => {
    expect(property(withProperty(schema), 'google')).toEqual(copy)
    expect(losses(withProperty(schema), 'google')).toEqual([])
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['oneOf', { oneOf: [text, { type: 'number' }] }, { anyOf: [text, { type: 'number' }] }],
    ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 0.5 }, { type: 'number', minimum: 0.5 }],
    ['const', { const: true }, { type: 'boolean' }],
    ['multipleOf', { type: 'number', multipleOf: 2 }, { type: 'number' }],
    ['uniqueItems', { type: 'array', items: text, uniqueItems: true }, { type: 'array', items: text }],
    [
      'required',
      { type: 'object', anyOf: [{ required: ['a'] }, text], properties: { a: text } },
      { type: 'object', anyOf: [{}, text], properties: { a: text } },
    ],
  ])('%s is told', (keyword, schema, copy) => {
    expect(property(withProperty(schema), 'google')).toEqual(copy)
    expect(losses(withProperty(schema), 'google').map((loss) => loss.keyword)).toEqual([keyword])
  })
})

describe('ai-sdk', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['an object of any kind says so', { type: 'object' }, { type: 'object', additionalProperties: true }],
    ['one that may be null is a list', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['several types are a choice', { type: ['string', 'boolean'] }, { anyOf: [text, { type: 'boolean' }] }],
    ['a tuple is an array', { type: 'array', prefixItems: [text, text] }, { type: 'array', items: text }],
    ['a choice of texts stays', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    ['of other values only the type', { enum: [1, 2] }, { type: 'integer' }],
  ])('%s', (_, schema, copy) => {
    expect(property(withProperty(schema), 'ai-sdk')).toEqual(copy)
  })

  test('every part has a type', () => {
    const { anyOf } = property(withProperty({ description: 'anything' }), 'ai-sdk')
    const types = (anyOf as JsonObject[]).map(({ type }) => type)
    expect(types).toEqual(['string', 'number', 'boolean', 'object', 'array'])
  })
})
