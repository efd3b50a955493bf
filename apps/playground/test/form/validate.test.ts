import { describe, expect, test } from 'vitest'
import { findProblems, fits } from '../../src/form/validate.js'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
    address: { $ref: '#/$defs/address' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name'],
  $defs: { address: { type: 'object', properties: { 'post/code': { type: 'string', pattern: '^\\d+$' } } } },
}

describe('what keeps a value from fitting', () => {
  test('is nothing when it fits', () => {
    expect(findProblems(person, { name: 'Ada', age: null, tags: [], address: { 'post/code': '12' } })).toEqual([])
  })

  test('is told once, where it is', () => {
    expect(findProblems(person, { name: 'A' })).toEqual([{ path: ['name'], message: 'String is too short (1 < 2).' }])
    expect(findProblems(person, { name: 'Ada', tags: ['a', 1] }).map(({ path }) => path)).toEqual([['tags', 1]])
    expect(findProblems(person, { name: 'Ada', address: { 'post/code': 'x' } }).map(({ path }) => path)).toEqual([
      ['address', 'post/code'],
    ])
  })

  test('is a missing property at its own place', () => {
    expect(findProblems(person, {})).toEqual([{ path: ['name'], message: 'Required.' }])
  })

  test('names all types that a union takes', () => {
    const [problem, ...others] = findProblems(person, { name: 'Ada', age: 'old' })
    expect(others).toEqual([])
    expect(problem?.message).toContain('"integer", "null"')
  })

  test('is the closest member of a union, where one says more than the type', () => {
    expect(findProblems(person, { name: 'Ada', age: -1 }).map(({ message }) => message)).toEqual(['-1 is less than 0.'])
  })

  test('is said of an integer that no number holds', () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } }
    const [problem] = findProblems(schema, { id: '9007199254740993' })
    expect(problem?.path).toEqual(['id'])
    expect(problem?.message).toContain('9007199254740992')
  })
})

test('a schema that can’t be used keeps nobody from calling', () => {
  expect(findProblems({ type: 'string', pattern: '(' }, 'a')).toEqual([])
  expect(findProblems({ $ref: '#/$defs/gone' }, {})).toEqual([])
})

test('the schema of the server stays as it came, hidden marks included', () => {
  const names = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.getOwnPropertyNames(value).map((name) => [name, names((value as Record<string, unknown>)[name])])
      : value
  const schema = structuredClone(person)
  findProblems(schema, { name: 'Ada', address: {} })
  fits(schema.properties.address, {}, schema)
  expect(names(schema)).toEqual(names(structuredClone(person)))
})

describe('a branch of a schema', () => {
  test('finds what it refers to in the whole', () => {
    expect(fits({ $ref: '#/$defs/address' }, { 'post/code': '12' }, person)).toBe(true)
    expect(fits({ $ref: '#/$defs/address' }, { 'post/code': 'x' }, person)).toBe(false)
  })

  test('is not fitted by what is not there', () => {
    expect(fits({ type: 'string' }, undefined, person)).toBe(false)
  })

  test('is not fitted where the schema can’t be used', () => {
    expect(fits({ $ref: '#/$defs/gone' }, {}, person)).toBe(false)
  })
})

test('the dialect that the schema names is used', () => {
  const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] }
  expect(findProblems(draft7, [1])).toHaveLength(1)
  const draft4 = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'number',
    maximum: 3,
    exclusiveMaximum: true,
  }
  expect(findProblems(draft4, 3)).toHaveLength(1)
})
