import { describe, expect, test } from 'vitest'
import { toFormSchema } from '../../src/form/form-schema.js'

describe('the schema as the form draws it', () => {
  test('makes one field of an optional scalar, as Python’s generators write it', () => {
    const generated = {
      anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }],
      default: null,
      title: 'Limit',
    }
    expect(toFormSchema(generated)).toEqual({ type: ['integer', 'null'], minimum: 1, default: null, title: 'Limit' })
  })

  test('lets an optional choice be null', () => {
    expect(toFormSchema({ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] })).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    })
  })

  test('keeps an optional object a choice, and names its sides', () => {
    const { anyOf } = toFormSchema({ anyOf: [{ $ref: '#/$defs/Place' }, { type: 'null' }] })
    expect(anyOf).toEqual([
      { $ref: '#/$defs/Place', title: 'Place' },
      { type: 'null', title: 'null' },
    ])
  })

  test('makes a choice of several scalar types', () => {
    const { anyOf, title } = toFormSchema({ type: ['string', 'number'], title: 'Id' })
    expect(title).toBe('Id')
    expect(anyOf).toEqual([
      { type: 'string', title: 'string' },
      { type: 'number', title: 'number' },
    ])
  })

  test('has no boolean schemas, at any depth', () => {
    expect(toFormSchema(true)).toEqual({})
    expect(toFormSchema({ type: 'object', properties: { any: true }, $defs: { none: false } })).toEqual({
      type: 'object',
      properties: { any: {} },
      $defs: { none: { not: {} } },
    })
  })

  test('leaves the server’s schema alone', () => {
    const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }
    const before = structuredClone(schema)
    toFormSchema(schema)
    expect(schema).toEqual(before)
  })
})
