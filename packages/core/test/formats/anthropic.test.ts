import { describe, expect, test } from 'vitest'
import { DisconnectedError } from '../../src/errors.js'
import { runToolCall, toToolResult, toTools } from '../../src/formats/anthropic.js'
import type { CallToolResult, ContentBlock } from '../../src/protocol.js'
import { createFakeServer, rejection, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'
import { base64, bytesOf } from './golden/blocks.js'

const result = (...content: ContentBlock[]): CallToolResult => ({ content, findings: [] })
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const image = (mimeType: string, data = bytesOf(base64.png)): ContentBlock => ({ type: 'image', mimeType, data })
const pdf = (blob = bytesOf(base64.pdf)): ContentBlock => ({
  type: 'resource',
  resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob },
})
const call = { id: 'toolu_1', name: 's__x' }
/** Without a budget, so that the provider's limits are met. */
const budget = { blockBytes: Infinity, resultBytes: Infinity }
const contentOf = (...blocks: ContentBlock[]) => toToolResult(call, result(...blocks), { budget }).content

const connected = async (...tools: Parameters<typeof createFakeServer>) => {
  const fake = createFakeServer(...tools)
  const { toolset } = createSet({ s: fake })
  await toolset.add('s', url('s'))
  return { fake, toolset }
}

describe('toTools', () => {
  test('gives names, descriptions where there are any, and schemas of objects', async () => {
    const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const { toolset } = await connected(toolNamed('x', { description: 'Does x', inputSchema }), 'y')
    expect(await toTools(toolset)).toEqual([
      { name: 's__x', description: 'Does x', input_schema: expect.objectContaining(inputSchema) },
      { name: 's__y', input_schema: expect.objectContaining({ type: 'object' }) },
    ])
  })

  test('marks the end of the list to be cached, on demand', async () => {
    const { toolset } = await connected('x', 'y')
    const marks = (await toTools(toolset, { cache: true })).map((tool) => tool.cache_control)
    expect(marks).toEqual([undefined, { type: 'ephemeral' }])
    expect(await toTools([], { cache: true })).toEqual([])
  })
})

describe('toToolResult', () => {
  test.each([
    ['no content', []],
    ['an empty text', [text('')]],
    ['white space', [text(' \n')]],
  ])('of %s has none, since an empty text is refused', (_, blocks) => {
    expect(toToolResult(call, result(...blocks))).toEqual({ type: 'tool_result', tool_use_id: 'toolu_1' })
  })

  test('leaves empty texts out among others, and keeps the order', () => {
    expect(contentOf(text('a'), text(''), text('b'))).toBe('a\nb')
    expect(contentOf(text('a'), text(' '), image('image/png'), text('b'))).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'image' },
      { type: 'text', text: 'b' },
    ])
  })

  test.each([
    ['image/jpg', 'image/jpeg'],
    ['image/GIF', 'image/gif'],
    ['image/webp', 'image/webp'],
  ])('an image of type %s is sent as %s', (given, sent) => {
    expect(contentOf(image(given))).toMatchObject([{ source: { media_type: sent } }])
  })

  test.each(['image/svg+xml', 'image/tiff'])('an image of type %s is left out', (mimeType) => {
    expect(contentOf(image(mimeType))).toContain(mimeType)
  })

  test('an image of more than 10 MiB of base64 is left out', () => {
    // Three bytes are four characters: so many bytes are exactly 10 MiB.
    const most = (10 * 1024 * 1024 * 3) / 4
    expect(contentOf(image('image/png', new Uint8Array(most)))).toMatchObject([{ type: 'image' }])
    expect(contentOf(image('image/png', new Uint8Array(most + 1)))).toMatch(/^\[.*image\/png.*\]$/)
  })

  test('a document that no request can hold is left out', () => {
    expect(contentOf(pdf(new Uint8Array(24 * 1024 * 1024 + 1)))).toMatch(/^\[.*application\/pdf.*\]$/)
  })

  test('of an error is text alone, marked', () => {
    const failed = { ...result(text('no disk'), image('image/png')), isError: true }
    const marked = { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }
    const content = expect.stringMatching(/^The tool "s__x" failed: no disk\n\[.*image\/png.*\]$/)
    expect(toToolResult(call, failed)).toEqual({ ...marked, content })
    expect(toToolResult(call, new DisconnectedError('It left'))).toEqual({ ...marked, content: 'It left' })
  })

  test('what is for the user only is not told', () => {
    expect(contentOf({ type: 'text', text: 'secret', annotations: { audience: ['user'] } })).toMatch(/^\[.*user.*\]$/)
  })

  test('names each block that is left out, by its place', () => {
    const losses: object[] = []
    const onLoss = (loss: object) => losses.push(loss)
    toToolResult(call, result(text('a'), image('image/svg+xml'), { type: 'unknown', raw: {} }), { onLoss })
    expect(losses).toMatchObject([{ block: 1 }, { block: 2 }])
  })
})

describe('runToolCall', () => {
  const made = (input: unknown) => ({ type: 'tool_use' as const, id: 'toolu_1', name: 's__x', input })

  test('runs the tool, and answers under the id of the call', async () => {
    const { fake, toolset } = await connected('x')
    expect(await runToolCall(toolset, made({ a: 1 }))).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: 'x ran',
    })
    expect(fake.calls.map((each) => each.args)).toEqual([{ a: 1 }])
  })

  test('a wrong input is told, and the tool is not run', async () => {
    const { fake, toolset } = await connected('x')
    expect(await runToolCall(toolset, made([1]))).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/JSON/),
    })
    expect(fake.calls).toEqual([])
  })

  test("an abort is the caller's, not told to the model", async () => {
    const { toolset } = await connected('x')
    const reason = new Error('stop')
    expect(await rejection(runToolCall(toolset, made({}), { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})
