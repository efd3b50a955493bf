import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol.js'
import { normalizeSchema } from '../../src/schema/normalize.js'
import { createCheck } from '../../src/schema/validate.js'
import { losses, normalized, profiles, property, withProperty } from '../schema/normalized.js'

const text: JsonObject = { type: 'string' }

describe.each(profiles)('LS-100 A schema of type object alone, for %s', (profile) => {
  test.each<[string, JsonObject]>([
    ['{"type":"object"}', { type: 'object' }],
    ['{}', {}],
    ['additionalProperties alone', { additionalProperties: false }],
    ['an empty required', { type: 'object', required: [] }],
  ])('%s gets properties, and the tool keeps its own', (_, schema) => {
    const before = structuredClone(schema)
    expect(normalized(schema, profile)).toMatchObject({ type: 'object', properties: {} })
    expect(schema).toEqual(before)
  })
})

/** How deep properties lie within properties, and what is at the end. */
function follow(copy: JsonObject, name: string): { levels: number; end: Json | undefined } {
  let levels = 0
  let part: JsonObject | undefined = copy
  for (;;) {
    const { properties, items, anyOf } = (part ?? {}) as {
      properties?: JsonObject
      items?: JsonObject
      anyOf?: JsonObject[]
    }
    const next =
      properties?.[name] ?? items ?? anyOf?.find((choice) => choice.type === 'array' || choice.type === 'object')
    if (next === undefined || levels > 100) return { levels, end: part }
    part = next as JsonObject
    levels++
  }
}

describe('LS-101 Recursive schemas for providers', () => {
  const node: JsonObject = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
  }
  const mutual: JsonObject = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: {
      a: { type: 'object', properties: { a: { $ref: '#/$defs/b' } } },
      b: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } },
    },
  }

  test('a node with children of its own kind is followed three times, then it is anything, and that is told', () => {
    // Three nodes, each an object with a list.
    expect(follow(normalized(node, 'anthropic'), 'children')).toEqual({ levels: 6, end: {} })
    expect(losses(node, 'anthropic')).toEqual([{ keyword: '$ref', path: '/$defs/node/properties/children/items/$ref' }])
  })

  test('so are two that name each other', () => {
    expect(follow(normalized(mutual, 'anthropic'), 'a')).toEqual({ levels: 7, end: {} })
    expect(losses(mutual, 'anthropic').map(({ keyword }) => keyword)).toEqual(['$ref'])
  })

  const deep = Array.from({ length: 1_000 }).reduce<JsonObject>((inner) => ({ allOf: [inner] }), text)

  test.each(profiles)(
    'for %s nothing throws, and the tool stays but where strict mode has no words for it',
    (profile) => {
      for (const schema of [
        node,
        mutual,
        withProperty(deep),
        withProperty({ enum: Array.from({ length: 50_000 }, (_, i) => `v${i}`) }),
      ]) {
        const result = normalizeSchema(schema, profile)
        if (profile === 'openai-strict') expect(result).toHaveProperty('fault')
        else expect(result).toHaveProperty('schema')
        expect(normalizeSchema(schema, 'openai')).toHaveProperty('schema')
      }
    },
  )

  test('of 1,000 nested allOf, what is deeper than 32 levels is told as anything', () => {
    expect(property(withProperty(deep), 'openai')).toEqual({})
    expect(losses(withProperty(deep), 'openai').map(({ keyword }) => keyword)).toEqual(['allOf'])
  })

  test('a huge enum is told as its type alone', () => {
    const schema = withProperty({ ...text, enum: Array.from({ length: 50_000 }, (_, index) => `v${index}`) })
    expect(property(schema, 'openai')).toEqual(text)
    expect(losses(schema, 'openai')).toEqual([{ keyword: 'enum', path: '/properties/p/enum' }])
  })
})

describe('LS-102 A type that may be null', () => {
  const nullable: [string, JsonObject][] = [
    ['null first', { type: ['null', 'string'], default: null }],
    ['null last', { type: ['string', 'null'], default: null }],
    ['a choice with null', { anyOf: [text, { type: 'null' }], default: null }],
  ]

  test.each(nullable)('%s: passed through', (_, schema) => {
    for (const profile of profiles.filter((one) => one !== 'openai-strict'))
      expect(property(withProperty(schema), profile)).toEqual(schema)
    const { default: _default, ...strict } = schema
    expect(property(withProperty(schema), 'openai-strict')).toEqual(strict)
  })

  test.each(nullable)('%s: the validator heeds both', (_, schema) => {
    const check = createCheck(withProperty(schema), { patterns: false })
    for (const p of ['text', null]) expect(check({ p })).toEqual({ valid: true })
    expect(check({ p: 1 })).toMatchObject({ valid: false, path: '/p' })
  })
})
