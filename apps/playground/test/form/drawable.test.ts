import type { RJSFSchema } from '@rjsf/utils'
import { expect, test } from 'vitest'
import { needsJsonBox } from '../../src/form/drawable.js'

const needing: RJSFSchema[] = [
  {},
  { description: 'anything' },
  { not: { type: 'string' } },
  { type: 'null' },
  { type: 'object' },
  { type: 'object', properties: {} },
  { type: 'object', additionalProperties: true },
  { type: 'object', additionalProperties: {} },
  { type: 'array' },
  { type: 'array', items: {} },
  { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } },
  { type: ['string', 'object'] },
  { type: ['object', 'null'], properties: { a: { type: 'string' } } },
  { type: ['array', 'null'], items: { type: 'string' } },
  { type: 'file' as 'string' },
]

test.each(needing)('%o is written as JSON', (schema) => {
  expect(needsJsonBox(schema)).toBe(true)
})

const drawn: RJSFSchema[] = [
  { type: 'string' },
  { type: ['integer', 'null'] },
  { enum: ['a', 1] },
  { const: 'a' },
  { anyOf: [{ type: 'string' }, { type: 'object' }] },
  { type: 'object', properties: { a: { type: 'string' } } },
  { properties: { a: { type: 'string' } } },
  { type: 'object', additionalProperties: { type: 'number' } },
  { type: 'object', additionalProperties: false },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: [{ type: 'string' }] },
]

test.each(drawn)('%o is drawn', (schema) => {
  expect(needsJsonBox(schema)).toBe(false)
})
