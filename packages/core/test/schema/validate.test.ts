import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol.js'
import { createCheck } from '../../src/schema/validate.js'

const check = (schema: JsonObject, value: Json, patterns = false) => createCheck(schema, { patterns })(value)

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' }
const draft2019 = { $schema: 'https://json-schema.org/draft/2019-09/schema' }

/** A name that is inherited by every object, as the server sends it: of its own. */
const proto = (value: Json) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as JsonObject

const ifThen = (condition: JsonObject, then: JsonObject): JsonObject => ({ if: condition, then })

const node: JsonObject = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['value'],
    },
  },
}

// What is valid, and what is not, by the specification of each keyword (JSON Schema 2020-12, Validation and Core).
describe.each<[name: string, schema: JsonObject, valid: Json[], invalid: Json[]]>([
  ['no keyword', {}, [1, null, 'a', {}, []], []],
  ['type', { type: 'integer' }, [1, -3, 1.0, 1e3], [1.5, '1', null, true]],
  ['several types', { type: ['string', 'null'] }, ['a', null], [1, {}, []]],
  ['null, the other way round', { type: ['null', 'string'] }, ['a', null], [0]],
  ['const', { const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [null, 1] }, { a: [1] }, 1]],
  ['enum', { enum: [1, 'a', null, { b: 1 }] }, [1, 'a', null, { b: 1 }], ['1', 'b', {}]],
  ['required', { required: ['a'] }, [{ a: null }, 1], [{}, { b: 1 }]],
  ['inherited names are not there', { required: ['toString', '__proto__'] }, [], [{}]],
  [
    'a property called __proto__',
    { properties: proto({ type: 'number' }) },
    [{}, proto(1), { constructor: 'x' }],
    [proto('x')],
  ],
  ['properties', { properties: { a: { type: 'number' } } }, [{ a: 1 }, {}, { b: 'x' }, 'x'], [{ a: 'x' }]],
  ['a property called like a keyword', { properties: { $ref: { type: 'string' }, pattern: {} } }, [{}], [{ $ref: 1 }]],
  ['additionalProperties', { properties: { a: {} }, additionalProperties: false }, [{}, { a: 1 }], [{ b: 1 }]],
  ['additionalProperties by schema', { additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: 1, b: 'x' }]],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  ['minProperties, maxProperties', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{ c: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['items', { items: { type: 'number' } }, [[], [1, 2], 'x'], [[1, 'x']]],
  [
    'prefixItems',
    { prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
    [[], [1], [1, 'a']],
    [['a'], [1, 'a', 2]],
  ],
  [
    'contains',
    { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [
      [1, 1],
      [1, 2, 1, 1],
    ],
    [[1], [1, 1, 1, 1]],
  ],
  ['minItems, maxItems', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [
      [1, '1', true],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [1, 1],
      [{ a: 1 }, { a: 1 }],
    ],
  ],
  ['minimum, maximum', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [0.9, 3]],
  ['multipleOf', { multipleOf: 0.01 }, [0.07, 1], [0.075]],
  ['lengths are in characters', { minLength: 2, maxLength: 2 }, ['ab', '🦊🦊'], ['🦊', 'abc']],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 2], [1]],
  ['oneOf', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 1]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  ['if, then, else', { ...ifThen({ minimum: 5 }, { multipleOf: 5 }), else: { maximum: 1 } }, [10, 1], [7, 2]],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    [{ a: 1 }],
    [{ a: 1, b: 1 }],
  ],
  ['unevaluatedItems', { allOf: [{ prefixItems: [{}] }], unevaluatedItems: false }, [[1]], [[1, 2]]],
  ['recursion', node, [{ value: 1, children: [{ value: 2, children: [] }] }], [{ value: 1, children: [{}] }]],
  ['the whole by reference', { properties: { a: { $ref: '#' } }, required: ['b'] }, [{ b: 1 }], [{ b: 1, a: {} }]],
  [
    'a reference and what stands beside it',
    { $defs: { n: { type: 'number' } }, $ref: '#/$defs/n', minimum: 1 },
    [1],
    [0, 'a'],
  ],
  ['an anchor', { $defs: { n: { $anchor: 'n', type: 'number' } }, items: { $ref: '#n' } }, [[1]], [['a']]],
  [
    'the schema’s own address',
    { $id: 'https://a.example/s.json', $defs: { n: { type: 'number' } }, items: { $ref: 's.json#/$defs/n' } },
    [[1]],
    [['a']],
  ],
  [
    'a schema in the schema, by its address',
    { $defs: { n: { $id: 'https://b.example/n.json', type: 'number' } }, items: { $ref: 'https://b.example/n.json' } },
    [[1]],
    [['a']],
  ],
  ['names with signs in references', { $defs: { 'a/b~c d': { const: 1 } }, $ref: '#/$defs/a~1b~0c%20d' }, [1], [2]],
  ['definitions', { definitions: { n: { type: 'number' } }, $ref: '#/definitions/n' }, [1], ['a']],
  ['a format is an annotation', { format: 'email' }, ['nobody'], []],
  ['unknown keywords say nothing', { $async: true, 'x-thing': { id: 'http://[', items: 5 }, id: 'http://[' }, [1], []],
])('%s', (_, schema, valid, invalid) => {
  const values = [...valid.map((value) => [true, value]), ...invalid.map((value) => [false, value])]
  test.each(values as [boolean, Json][])('%j: %j', (expected, value) => {
    expect(check(schema, value)).toMatchObject({ valid: expected })
  })
})

// What the dialects say differently.
describe.each<[name: string, schema: JsonObject, valid: Json[], invalid: Json[]]>([
  [
    'draft-07: a list of items, and additionalItems',
    { ...draft7, items: [{ type: 'number' }], additionalItems: false },
    [[1], []],
    [['a'], [1, 2]],
  ],
  [
    'draft-07: nothing counts beside a reference',
    { ...draft7, definitions: { n: {} }, $ref: '#/definitions/n', minimum: 1 },
    [0],
    [],
  ],
  [
    'draft-07: an anchor by $id',
    { ...draft7, definitions: { n: { $id: '#n', type: 'number' } }, items: { $ref: '#n' } },
    [[1]],
    [['a']],
  ],
  [
    'draft-07: dependencies',
    { ...draft7, dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{ a: 1, b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  ['draft-07 has no prefixItems', { ...draft7, prefixItems: [{ type: 'number' }] }, [['a']], []],
  ['draft-07 has no minContains', { ...draft7, contains: { const: 1 }, minContains: 2 }, [[1]], [[2]]],
  ['draft-07 has no unevaluatedProperties', { ...draft7, unevaluatedProperties: false }, [{ a: 1 }], []],
  ['2019-09 has no prefixItems', { ...draft2019, prefixItems: [{ type: 'number' }] }, [['a']], []],
  [
    '2019-09: what stands beside a reference',
    { ...draft2019, $defs: { n: {} }, $ref: '#/$defs/n', minimum: 1 },
    [1],
    [0],
  ],
  [
    '2019-09: $recursiveRef',
    { ...draft2019, properties: { a: { $recursiveRef: '#' }, b: { type: 'number' } } },
    [{ a: { b: 1 } }],
    [{ a: { b: 'x' } }],
  ],
])('%s', (_, schema, valid, invalid) => {
  const values = [...valid.map((value) => [true, value]), ...invalid.map((value) => [false, value])]
  test.each(values as [boolean, Json][])('%j: %j', (expected, value) => {
    expect(check(schema, value)).toMatchObject({ valid: expected })
  })
})

describe('what is wrong is told', () => {
  const rows = {
    type: 'object',
    properties: { rows: { type: 'array', items: { type: 'object', properties: { 'a/b c': { type: 'number' } } } } },
  }
  test.each<[JsonObject, Json, string, string]>([
    [
      rows,
      { rows: [{}, { 'a/b c': 'secret' }] },
      '/rows/1/a~1b c',
      '/rows/1/a~1b c: Instance type "string" is invalid. Expected "number"',
    ],
    [
      { required: ['a', 'b'] },
      {},
      '',
      '/: Instance does not have required property "a"; /: Instance does not have required property "b"',
    ],
    [{ additionalProperties: false }, { b: 1 }, '', '/: Property "b" does not match additional properties schema'],
    [{ enum: ['x'.repeat(1_000)] }, 'secret', '', '/: It does not satisfy "enum"'],
    [{ maximum: 1 }, 4711, '', '/: It does not satisfy "maximum"'],
    [{ not: { type: 'object' } }, {}, '', '/: It does not satisfy "not"'],
    [ifThen({}, { minimum: 5 }), 1, '', '/: It does not satisfy "minimum"'],
    [
      { anyOf: [{ type: 'string' }, { minimum: 5 }] },
      1,
      '',
      '/: Instance type "number" is invalid. Expected "string"; /: It does not satisfy "minimum"',
    ],
  ])('%j, %j', (schema, value, path, reason) => {
    expect(check(schema, value)).toEqual({ valid: false, path, reason })
  })

  test('of many failures the first ones, and how many more there are', () => {
    const { reason } = check({ required: ['a', 'b', 'c', 'd', 'e'] }, {}) as { reason: string }
    expect(reason).toMatch(/"c"; and 2 more$/)
  })

  test('whatever the names, it is short and clean', () => {
    const name = `a\u202e${'b'.repeat(10_000)}`
    const { reason, path } = check({ required: [name], properties: { [name]: false } }, { [name]: 1 }) as {
      reason: string
      path: string
    }
    expect(reason.length).toBeLessThan(1_000)
    expect(reason).not.toContain('\u202e')
    expect(path).toBe('')
  })
})

test('the server’s schema and value stay as they were', () => {
  const [schema, value] = [structuredClone(node), { value: 1, children: [{ value: 'x' }] }]
  expect(check(schema, value)).toMatchObject({ valid: false, path: '/children/0/value' })
  expect(Object.getOwnPropertyNames(schema)).toEqual(['$ref', '$defs'])
  expect([schema, value]).toEqual([node, { value: 1, children: [{ value: 'x' }] }])
})
