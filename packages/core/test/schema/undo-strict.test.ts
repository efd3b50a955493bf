import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/protocol.js'
import { undoStrict } from '../../src/schema/undo-strict.js'

const text: JsonObject = { type: 'string' }

const address: JsonObject = {
  type: 'object',
  properties: { street: text, zip: text, note: { type: ['string', 'null'] } },
  required: ['street'],
}

const schema: JsonObject = {
  type: 'object',
  properties: {
    name: text,
    nick: text,
    unset: { type: ['string', 'null'] },
    choice: { enum: ['a', null] },
    home: { $ref: '#/$defs/address' },
    others: { type: 'array', items: { $ref: '#/$defs/address' } },
    by: {
      anyOf: [
        { type: 'object', properties: { kind: { const: 'mail' }, at: text, cc: text }, required: ['kind', 'at'] },
        {
          type: 'object',
          properties: { kind: { const: 'post' }, at: text, cc: { type: ['string', 'null'] } },
          required: ['kind'],
        },
      ],
    },
    any: {},
  },
  required: ['name'],
  $defs: { address },
}

test.each<[string, JsonObject, JsonObject]>([
  ['what may be left out and may not be null', { name: 'x', nick: null }, { name: 'x' }],
  ['not what may be null', { name: 'x', unset: null, choice: null }, { name: 'x', unset: null, choice: null }],
  ['not what is required: the server says what is wrong', { name: null }, { name: null }],
  [
    'through references',
    { name: 'x', home: { street: 's', zip: null, note: null } },
    { name: 'x', home: { street: 's', note: null } },
  ],
  [
    'in lists',
    { name: 'x', others: [{ street: 's', zip: null, note: 'n' }] },
    { name: 'x', others: [{ street: 's', note: 'n' }] },
  ],
  [
    'in the choice that fits',
    { name: 'x', by: { kind: 'mail', at: 'a', cc: null } },
    { name: 'x', by: { kind: 'mail', at: 'a' } },
  ],
  [
    'in another choice',
    { name: 'x', by: { kind: 'post', at: null, cc: null } },
    { name: 'x', by: { kind: 'post', cc: null } },
  ],
  ['not where anything goes', { name: 'x', any: null }, { name: 'x', any: null }],
  ['not what the tool does not know', { name: 'x', more: null }, { name: 'x', more: null }],
])('%s', (_, args, left) => {
  const before = structuredClone(args)
  expect(undoStrict(args, schema)).toEqual(left)
  expect(args).toEqual(before)
})

test('names of the language are just names', () => {
  const args = JSON.parse('{"__proto__":null,"constructor":null}')
  expect(Object.keys(undoStrict(args, { type: 'object', properties: {} }))).toEqual(['__proto__', 'constructor'])
})

test('without a schema that can be read, arguments stay', () => {
  expect(undoStrict({ a: null }, { type: 'string' })).toEqual({ a: null })
})
