import { expect, test } from 'vitest'
import type { Json, Tool } from '../../src/protocol.js'
import { hiddenTextIn } from '../../src/schema/hidden-text.js'
import { toolNamed } from '../fake-server.js'

/** "hi" in Unicode tags, which no font shows. */
const tags = '\u{e0068}\u{e0069}'
const paths = (tool: Tool) => hiddenTextIn(tool).map(({ path }) => path)

test('a clean tool has no findings', () => {
  const schema = { type: 'object', properties: { 'grüße-世界': { type: 'string', description: 'Zeile\n\tzwei' } } }
  expect(
    hiddenTextIn(toolNamed('t', { title: 'T', description: 'D', inputSchema: schema, outputSchema: schema })),
  ).toEqual([])
})

test('hidden text is found wherever a model reads it, and the finding shows none of it', () => {
  const tool = toolNamed(`na${tags}me`, {
    title: `t${tags}`,
    description: `d${tags}`,
    annotations: { title: `a${tags}` },
    inputSchema: {
      type: 'object',
      properties: { [`x${tags}`]: { description: 'fine' }, 'a/b~c': { enum: ['ok', `no${tags}`] } },
    },
    outputSchema: { type: 'object', $defs: { d: { description: `o${tags}` } } },
  })
  expect(paths(tool)).toEqual([
    '/name',
    '/title',
    '/description',
    '/annotations/title',
    '/inputSchema/properties/x',
    '/inputSchema/properties/a~1b~0c/enum/1',
    '/outputSchema/$defs/d/description',
  ])
  for (const finding of hiddenTextIn(tool)) {
    expect(finding).toMatchObject({ code: 'hidden-text', message: expect.stringContaining('"name"') })
    expect(JSON.stringify(finding)).not.toMatch(/[\u{e0000}-\u{e007f}]/u)
  }
})

test('twenty are told at the most, and no depth is too deep', () => {
  const many = Array.from({ length: 50 }, (_, index) => [`p${index}`, { description: tags }])
  expect(hiddenTextIn(toolNamed('t', { inputSchema: { properties: Object.fromEntries(many) } }))).toHaveLength(20)
  let deep: Json = { description: tags }
  for (let depth = 0; depth < 10_000; depth++) deep = { a: deep }
  expect(hiddenTextIn(toolNamed('t', { inputSchema: { type: 'object', properties: deep } }))).toHaveLength(1)
})
