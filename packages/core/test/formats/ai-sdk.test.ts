import { type ContractServer, startContractServer } from '@x/testkit'
import { generateText, isStepCount, jsonSchema, streamText, type ToolResultPart, type ToolSet, tool } from 'ai'
import type { MockLanguageModelV4 } from 'ai/test'
import {
  generateText as generateText6,
  type LanguageModel as LanguageModel6,
  type ToolResultPart as ToolResultPart6,
  type ToolSet as ToolSet6,
} from 'ai6'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { createClient } from '../../src/client.js'
import { JsonRpcError, ToolError } from '../../src/errors.js'
import { toToolResult, toTools } from '../../src/formats/ai-sdk.js'
import { createHost } from '../../src/in-process.js'
import type { CallToolResult, ContentBlock, Json, JsonObject } from '../../src/protocol.js'
import { createToolset, type Toolset } from '../../src/toolset/toolset.js'
import { createFakeServer, rejection, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'
import { call, say, scripted, toldAt } from './scripted-model.js'

let server: ContractServer
const host = createHost()
beforeAll(async () => {
  server = await startContractServer()
})
afterAll(async () => {
  await host.close()
  await server.close()
})

describe.each(['modern', 'legacy'])('a loop of the real SDK against a real server, %s', (era) => {
  const connectTools = async () => {
    const toolset = await host.connectAll({ s: `${server.url}/${era}/mcp` })
    return { toolset, tools: await toTools(toolset) }
  }

  test('calls tools, shows their content, and goes on after failures', async () => {
    const { tools } = await connectTools()
    const model = scripted(
      [call('1', 's__echo', { text: 'hi' }), call('2', 's__fail'), call('3', 's__rpc-error'), call('4', 's__content')],
      [call('5', 's__add', { a: 1, b: 2 })],
      [say('done')],
    )
    const { text, steps } = await generateText({ model, tools, prompt: 'go', stopWhen: isStepCount(5) })
    expect([text, steps.length]).toEqual(['done', 3])

    const told = toldAt(model, 1)
    expect(told['1']).toEqual({ type: 'text', value: 'hi' })
    expect(told['2']).toEqual({ type: 'error-text', value: 'The tool "fail" failed: the disk is full' })
    expect(told['3']).toEqual({ type: 'error-text', value: expect.stringMatching(/-32050.*the contract refuses/) })
    const { type, value } = told['4'] as { type: string; value: { type: string; mediaType?: string; data?: unknown }[] }
    expect(type).toBe('content')
    const image = value.find((part) => part.mediaType === 'image/png')
    // Every byte that the server sent: 1,024 of them, by its own formula.
    const sent = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7 + (index >> 8) * 3) & 0xff)
    const data = Buffer.from(sent).toString('base64')
    expect(image).toEqual({ type: 'file', mediaType: 'image/png', data: { type: 'data', data } })
    expect(toldAt(model, 2)['5']).toEqual({ type: 'text', value: '{"sum":3}' })
  })

  test('streams the same', async () => {
    const { tools } = await connectTools()
    const model = scripted([call('1', 's__fail'), call('2', 's__rpc-error')], [say('done')])
    const result = streamText({ model, tools, prompt: 'go', stopWhen: isStepCount(5) })
    const errors: unknown[] = []
    for await (const part of result.fullStream) if (part.type === 'tool-error') errors.push(part.error)
    expect(await result.text).toBe('done')
    expect(errors).toEqual([expect.objectContaining({ code: 'ERR_MCP_JSONRPC' })])
    expect(toldAt(model, 1)).toEqual({
      1: { type: 'error-text', value: 'The tool "fail" failed: the disk is full' },
      2: { type: 'error-text', value: expect.stringContaining('the contract refuses') },
    })
  })

  test('sends the server’s own schema and description', async () => {
    const { tools, toolset } = await connectTools()
    const model = scripted([say('done')])
    await generateText({ model, tools, prompt: 'go' })
    const sent = model.doGenerateCalls[0]!.tools!.map((each) => (each.type === 'function' ? each : undefined))
    expect(sent).toHaveLength(toolset.tools.length)
    for (const handle of toolset.tools) {
      const found = sent.find((each) => each?.name === handle.name)
      expect(found).toMatchObject({ description: handle.description, inputSchema: handle.tool.inputSchema })
      expect(found?.inputSchema).not.toHaveProperty('additionalProperties')
    }
  })

  test('goes on when the server leaves in the middle', async () => {
    const { tools, toolset } = await connectTools()
    const model = scripted(
      [call('1', 's__echo', { text: 'hi' })],
      [call('2', 's__echo', { text: 'hi' })],
      [say('done')],
    )
    const { text } = await generateText({
      model,
      tools,
      prompt: 'go',
      stopWhen: isStepCount(5),
      onStepEnd: ({ stepNumber }) => (stepNumber === 0 ? toolset.remove('s') : undefined),
    })
    expect(text).toBe('done')
    expect(toldAt(model, 2)['2']).toEqual({ type: 'error-text', value: expect.stringContaining('"s" has left') })
  })

  test('an abort of the loop reaches the server', async () => {
    const { tools } = await connectTools()
    await server.control.reset()
    const abort = new AbortController()
    const model = scripted([call('1', 's__hang')], [say('done')])
    const looped = generateText({ model, tools, prompt: 'go', stopWhen: isStepCount(5), abortSignal: abort.signal })
    const failed = rejection(looped)
    await server.control.waitFor({ kind: 'call', tool: 'hang' })
    abort.abort()
    await server.control.waitFor({ kind: 'aborted', tool: 'hang' })
    await failed
  })
})

describe('toTools', () => {
  const createSet = async (...names: string[]) => {
    const fake = createFakeServer(...names)
    const toolset = createToolset(async () => fake.connection)
    await toolset.add('s', 'https://s/mcp')
    return { fake, toolset }
  }

  test('gives the tools of this moment, and asks no server', async () => {
    const { fake, toolset } = await createSet('x')
    const before = await toTools(toolset)
    fake.list = () => [toolNamed('y')]
    expect(Object.keys(await toTools(toolset))).toEqual(['s__x'])
    await toolset.refresh()
    fake.list = () => {
      throw new Error('it was asked')
    }
    expect(Object.keys(await toTools(toolset))).toEqual(['s__y'])
    expect(Object.keys(before)).toEqual(['s__x'])
  })

  test('makes a schema once', async () => {
    const { toolset } = await createSet('x')
    const schemaOf = async () =>
      ((await toTools(toolset)).s__x!.inputSchema as unknown as { jsonSchema: JsonObject }).jsonSchema
    expect(await schemaOf()).toBe(await schemaOf())
  })

  test('of one client lists its tools, under names that are legal, calling them by their own', async () => {
    const fake = createFakeServer('plain', 'send e-mail', '__proto__', 'grüße-世界')
    const tools = await toTools(createClient(fake.connection))
    const names = Object.keys(tools)
    expect(names.slice(0, 3)).toEqual(['plain', 'send_e-mail_1oa0e3kj', '__proto__'])
    for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
    for (const each of Object.values(tools)) await each.execute({})
    expect(fake.calls.map(({ name }) => name)).toEqual(['plain', 'send e-mail', '__proto__', 'grüße-世界'])
    expect(Object.getPrototypeOf(tools)).toBe(Object.prototype)
  })

  test('takes title and description along', async () => {
    const fake = createFakeServer(toolNamed('x', { annotations: { title: 'X!' }, description: 'does x' }))
    const [ofClient] = Object.values(await toTools(createClient(fake.connection)))
    expect(ofClient).toMatchObject({ title: 'X!', description: 'does x' })
  })

  test('hands the SDK’s signal on, and nothing where there is none', async () => {
    const { fake, toolset } = await createSet('x')
    const { s__x } = await toTools(toolset)
    const { signal } = new AbortController()
    await s__x!.execute({ a: 1 }, { abortSignal: signal })
    await s__x!.execute({ a: 2 })
    await s__x!.execute({ a: 3 }, { abortSignal: undefined })
    expect(fake.calls.map(({ args, options }) => [args, options?.signal])).toEqual([
      [{ a: 1 }, signal],
      [{ a: 2 }, undefined],
      [{ a: 3 }, undefined],
    ])
  })

  test('of a closed set are none, and those of before reject', async () => {
    const { toolset } = await createSet('x')
    const { s__x } = await toTools(toolset)
    await toolset.close()
    expect(await toTools(toolset)).toEqual({})
    expect(await rejection(s__x!.execute({}))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  })

  test('is what version 6 takes as well, where it is asked for', () => {
    const six = (toolset: Toolset) => toTools(toolset, { version: 6 })
    type Tools = Awaited<ReturnType<typeof six>>
    expectTypeOf<Tools>().toExtend<ToolSet6>()
    // Neither takes the other's files.
    expectTypeOf<Awaited<ReturnType<typeof toTools>>>().not.toExtend<ToolSet6>()
    const check = (tools: Tools, model: LanguageModel6) => {
      generateText6({ model, prompt: '', tools })
    }
    expectTypeOf(check).toBeFunction()
    const result = toToolResult({ id: '1', name: 't' }, { content: [], findings: [] }, { version: 6 })
    expectTypeOf(result).toExtend<ToolResultPart6>()
    expectTypeOf(toToolResult({ id: '1', name: 't' }, { content: [], findings: [] })).toExtend<ToolResultPart>()
  })

  test('is what the SDK takes, without a cast, alone and beside the app’s own', () => {
    type Tools = Awaited<ReturnType<typeof toTools>>
    expectTypeOf<Tools>().toExtend<ToolSet>()
    const own = tool({ inputSchema: jsonSchema<{ a: string }>({ type: 'object' }), execute: async ({ a }) => a })
    const check = (tools: Tools, model: MockLanguageModelV4) => {
      generateText({ model, prompt: '', tools })
      streamText({ model, prompt: '', tools: { ...tools, own } })
    }
    expectTypeOf(check).toBeFunction()
    expectTypeOf<Toolset>().toExtend<Parameters<typeof toTools>[0]>()
  })
})

describe('a call that fails', () => {
  const failing = async (error: unknown) => {
    const { toolset } = createSet({ s: createFakeServer('x') })
    await toolset.add('s', url('s'))
    const execute = async () => {
      throw error
    }
    const { s__x } = await toTools(toolset.tools.map((handle) => ({ ...handle, execute })))
    return (signal?: AbortSignal) => rejection(s__x!.execute({}, { abortSignal: signal }))
  }

  test('keeps all of its error but what a model must not see of the text', async () => {
    const cause = new Error('because')
    const error = new JsonRpcError('no\u202e way', { data: { rpcCode: -1 }, cause })
    const rejected = await (await failing(error))()
    expect(rejected).toBeInstanceOf(JsonRpcError)
    expect(rejected).toMatchObject({ message: 'no way', data: { rpcCode: -1 } })
    expect(rejected.cause).toBe(cause)
    const plain = new JsonRpcError('no way')
    expect(await (await failing(plain))()).toBe(plain)
  })

  test('of the app’s own has its words on the console, not in the model', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const cause = new Error('the password is hunter2')
    const rejected = await (await failing(cause))()
    expect(rejected).toMatchObject({ code: 'ERR_MCP_TOOL', cause })
    expect(rejected.message).not.toContain('hunter2')
    expect(log).toHaveBeenCalledExactlyOnceWith(cause)
    log.mockRestore()
  })

  test('by the caller’s abort has the caller’s reason', async () => {
    const reason = new Error('stop')
    expect(await (await failing(reason))(AbortSignal.abort(reason))).toBe(reason)
  })
})

describe('what the model is told of a result', () => {
  const bytes = Uint8Array.of(1, 2, 3)
  const told = (content: ContentBlock[], more: Partial<CallToolResult> = {}) =>
    toToolResult({ id: '1', name: 't' }, { content, findings: [], ...more }).output
  const file = (mediaType: string, more = {}) => ({
    type: 'file',
    mediaType,
    data: { type: 'data', data: 'AQID' },
    ...more,
  })
  const text = (value: string): ContentBlock => ({ type: 'text', text: value })
  const blob = (mimeType?: string): ContentBlock => ({
    type: 'resource',
    resource: { uri: 'a://b/c.x?d#e', ...(mimeType && { mimeType }), blob: bytes },
  })

  test.each<[what: string, content: ContentBlock[], more: Partial<CallToolResult>, output: object]>([
    ['a text', [text('hi')], {}, { type: 'text', value: 'hi' }],
    ['nothing', [], {}, { type: 'text', value: '' }],
    ['two texts', [text('a'), text('b')], {}, { type: 'text', value: 'a\nb' }],
    ['structured content', [], { structuredContent: { a: 1 } }, { type: 'text', value: '{"a":1}' }],
    ['what is repeated', [text('{ "a": 1 }')], { structuredContent: { a: 1 } }, { type: 'text', value: '{ "a": 1 }' }],
    [
      'what is for the user only',
      [{ type: 'text', text: 's', annotations: { audience: ['user'] } }],
      {},
      { type: 'text', value: '[The result is for the user only]' },
    ],
    [
      'an image beside text',
      [text('look'), { type: 'image', mimeType: 'image/png', data: bytes }],
      {},
      { type: 'content', value: [{ type: 'text', text: 'look' }, file('image/png')] },
    ],
    ['an image in a resource', [blob('image/webp')], {}, { type: 'content', value: [file('image/webp')] }],
    [
      'a PDF',
      [blob('application/pdf')],
      {},
      { type: 'content', value: [file('application/pdf', { filename: 'c.x.pdf' })] },
    ],
    [
      'another blob',
      [blob('application/zip')],
      {},
      { type: 'text', value: '[Left out: resource a://b/c.x?d#e, application/zip, 3 bytes]' },
    ],
    [
      'a blob of no type',
      [blob()],
      {},
      { type: 'text', value: '[Left out: resource a://b/c.x?d#e, application/octet-stream, 3 bytes]' },
    ],
    [
      'audio',
      [{ type: 'audio', mimeType: 'audio/wav', data: bytes }],
      {},
      { type: 'text', value: '[Left out: audio, audio/wav, 3 bytes]' },
    ],
    [
      'a text resource',
      [{ type: 'resource', resource: { uri: 'a://b', text: 'hi' } }],
      {},
      { type: 'text', value: 'a://b:\nhi' },
    ],
    [
      'a link',
      [{ type: 'resource_link', uri: 'a://b', name: 'n', title: 'T', description: 'd' }],
      {},
      { type: 'text', value: 'T: a://b (d)' },
    ],
    [
      'an unknown block',
      [{ type: 'unknown', raw: { type: 'video' } as Json }],
      {},
      { type: 'text', value: '[Left out: content of type "video" that is not known here or could not be read]' },
    ],
    ['a failure', [text('no disk')], { isError: true }, { type: 'error-text', value: 'The tool "t" failed: no disk' }],
  ])('%s', (_, content, more, output) => {
    expect(told(content, more)).toEqual(output)
  })

  test('a failed call is told as its error’s text', () => {
    const outcome = new JsonRpcError('The server answered with error -1: no', { data: { rpcCode: -1 } })
    expect(toToolResult({ id: '7', name: 's__t' }, outcome)).toEqual({
      type: 'tool-result',
      toolCallId: '7',
      toolName: 's__t',
      output: { type: 'error-text', value: 'The server answered with error -1: no' },
    })
    expect(toToolResult({ id: '7', name: 't' }, new ToolError('x')).output).toEqual({ type: 'error-text', value: 'x' })
  })
})
