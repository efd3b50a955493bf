import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol.js'
import { createCheck } from '../../src/schema/validate.js'

const check = (schema: JsonObject, value: Json, patterns = false) => createCheck(schema, { patterns })(value)

const ifThen = (condition: JsonObject, then: JsonObject): JsonObject => ({ if: condition, then })

describe('what can’t be checked says why', () => {
  const chain = (length: number, link: (next: JsonObject) => JsonObject): JsonObject => {
    const $defs: JsonObject = {}
    for (let index = 0; index < length; index++) $defs[`d${index}`] = link({ $ref: `#/$defs/d${index + 1}` })
    $defs[`d${length}`] = {}
    return { $defs, $ref: '#/$defs/d0' }
  }
  const nested = (depth: number, wrap: (inner: JsonObject) => JsonObject) => {
    let value: JsonObject = {}
    for (let level = 0; level < depth; level++) value = wrap(value)
    return value
  }
  const long = 'x'.repeat(1_000_000)

  test.each<[name: string, schema: JsonObject, value: Json, reason: RegExp]>([
    ['a reference that leads nowhere', { $ref: '#/$defs/X' }, 1, /Unresolved \$ref "#\/\$defs\/X"/],
    ['one that leads out', { $ref: 'https://a.example/s.json' }, 1, /Unresolved \$ref "https:\/\/a\.example\/s\.json"/],
    ['one that leads to itself', { $ref: '#' }, 1, /too deep|too long/],
    [
      'two that lead to each other',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      1,
      /too deep|too long/,
    ],
    [
      'an unknown dialect',
      { $schema: 'https://example.com/my-dialect' },
      1,
      /dialect .* https:\/\/example\.com\/my-dialect/,
    ],
    ['a dynamic reference', { $dynamicRef: '#node' }, 1, /\$dynamicRef/],
    ['what is no schema', { properties: { a: null } }, { a: 1 }, /malformed/],
    ['an address that is none', { $id: 'http://[' }, 1, /malformed/],
    ['two schemas with one address', { $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, 1, /malformed/],
    ['each link followed twice', chain(60, (next) => ({ allOf: [next, next] })), 1, /too long/],
    ['each of whose alternatives is tried twice', chain(60, (next) => ({ anyOf: [next, next] })), 1, /too long/],
    ['a long chain', chain(5_000, (next) => next), 1, /too deep/],
    ['1 000 levels of schema', nested(1_000, (inner) => ({ allOf: [inner] })), 1, /nested too deep/],
    ['10 000 levels of schema', nested(10_000, (inner) => ({ allOf: [inner] })), 1, /nested too deep/],
    ['10 000 levels of value', { properties: { a: { $ref: '#' } } }, nested(10_000, (a) => ({ a })), /nested too deep/],
    ['addresses in addresses', nested(40, (a) => ({ $id: 'x', $defs: { a } })), 1, /nested too deep/],
    [
      'long names above many schemas',
      nested(100, (inner) => ({ properties: { [long]: inner, b: inner } })),
      1,
      /too long/,
    ],
    [
      'many items, all to be different',
      { uniqueItems: true },
      Array.from({ length: 50_000 }, (_, id) => ({ id })),
      /too long/,
    ],
    [
      'long texts, all to be different',
      { uniqueItems: true },
      Array.from({ length: 1_000 }, (_, id) => long.slice(id)),
      /too long/,
    ],
    [
      'many choices for many items',
      { items: { anyOf: [{ enum: Array.from({ length: 10_000 }, (_, id) => `choice ${id}`) }, {}] } },
      Array(10_000).fill('none'),
      /too long/,
    ],
    [
      'a long value to compare with',
      { items: { anyOf: [{ const: long }, {}] } },
      Array(1_000).fill('none'),
      /too long/,
    ],
    ['a long text to be measured', { allOf: Array(1_000).fill({ maxLength: 1e9 }) }, long, /too long/],
    [
      'many alternatives that say nothing',
      { items: { allOf: Array(10_000).fill(true) } },
      Array(100_000).fill(1),
      /too long/,
    ],
    ['more than can be looked at', { items: { type: 'number' } }, Array(2_000_000).fill(1), /too long/],
  ])('%s', (_, schema, value, reason) => {
    expect(check(schema, value)).toEqual({ unvalidated: expect.stringMatching(reason) })
  })

  test('the next value has all of the budget again', () => {
    const checking = createCheck({ items: { type: 'number' } }, { patterns: false })
    expect(checking(Array(2_000_000).fill(1))).toHaveProperty('unvalidated')
    expect(checking([1, 2])).toEqual({ valid: true })
  })

  test('ten thousand ordinary rows are no trouble', () => {
    const properties = {
      id: { type: 'integer' },
      name: { type: 'string', maxLength: 100 },
      price: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    }
    const schema = {
      properties: { rows: { items: { type: 'object', properties, required: ['id'], additionalProperties: false } } },
    }
    expect(check(schema, { rows: Array(10_000).fill({ id: 1, name: 'a name', price: null }) })).toEqual({ valid: true })
  })
})

describe('regular expressions', () => {
  // Takes some 2^40 steps where it is run.
  const evil = '^(a+)+$'
  const victim = `${'a'.repeat(40)}!`

  test.each<[JsonObject, Json]>([
    [{ pattern: evil }, victim],
    [{ patternProperties: { [evil]: { type: 'string' } } }, { [victim]: 1 }],
    [{ format: 'regex' }, '('],
  ])('of a stranger are not run: %j', (schema, value) => {
    expect(check(schema, value)).toEqual({ valid: true })
  })

  // Each value satisfies its schema, and would not if the pattern were merely taken out.
  test.each<[JsonObject, Json]>([
    [{ not: { pattern: '^x' } }, 'a'],
    [{ patternProperties: { '^x': {} }, additionalProperties: false }, { x1: 1 }],
    [{ oneOf: [{ pattern: '^x' }, { pattern: '^y' }] }, 'x'],
    [{ anyOf: [{ pattern: '^x' }], oneOf: [{ pattern: '^x' }, { pattern: '^y' }] }, 'x'],
    [ifThen({ pattern: '^x' }, { minLength: 5 }), 'a'],
    [{ contains: { pattern: '^x' }, maxContains: 1 }, ['x', 'y']],
    [{ allOf: [{ patternProperties: { '^x': {} } }], unevaluatedProperties: false }, { x1: 1 }],
    [{ contains: { pattern: '^x' }, unevaluatedItems: { type: 'number' } }, ['x', 1]],
    [{ $defs: { x: { pattern: '^x' } }, not: { $ref: '#/$defs/x' } }, 'a'],
  ])('that were not run refuse nothing: %j', (schema, value) => {
    expect(check(schema, value, true), 'with them').toEqual({ valid: true })
    expect(check(schema, value)).toEqual({ valid: true })
  })

  test('what does not hang on them is checked all the same', () => {
    const schema = { properties: { a: { pattern: '^x' }, b: { type: 'number' } }, additionalProperties: false }
    expect(check(schema, { a: 'y', b: 'z' })).toMatchObject({ valid: false, path: '/b' })
    expect(check(schema, { a: 'y', c: 1 })).toMatchObject({ valid: false, path: '' })
  })

  test('of a server that is trusted are run', () => {
    expect(check({ pattern: '^x' }, 'y', true)).toEqual({
      valid: false,
      path: '',
      reason: '/: It does not satisfy "pattern"',
    })
    expect(check({ pattern: '(' }, 'y', true)).toEqual({
      unvalidated: expect.stringContaining('no regular expression'),
    })
  })
})
