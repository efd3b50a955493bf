import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Tool } from '../../src/protocol.js'
import { canonicalDefinition, fingerprintOf } from '../../src/toolset/fingerprint.js'
import { toolNamed } from '../fake-server.js'

const withSchema = (inputSchema: object) => toolNamed('t', { inputSchema: inputSchema as Tool['inputSchema'] })
const same = (one: object, other: object) =>
  canonicalDefinition(withSchema(one)) === canonicalDefinition(withSchema(other))

afterEach(() => vi.unstubAllGlobals())

test('is the SHA-256 of the server and the canonical definition', async () => {
  const tool = toolNamed('t', { title: 'T', description: 'it’s', annotations: { readOnlyHint: true } })
  const text =
    '["s",{"annotations":{"readOnlyHint":true},"description":"it’s","inputSchema":{"type":"object"},"name":"t","title":"T"}]'
  expect(await fingerprintOf('s', tool)).toBe(createHash('sha256').update(text).digest('hex'))
})

test.each<[what: string, change: Partial<Tool>]>([
  ['name', { name: 'u' }],
  ['title', { title: 'T' }],
  ['description', { description: '' }],
  ['inputSchema', { inputSchema: { type: 'object', properties: {} } }],
  ['outputSchema', { outputSchema: { type: 'object' } }],
  ['annotations', { annotations: {} }],
])('another %s is another tool', async (_, change) => {
  const tool = toolNamed('t')
  expect(await fingerprintOf('s', { ...tool, ...change })).not.toBe(await fingerprintOf('s', tool))
})

test('so is the same one of another server', async () => {
  expect(await fingerprintOf('s', toolNamed('t'))).not.toBe(await fingerprintOf('r', toolNamed('t')))
  // Not the same text cut in another place.
  expect(await fingerprintOf('s', toolNamed('"],["t'))).not.toBe(await fingerprintOf('s"],["', toolNamed('t')))
})

test('icons, execution and _meta say nothing of what a tool does, and null is absent', async () => {
  const more = { icons: [{ src: 'x' }], execution: { taskSupport: 'optional' as const }, _meta: { a: 1 }, title: null }
  const tool = { ...toolNamed('t'), ...more } as unknown as Tool
  expect(await fingerprintOf('s', tool)).toBe(await fingerprintOf('s', toolNamed('t')))
})

test('halves of surrogate pairs are not the same', async () => {
  const described = (description: string) => fingerprintOf('s', toolNamed('t', { description }))
  expect(await described('\ud800')).not.toBe(await described('\udbff'))
})

test('numbers that JSON text can hold and JSON.stringify can’t are not null, nor each other', () => {
  const numbers = ['1e400', '-1e400', 'null'].map((text) => JSON.parse(`{"const":${text}}`) as object)
  for (const one of numbers) for (const other of numbers) expect(same(one, other)).toBe(one === other)
})

describe('order', () => {
  test('of keys says nothing, at any depth', () => {
    expect(same({ a: { b: 1, c: [{ d: 1, e: 2 }] }, f: 1 }, { f: 1, a: { c: [{ e: 2, d: 1 }], b: 1 } })).toBe(true)
  })

  test.each([
    ['required', ['a', 'b']],
    ['enum', [1, '1', { a: 1, b: 2 }]],
    ['type', ['string', 'null']],
  ])('of %s says nothing where it is a keyword', (keyword, list) => {
    const reversed = list.toReversed()
    expect(same({ [keyword]: list }, { [keyword]: reversed })).toBe(true)
    expect(same({ properties: { x: { [keyword]: list } } }, { properties: { x: { [keyword]: reversed } } })).toBe(true)
    expect(same({ anyOf: [{ [keyword]: list }] }, { anyOf: [{ [keyword]: reversed }] })).toBe(true)
    // An argument may be called "default", and its schema is one like any other.
    const named = (one: unknown) => ({ properties: { default: { [keyword]: one } } })
    expect(same(named(list), named(reversed))).toBe(true)
    // Within a value it is data.
    expect(same({ default: { [keyword]: list } }, { default: { [keyword]: reversed } })).toBe(false)
    expect(same({ [keyword]: list }, { [keyword]: list.slice(1) })).toBe(false)
  })

  test('of other lists counts', () => {
    expect(same({ anyOf: [{ a: 1 }, { b: 1 }] }, { anyOf: [{ b: 1 }, { a: 1 }] })).toBe(false)
    expect(same({ enum: [['a', 'b']] }, { enum: [['b', 'a']] })).toBe(false)
    expect(same({ examples: ['a', 'b'] }, { examples: ['b', 'a'] })).toBe(false)
  })
})

test('without WebCrypto, as on a page of http://, it says what to do', async () => {
  vi.stubGlobal('crypto', {})
  await expect(fingerprintOf('s', toolNamed('t'))).rejects.toThrow('https://')
})
