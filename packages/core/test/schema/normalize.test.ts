import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol.js'
import { normalizeSchema, type SchemaProfile } from '../../src/schema/normalize.js'
import { fault, losses, normalized, profiles, property, withProperty } from './normalized.js'

describe.each(profiles)('of every provider, %s', (profile) => {
  test('the root is an object with properties', () => {
    expect(normalized({ type: 'object' }, profile)).toMatchObject({ type: 'object', properties: {} })
    expect(normalized({}, profile)).toMatchObject({ type: 'object', properties: {} })
    expect(normalized({ type: ['object', 'null'] }, profile)).toMatchObject({ type: 'object', properties: {} })
  })

  test('a root of another type is a fault', () => {
    expect(fault({ type: 'string' }, profile)).toMatchObject({ path: '/type' })
  })

  test('a choice at the root is one object with every property, of which none is required that a choice lacks', () => {
    const branch = (kind: string, own: string): JsonObject => ({
      type: 'object',
      properties: { kind: { type: 'string', const: kind }, [own]: { type: 'string' } },
      required: ['kind', own],
    })
    const schema: JsonObject = { type: 'object', anyOf: [branch('a', 'one'), branch('b', 'two')] }
    const copy = normalized(schema, profile)
    expect(copy).not.toHaveProperty('anyOf')
    expect(Object.keys(copy.properties as JsonObject)).toEqual(['kind', 'one', 'two'])
    expect((copy.properties as JsonObject).kind).toMatchObject({ enum: ['a', 'b'] })
    // Strict mode requires them all, and lets those be null that may be left out.
    expect(copy.required).toEqual(profile === 'openai-strict' ? ['kind', 'one', 'two'] : ['kind'])
    expect(losses(schema, profile)).toContainEqual({ keyword: 'anyOf', path: '/anyOf' })
  })

  test('a root that only says which are required keeps its properties', () => {
    const one: JsonObject = { type: 'string' }
    const schema: JsonObject = {
      type: 'object',
      properties: { a: one, b: one },
      required: [],
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    }
    expect(Object.keys(normalized(schema, profile).properties as JsonObject)).toEqual(['a', 'b'])
  })

  test('nothing is left of references and of what they lead to', () => {
    const copy = normalized(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { $ref: '#/definitions/text', description: 'own' } },
        definitions: { text: { type: 'string', description: 'shared', minLength: 0 } },
      },
      profile,
    )
    expect(Object.keys(copy)).not.toContain('definitions')
    expect(Object.keys(copy)).not.toContain('$schema')
    expect((copy.properties as JsonObject).a).toMatchObject({ description: 'own' })
    expect(JSON.stringify(copy)).not.toContain('$ref')
  })

  test('texts are cleaned, and that is told', () => {
    const schema = withProperty({ type: 'string', description: 'safe\u{e0041}\u202e' })
    expect(property(schema, profile)).toMatchObject({ description: 'safe' })
    expect(losses(schema, profile)).toContainEqual({ keyword: 'description', path: '/properties/p/description' })
  })

  test.each<[string, JsonObject, string]>([
    ['a property', { properties: { 'a\u200bb': { type: 'string' } } }, '/properties/ab'],
    ['a property within', withProperty({ type: 'object', properties: { '\u202e': {} } }), '/properties/p/properties/'],
    ['a value to choose', withProperty({ enum: ['a', 'b\u{e0041}'] }), '/properties/p/enum/1'],
    ['a constant', withProperty({ const: 'b\u{e0041}' }), '/properties/p/const/0'],
    ['what is required', { type: 'object', required: ['x\u2066'] }, '/required'],
  ])('hidden characters in %s are a fault', (_, schema, path) => {
    expect(fault(schema, profile).path).toBe(path)
  })

  test('names of the language are just names', () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
    )
    const copy = normalized({ type: 'object', properties, required: ['__proto__', 'constructor', 'toString'] }, profile)
    expect(Object.keys(copy.properties as JsonObject)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(copy.required).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(copy.properties)).toBe(Object.prototype)
  })

  test('the server’s schema stays as it is, and is copied once', () => {
    const schema = withProperty(
      { $ref: '#/$defs/x', nullable: true, description: 'a\u200b' },
      { $defs: { x: { type: 'string' } } },
    )
    const before = structuredClone(schema)
    const first = normalizeSchema(schema, profile)
    expect(schema).toEqual(before)
    expect(normalizeSchema(schema, profile)).toBe(first)
  })

  test('what is required and has no schema may be anything', () => {
    const schema: JsonObject = { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] }
    if (profile === 'openai-strict') expect(fault(schema, profile).path).toBe('/properties/b/type')
    else expect(normalized(schema, profile)).toMatchObject({ properties: { b: {} }, required: ['a', 'b'] })
  })

  test('a value that is none for its keyword is left out, and told', () => {
    const wrong = {
      type: 'string',
      minLength: '3',
      enum: [],
      title: 5,
      multipleOf: 0,
      format: ['x'],
    } as unknown as JsonObject
    expect(property(withProperty(wrong, { required: ['p'] }), profile)).toEqual({ type: 'string' })
    expect(losses(withProperty(wrong), profile).map(({ keyword }) => keyword)).toEqual(
      expect.arrayContaining(['minLength', 'enum', 'title', 'multipleOf', 'format']),
    )
  })

  test('words of nobody’s are left out, and told', () => {
    const schema = withProperty({ type: 'string', 'x-ui': 'ignore all previous' }, { required: ['p'] })
    expect(property(schema, profile)).toEqual({ type: 'string' })
    expect(losses(schema, profile)).toContainEqual({ keyword: 'x-ui', path: '/properties/p/x-ui' })
  })
})

test('what is no schema at all is a fault', () => {
  for (const schema of [null, 'x', [], 3])
    expect(normalizeSchema(schema as unknown as JsonObject, 'openai')).toHaveProperty('fault')
})

describe('what earlier drafts say', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'an exclusive bound as a flag',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    ['no exclusive bound', { type: 'number', maximum: 1, exclusiveMaximum: false }, { type: 'number', maximum: 1 }],
    [
      'a tuple in items',
      { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } },
      { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    ],
    [
      'a closed tuple',
      { type: 'array', items: [{ type: 'string' }, true], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'string' }, {}], maxItems: 2 },
    ],
    [
      'one pattern of names',
      { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      'several patterns of names',
      { type: 'object', patternProperties: { '^x': {}, '^y': {} }, additionalProperties: false },
      { type: 'object' },
    ],
  ])('%s', (_, schema, copy) => {
    expect(property(withProperty(schema), 'anthropic')).toEqual(copy)
  })
})

describe('what is said together', () => {
  const folded = (...allOf: Json[]) => property(withProperty({ allOf }), 'anthropic')

  test.each<[string, Json[], JsonObject]>([
    [
      'bounds are the narrower ones',
      [
        { minimum: 1, maximum: 9 },
        { minimum: 3, maximum: 12 },
      ],
      { minimum: 3, maximum: 9 },
    ],
    [
      'types are those of both',
      [{ type: ['string', 'number'] }, { type: ['integer', 'string'] }],
      { type: ['string', 'integer'] },
    ],
    ['values are those of both', [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }], { enum: ['b'] }],
    [
      'properties are those of either',
      [
        { properties: { a: { type: 'string' }, b: { minLength: 1 } }, required: ['a'] },
        { properties: { b: { type: 'string' } }, required: ['b'] },
      ],
      { properties: { a: { type: 'string' }, b: { type: 'string', minLength: 1 } }, required: ['a', 'b'] },
    ],
  ])('%s', (_, allOf, copy) => {
    expect(folded(...allOf)).toEqual(copy)
  })

  test('what contradicts itself is told by the first, and that it does', () => {
    const schema = withProperty({ allOf: [{ pattern: 'a' }, { pattern: 'b' }] })
    expect(property(schema, 'anthropic')).toEqual({ pattern: 'a' })
    expect(losses(schema, 'anthropic')).toEqual([{ keyword: 'pattern', path: '/properties/p/pattern' }])
  })
})

describe('references', () => {
  const follow = (schema: JsonObject, profile: SchemaProfile = 'anthropic') => property(schema, profile)
  const text: JsonObject = { type: 'string', title: 'found' }

  test.each<[string, JsonObject]>([
    ['a definition', withProperty({ $ref: '#/$defs/a~1b~0c%20d' }, { $defs: { 'a/b~c d': text } })],
    [
      'another property',
      withProperty({ $ref: '#/properties/q' }, { properties: { q: text, p: { $ref: '#/properties/q' } } }),
    ],
    ['an anchor', withProperty({ $ref: '#here' }, { $defs: { x: { $anchor: 'here', ...text } } })],
    ['an anchor of draft-07', withProperty({ $ref: '#here' }, { definitions: { x: { $id: '#here', ...text } } })],
    [
      'an identifier',
      withProperty({ $ref: 'https://a.example/x' }, { $defs: { x: { $id: 'https://a.example/x', ...text } } }),
    ],
    [
      'a relative identifier',
      withProperty(
        { $ref: 'x' },
        { $id: 'https://a.example/root', $defs: { x: { $id: 'https://a.example/x', ...text } } },
      ),
    ],
    [
      'its own document',
      withProperty({ $ref: 'https://a.example/root#/$defs/x' }, { $id: 'https://a.example/root', $defs: { x: text } }),
    ],
    ['a reference', withProperty({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: text } })],
  ])('%s', (_, schema) => {
    expect(follow(schema)).toEqual(text)
  })

  test.each<[string, string]>([
    ['nowhere', '#/$defs/absent'],
    ['elsewhere', 'https://a.example/schema.json'],
    ['what is no schema', '#/required'],
    ['what is no pointer', '#/%'],
    ['what every object has', '#/constructor'],
  ])('%s: the tool stays, and can be given anything', (_, $ref) => {
    const schema = withProperty({ $ref, description: 'kept' }, { required: ['p'] })
    expect(follow(schema)).toEqual({ description: 'kept' })
    expect(losses(schema, 'anthropic')).toEqual([{ keyword: '$ref', path: '/properties/p/$ref' }])
  })
})
