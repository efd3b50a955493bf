import type { FunctionCall, Part, Tool } from '@google/genai'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { JsonRpcError } from '../../src/errors.js'
import {
  type GoogleCall,
  type GoogleResultOptions,
  type GoogleTool,
  type GoogleToolResult,
  runToolCall,
  toToolResult,
  toTools,
} from '../../src/formats/google.js'
import type { CallToolResult, ContentBlock } from '../../src/protocol.js'
import { createFakeServer, rejection, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'
import { base64, bytesOf } from './golden/blocks.js'

const connected = async (...tools: Parameters<typeof createFakeServer>) => {
  const fake = createFakeServer(...tools)
  const { toolset } = createSet({ s: fake })
  await toolset.add('s', url('s'))
  return { fake, toolset }
}

test('is what the SDK takes, and takes what it gives', () => {
  expectTypeOf<GoogleTool>().toExtend<Tool>()
  expectTypeOf<GoogleToolResult>().toExtend<Part>()
  expectTypeOf<FunctionCall>().toExtend<GoogleCall>()
})

describe('toTools', () => {
  test('is one tool of every function, their schemas as JSON Schema', async () => {
    const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const { toolset } = await connected(toolNamed('forecast', { description: 'The weather', inputSchema }), 'x')
    const [tool, ...more] = await toTools(toolset)
    expect(more).toEqual([])
    expect(tool!.functionDeclarations).toEqual([
      { name: 's__forecast', description: 'The weather', parametersJsonSchema: expect.objectContaining(inputSchema) },
      { name: 's__x', description: '', parametersJsonSchema: expect.objectContaining({ type: 'object' }) },
    ])
  })

  test('is none where there is no function', async () => {
    const { toolset } = await connected()
    expect(await toTools(toolset)).toEqual([])
  })
})

describe('toToolResult', () => {
  const told = (content: ContentBlock[], more: Partial<CallToolResult> = {}, options?: GoogleResultOptions) =>
    toToolResult({ id: '1', name: 's__t' }, { content, findings: [], ...more }, options).functionResponse
  const image = (mimeType: string): ContentBlock => ({ type: 'image', mimeType, data: bytesOf(base64.png) })
  const text = (value: string): ContentBlock => ({ type: 'text', text: value })

  test('says where the files belong', () => {
    const { response, parts } = told([text('Before:'), image('image/png'), text('After:'), image('image/jpeg')])
    expect(response).toEqual({ output: 'Before:\n[File 1: image/png]\nAfter:\n[File 2: image/jpeg]' })
    expect(parts?.map(({ inlineData }) => inlineData.mimeType)).toEqual(['image/png', 'image/jpeg'])
  })

  test('says no more of a server’s words than is of use', () => {
    const long = 'x'.repeat(10_000)
    const reasons: string[] = []
    const resource = { uri: long, mimeType: 'application/pdf', blob: bytesOf(base64.pdf) }
    const { response } = told(
      [{ type: 'resource', resource }, image(`image/${long}`)],
      {},
      {
        onLoss: ({ reason }) => reasons.push(reason),
      },
    )
    const [line] = (response as { output: string }).output.split('\n')
    expect(line).toMatch(/^\[File 1: application\/pdf, x{200}\]$/)
    expect(reasons[0]!.length).toBeLessThan(200)
  })

  test('takes a type however its server spells it', () => {
    expect(told([image('IMAGE/JPG; q=1')]).parts).toEqual([
      { inlineData: { mimeType: 'image/jpeg', data: base64.png } },
    ])
  })

  test.each(['image/svg+xml', 'image/gif', 'image/tiff'])('labels %s, which Gemini refuses', (mimeType) => {
    const losses: unknown[] = []
    const { response, parts } = told([text('a'), image(mimeType)], {}, { onLoss: (loss) => losses.push(loss) })
    expect(parts).toBeUndefined()
    expect(response).toEqual({ output: expect.stringMatching(/^a\n\[Left out: .*\]$/) })
    expect(losses).toEqual([expect.objectContaining({ block: 1, reason: expect.stringContaining('Gemini takes no') })])
  })

  test('labels a file that is larger than Gemini takes', () => {
    const blob = new Uint8Array(50 * 2 ** 20 + 1)
    const budget = { blockBytes: Infinity, resultBytes: Infinity }
    const of = (bytes: Uint8Array<ArrayBuffer>) => {
      const resource = { uri: 'a://b', mimeType: 'application/pdf', blob: bytes }
      return told([{ type: 'resource', resource }], {}, { budget }).parts?.length
    }
    expect(of(blob)).toBeUndefined()
    expect(of(blob.subarray(1))).toBe(1)
  })

  test('keeps audio only where it is asked to', () => {
    const wav: ContentBlock = { type: 'audio', mimeType: 'audio/wav', data: bytesOf(base64.wav) }
    expect(told([wav]).parts).toBeUndefined()
    expect(told([wav], {}, { audio: 'keep' }).parts).toEqual([
      { inlineData: { mimeType: 'audio/wav', data: base64.wav } },
    ])
    expect(told([wav], {}, { audio: 'keep', files: false }).parts).toBeUndefined()
  })

  test('of nothing, and of what is for the user only, is text', () => {
    expect(told([])).toEqual({ id: '1', name: 's__t', response: { output: '' } })
    expect(told([{ type: 'text', text: 'a', annotations: { audience: ['user'] } }]).response).toEqual({
      output: '[The result is for the user only]',
    })
  })

  test('of a failure is its error', () => {
    expect(told([text('no disk')], { isError: true }).response).toEqual({
      error: 'The tool "s__t" failed: no disk',
    })
    const error = new JsonRpcError('The server answered with error -1: no', { data: { rpcCode: -1 } })
    expect(toToolResult({ name: 's__t' }, error)).toEqual({
      functionResponse: { name: 's__t', response: { error: 'The server answered with error -1: no' } },
    })
  })
})

describe('runToolCall', () => {
  test('calls the tool, and answers under the call’s name and id', async () => {
    const { fake, toolset } = await connected('x')
    expect(await runToolCall(toolset, { id: '7', name: 's__x', args: { a: 1 } })).toEqual({
      functionResponse: { id: '7', name: 's__x', response: { output: 'x ran' } },
    })
    expect(await runToolCall(toolset, { name: 's__x' })).toEqual({
      functionResponse: { name: 's__x', response: { output: 'x ran' } },
    })
    expect(fake.calls.map(({ args }) => args)).toEqual([{ a: 1 }, {}])
  })

  test('names a tool that fails by its own name', async () => {
    const { toolset } = await connected('x')
    const content: ContentBlock[] = [{ type: 'text', text: 'no disk' }]
    const handles = toolset.tools.map((handle) => ({
      ...handle,
      execute: async () => ({ content, isError: true, findings: [] }),
    }))
    expect((await runToolCall(handles, { name: 's__x' })).functionResponse).toEqual({
      name: 's__x',
      response: { error: 'The tool "x" failed: no disk' },
    })
  })

  test('tells the model what it got wrong', async () => {
    const { fake, toolset } = await connected('x')
    const errorOf = async (call: GoogleCall) => (await runToolCall(toolset, call)).functionResponse.response
    expect(await errorOf({ name: 's__y' })).toEqual({ error: 'There is no tool "s__y"' })
    expect(await errorOf({})).toEqual({ error: 'There is no tool ""' })
    expect(await errorOf({ name: 's__x', args: [1] as never })).toEqual({
      error: expect.stringContaining('are no JSON object'),
    })
    expect(fake.calls).toEqual([])
  })

  test('rejects with the caller’s reason, and with nothing else', async () => {
    const { toolset } = await connected('x')
    const reason = new Error('stop')
    const aborted = runToolCall(toolset, { name: 's__x' }, { signal: AbortSignal.abort(reason) })
    expect(await rejection(aborted)).toBe(reason)
    await toolset.close()
    expect(await runToolCall(toolset, { name: 's__x' })).toMatchObject({
      functionResponse: { response: { error: expect.any(String) } },
    })
  })
})
