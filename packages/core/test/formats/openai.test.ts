import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { DisconnectedError } from '../../src/errors.js'
import { runToolCall, toToolResult, toTools } from '../../src/formats/openai.js'
import type { CallToolResult, ContentBlock } from '../../src/protocol.js'
import { createFakeServer, rejection, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'
import { base64, bytesOf } from './golden/blocks.js'

const result = (...content: ContentBlock[]): CallToolResult => ({ content, findings: [] })
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const image = (mimeType: string): ContentBlock => ({ type: 'image', mimeType, data: bytesOf(base64.png) })
const blob = (uri: string, mimeType: string, bytes = bytesOf(base64.pdf)): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, blob: bytes },
})
const call = { id: 'call_1', name: 's__x' }
/** Without a budget, so that the provider's limits are met. */
const budget = { blockBytes: Infinity, resultBytes: Infinity }
const responses = (outcome: Parameters<typeof toToolResult>[1]) =>
  toToolResult(call, outcome, { api: 'responses', budget }).output

const connected = async (...tools: Parameters<typeof createFakeServer>) => {
  const fake = createFakeServer(...tools)
  const { toolset } = createSet({ s: fake })
  await toolset.add('s', url('s'))
  return { fake, toolset }
}

describe('toTools', () => {
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

  test('gives each API its shape, and always says whether strict', async () => {
    const { toolset } = await connected(toolNamed('x', { description: 'Does x', inputSchema }), 'y')
    const [x, y] = await toTools(toolset)
    expect(x).toEqual({
      type: 'function',
      function: {
        name: 's__x',
        description: 'Does x',
        parameters: expect.objectContaining(inputSchema),
        strict: false,
      },
    })
    expect(y?.function).not.toHaveProperty('description')
    const [flat] = await toTools(toolset, { api: 'responses' })
    expect(flat).toEqual({ type: 'function', ...x?.function })
  })

  test('holds a model to the schemas that strict mode can express, and names the others', async () => {
    const open = { type: 'object', properties: { tags: { type: 'object', additionalProperties: { type: 'string' } } } }
    const { toolset } = await connected(toolNamed('x', { inputSchema }), toolNamed('open', { inputSchema: open }))
    const findings: object[] = []
    const tools = await toTools(toolset, { strict: true, onFinding: (finding) => findings.push(finding) })
    expect(tools.map((tool) => tool.function)).toMatchObject([
      // Every property is required, and there are no others.
      { name: 's__x', strict: true, parameters: { ...inputSchema, additionalProperties: false } },
      { name: 's__open', strict: false, parameters: open },
    ])
    expect(findings).toEqual([
      {
        code: 'not-strict',
        server: 's',
        tool: 'open',
        path: '/properties/tags/additionalProperties',
        message: expect.stringMatching(/"s__open".*without strict mode/),
      },
    ])
  })

  test('takes one server, too', async () => {
    const { connection } = createFakeServer('x')
    expect((await toTools(createClient(connection))).map((tool) => tool.function.name)).toEqual(['x'])
  })
})

describe('toToolResult', () => {
  test.each([
    ['no content', result()],
    ['an empty text', result(text(''))],
  ])('of %s says that it went well, as OpenAI asks for', (_, empty) => {
    expect(toToolResult(call, empty).content).toBe('success')
    expect(responses(empty)).toBe('success')
  })

  test('joins texts, and keeps the order of texts and files', () => {
    expect(toToolResult(call, result(text('a'), text('b'))).content).toBe('a\nb')
    expect(responses(result(text('a'), text('b')))).toBe('a\nb')
    expect(responses(result(text('a'), image('image/png'), text('b')))).toMatchObject([
      { type: 'input_text', text: 'a' },
      { type: 'input_image' },
      { type: 'input_text', text: 'b' },
    ])
  })

  test.each([
    ['image/jpeg', 'image/jpeg'],
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/PNG; q=1', 'image/png'],
    ['image/webp', 'image/webp'],
    ['image/gif', 'image/gif'],
  ])('an image of type %s is sent as %s', (given, sent) => {
    expect(responses(result(image(given)))).toMatchObject([{ image_url: `data:${sent};base64,${base64.png}` }])
  })

  test.each(['image/svg+xml', 'image/heic'])('an image of type %s is left out', (mimeType) => {
    expect(responses(result(image(mimeType)))).toContain(mimeType)
  })

  test.each([
    ['file:///a/Q3%20report.pdf?x=/y.txt', 'application/pdf', 'Q3 report.pdf'],
    ['db://sales/2026', 'text/csv', '2026.csv'],
    ['db://sales/', 'application/pdf', 'file.pdf'],
    ['file:///..', 'application/pdf', 'file.pdf'],
    ['file:///%zz"<b>.pdf', 'application/pdf', '_zz__b_.pdf'],
    [`file:///${'x'.repeat(5_000)}`, 'application/pdf', `${'x'.repeat(90)}.pdf`],
  ])('the file %s of type %s is named %s', (uri, mimeType, filename) => {
    expect(responses(result(blob(uri, mimeType)))).toMatchObject([{ type: 'input_file', filename }])
  })

  test('an image among resources is an image', () => {
    expect(responses(result(blob('file:///a.png', 'image/png')))).toMatchObject([{ type: 'input_image' }])
  })

  test('a file of 50 MB is left out', () => {
    const large = blob('file:///a.pdf', 'application/pdf', new Uint8Array(50_000_000))
    expect(responses(result(large))).toMatch(/^\[.*application\/pdf.*\]$/)
  })

  test('tells of a failed tool by its name for the model, and in text alone', () => {
    const failed = { ...result(text('no disk'), image('image/png')), isError: true }
    const said = expect.stringMatching(/^The tool "s__x" failed: no disk\n\[.*image\/png.*\]$/)
    expect(responses(failed)).toEqual(said)
    expect(toToolResult(call, failed).content).toEqual(said)
  })

  test('tells of an error by its message', () => {
    expect(responses(new DisconnectedError('The server has left'))).toBe('The server has left')
  })

  test('what is for the user only is not told', () => {
    const secret = result({ type: 'text', text: 'secret', annotations: { audience: ['user'] } })
    expect(toToolResult(call, secret).content).toMatch(/^\[.*user.*\]$/)
  })

  test('names each block that is left out, by its place', () => {
    const losses: object[] = []
    const onLoss = (loss: object) => losses.push(loss)
    toToolResult(call, result(text('a'), image('image/png'), { type: 'unknown', raw: { type: 'video' } }), { onLoss })
    expect(losses).toMatchObject([{ block: 1 }, { block: 2 }])
  })
})

describe('runToolCall', () => {
  test('takes a call of each API, and answers in its shape', async () => {
    const { fake, toolset } = await connected('x')
    const args = '{"a":1}'
    const chat = { id: '1', type: 'function' as const, function: { name: 's__x', arguments: args } }
    expect(await runToolCall(toolset, chat)).toEqual({ role: 'tool', tool_call_id: '1', content: 'x ran' })
    const flat = { type: 'function_call' as const, id: 'fc', call_id: '2', name: 's__x', arguments: args }
    expect(await runToolCall(toolset, flat)).toEqual({ type: 'function_call_output', call_id: '2', output: 'x ran' })
    expect(fake.calls.map((each) => each.args)).toEqual([{ a: 1 }, { a: 1 }])
  })

  test.each(['{"a":', '[]'])('arguments %s are told, and the tool is not run', async (args) => {
    const { fake, toolset } = await connected('x')
    const made = { id: '1', type: 'function' as const, function: { name: 's__x', arguments: args } }
    expect((await runToolCall(toolset, made)).content).toMatch(/JSON/)
    expect(fake.calls).toEqual([])
  })

  test('what strict mode makes a model fill with null is left out again', async () => {
    const properties = { city: { type: 'string' }, unit: { type: 'string' }, until: { type: ['string', 'null'] } }
    const inputSchema = { type: 'object', properties, required: ['city'] }
    const { fake, toolset } = await connected(toolNamed('x', { inputSchema }))
    const [tool] = await toTools(toolset, { strict: true })
    expect(tool?.function.parameters).toMatchObject({ required: ['city', 'unit', 'until'] })
    const args = JSON.stringify({ city: 'Oslo', unit: null, until: null })
    await runToolCall(toolset, { id: '1', type: 'function', function: { name: 's__x', arguments: args } })
    expect(fake.calls[0]?.args).toEqual({ city: 'Oslo', until: null })
  })

  test('a custom tool, which no server has, is told', async () => {
    const { toolset } = await connected('x')
    const made = { id: '1', type: 'custom' as const, custom: { name: 'shell', input: 'ls' } }
    expect(await runToolCall(toolset, made)).toEqual({
      role: 'tool',
      tool_call_id: '1',
      content: expect.stringContaining('no tool "shell"'),
    })
  })

  test('a loss that the app refuses is thrown, not told to the model', async () => {
    const { toolset } = await connected('x')
    const [handle] = toolset.tools
    const source = [{ ...handle!, execute: async () => result(image('image/png')) }]
    const made = { id: '1', type: 'function' as const, function: { name: 's__x', arguments: '' } }
    const refusal = new Error('no losses')
    const onLoss = () => {
      throw refusal
    }
    expect(await rejection(runToolCall(source, made, { onLoss }))).toBe(refusal)
  })

  test("an abort is the caller's, not told to the model", async () => {
    const { toolset } = await connected('x')
    const made = { id: '1', type: 'function' as const, function: { name: 's__x', arguments: '' } }
    const reason = new Error('stop')
    expect(await rejection(runToolCall(toolset, made, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})
