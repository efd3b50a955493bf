import type { JsonObject } from '@x/web'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SchemaForm } from '../../src/form/schema-form.js'

/** The form's markup, and what it changed of the value by itself. */
function draw(schema: JsonObject, value: JsonObject = {}) {
  const changes: JsonObject[] = []
  const html = renderToStaticMarkup(
    <SchemaForm
      name="form"
      schema={schema}
      value={value}
      problems={[]}
      onChange={(next) => changes.push(next)}
      onUnreadable={() => {}}
    />,
  )
  return { html, changes }
}

const properties: Record<string, JsonObject | boolean> = {
  text: { type: 'string', default: 'filled by whom?' },
  integer: { type: 'integer', default: 3 },
  nullable: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
  boolean: { type: 'boolean', default: true },
  choice: { enum: ['a', 'b'], default: 'a' },
  object: { type: 'object', properties: { inner: { type: 'string', default: 'x' } } },
  list: { type: 'array', items: { type: 'string' }, minItems: 2, default: ['a', 'b'] },
  boxes: { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true },
  map: { type: 'object', additionalProperties: { type: 'string' } },
  union: { oneOf: [{ type: 'object', properties: { kind: { const: 'a' } } }, { type: 'string' }] },
  merged: { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] },
  reference: { $ref: '#/$defs/node' },
  anything: true,
  untyped: {},
  free: { type: 'object' },
  items: { type: 'array' },
  tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
  types: { type: ['string', 'object'] },
  not: { not: { type: 'string' } },
  nothing: { type: 'null' },
}

const $defs = {
  node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } },
}

test.each(Object.entries(properties))(
  'a property of the kind “%s” has a field, and nothing is filled in',
  (name, schema) => {
    const { html, changes } = draw({ type: 'object', properties: { [name]: schema as JsonObject }, $defs })
    expect(html).toMatch(/<(input|textarea|select|button)\b/)
    expect(html).toMatch(new RegExp(`(label|legend|span)[^>]*>[^<]*\\b${name}\\b`))
    expect(changes).toEqual([])
  },
)

test('what was typed is kept, whatever the schema would fill in beside it', () => {
  const value = { text: 'mine', object: {}, list: [] }
  expect(draw({ type: 'object', properties: properties as JsonObject, $defs }, value).changes).toEqual([])
})

test('a constant is filled in: it can be nothing else', () => {
  expect(draw({ type: 'object', properties: { kind: { const: 'only' } } }).changes).toEqual([{ kind: 'only' }])
})

test('no text of a server becomes markup', () => {
  const { html } = draw({
    type: 'object',
    properties: { a: { type: 'string', title: '<b>title</b>', description: '**bold** <img src=x>' } },
  })
  expect(html).toContain('&lt;b&gt;title')
  expect(html).toContain('**bold** &lt;img')
})
