import { describe, expect, test } from 'vitest'
import { aiSdk } from '../rules/ai-sdk.js'
import { anthropic } from '../rules/anthropic.js'
import { google } from '../rules/google.js'
import { openai } from '../rules/openai.js'
import type { RuleSet, SentTool } from '../rules/rule.js'
import { breachesOf } from './breaches.js'

const text = { type: 'string' }
const withProperty = (p: object) => ({ type: 'object', properties: { p }, required: ['p'] })
const closed = (p: object) => ({ ...withProperty(p), additionalProperties: false })
const nested = (levels: number): object => (levels === 0 ? text : closed(nested(levels - 1)))
const values = (count: number, length = 4) =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'x'))

const fine = { type: 'object', properties: { p: text, q: { type: 'array', items: text } }, required: ['p'] }

test.each(Object.entries({ aiSdk, anthropic, google, openai }))('%s: a plain tool breaks no rule', (_, rules) => {
  expect(breachesOf({ rules }, [{ name: 'fine', description: 'Fine.', schema: fine }])).toEqual([])
})

test('openai: a plain tool in strict mode breaks no rule', () => {
  expect(breachesOf({ rules: openai }, [{ name: 'fine', schema: nested(10), strict: true }])).toEqual([])
})

type Case = [title: string, tool: Partial<SentTool>]

const everywhere: Case[] = [
  ['it is a schema of JSON Schema 2020-12', { schema: withProperty({ type: 'text' }) }],
  ['it is a schema of JSON Schema 2020-12', { schema: withProperty({ type: 'array', items: [text] }) }],
  ['it is a schema of JSON Schema 2020-12', { schema: withProperty({ type: 'string', pattern: '[' }) }],
  ['it is a schema of JSON Schema 2020-12', { schema: { ...fine, required: ['p', 'p'] } }],
  ['no text in it has characters', { schema: withProperty({ ...text, description: 'a\u202eb' }) }],
  ['no text in it has characters', { description: 'a\u{e0041}' }],
]

const cases: [string, RuleSet, Case[]][] = [
  [
    'openai',
    openai,
    [
      ...everywhere,
      ['the name has at most 64', { name: 'a.b' }],
      ['the name has at most 64', { name: 'x'.repeat(65) }],
      ['the root has type object', { schema: { properties: {} } }],
      ['the root is no choice', { schema: { ...fine, anyOf: [fine] } }],
      ['objects list their properties', { schema: withProperty({ type: 'object' }) }],
      ['arrays say what they hold', { schema: withProperty({ type: ['array', 'null'] }) }],
      ['patterns are of Python’s kind', { schema: withProperty({ type: 'string', pattern: '(?!a)b' }) }],
      ['references lead to something', { schema: withProperty({ $ref: '#/$defs/a' }) }],
      ['objects have no properties but', { schema: withProperty(text), strict: true }],
      ['every property is required', { schema: { ...closed(text), required: [] }, strict: true }],
      ['only keywords of the subset', { schema: closed({ ...text, default: 'a' }), strict: true }],
      ['every part has a type', { schema: closed({ description: 'anything' }), strict: true }],
      ['only formats of the subset', { schema: closed({ ...text, format: 'uri' }), strict: true }],
      ['at most 5,000 properties, in 10 levels', { schema: nested(11), strict: true }],
      ['at most 1,000 values', { schema: closed({ ...text, enum: values(1_001) }), strict: true }],
      ['at most 1,000 values', { schema: closed({ ...text, enum: values(300, 60) }), strict: true }],
      ['at most 120,000 characters', { schema: closed({ ...text, const: 'x'.repeat(120_001) }), strict: true }],
    ],
  ],
  [
    'anthropic',
    anthropic,
    [
      ...everywhere,
      ['the name has at most 64', { name: 'a.b' }],
      ['the root has type object', { schema: {} }],
      ['the root is no choice', { schema: { ...fine, oneOf: [fine] } }],
      ['the arguments have names', { schema: { type: 'object', properties: { $top: text } } }],
      ['no names by pattern', { schema: { type: 'object', patternProperties: { '^(.*)$': {} } } }],
      ['no references', { schema: withProperty({ $ref: '#' }) }],
    ],
  ],
  [
    'google',
    google,
    [
      ...everywhere,
      ['the name begins with a letter', { name: '1a' }],
      ['the root describes an object', { schema: {} }],
      ['only keywords that are supported', { schema: withProperty({ type: 'number', multipleOf: 2 }) }],
      ['choices are of texts and numbers', { schema: withProperty({ enum: [true] }) }],
      ['no references', { schema: withProperty({ $ref: '#' }) }],
      ['what is required is among the properties', { schema: { type: 'object', properties: {}, required: ['a'] } }],
      ['one type, or one and null', { schema: withProperty({ type: ['string', 'number'] }) }],
    ],
  ],
  [
    'ai-sdk',
    aiSdk,
    [
      ...everywhere,
      ['the arguments have names', { schema: { type: 'object', properties: { $top: text } } }],
      ['objects list their properties', { schema: { type: 'object' } }],
      ['every part has a type', { schema: withProperty({}) }],
      ['one type, or one and null', { schema: withProperty({ type: ['string', 'number'] }) }],
      ['choices are of texts', { schema: withProperty({ type: 'integer', enum: [1] }) }],
      ['objects within have properties', { schema: withProperty({ type: 'object' }) }],
      ['no oneOf and no allOf', { schema: withProperty({ oneOf: [text] }) }],
      ['what is required is among the properties', { schema: { type: 'object', properties: {}, required: ['a'] } }],
    ],
  ],
]

const known = [...openai.tools, ...anthropic.tools].map(({ title }) => title)

describe.each(cases)('%s', (_, rules, broken) => {
  test.each(broken)('is broken: %s', (title, tool) => {
    const breaches = breachesOf({ rules }, [{ name: 'tool', schema: fine, ...tool }])
    expect(breaches.filter((breach) => breach.startsWith(title))).not.toEqual([])
  })

  test('no two tools have one name', () => {
    const twin = { name: 'twin', schema: fine }
    expect(breachesOf({ rules }, [twin, twin]).join()).toMatch(/no two (tools|functions) have one name: twin/)
  })

  test('every rule of a tool is seen broken', () => {
    const seen = rules.tools.filter(({ title }) => broken.some(([begins]) => title.startsWith(begins)))
    const lacking = rules.tools.filter((rule) => !seen.includes(rule)).map(({ title }) => title)
    // The SDK's are those of the providers behind it, seen there.
    expect(rules === aiSdk ? lacking.filter((title) => !known.includes(title)) : lacking).toEqual([])
  })
})
