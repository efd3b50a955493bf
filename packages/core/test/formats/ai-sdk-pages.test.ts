/** Chats that a page keeps: the tools' results go to the page as JSON, and come back with the next request. */
import * as ai7 from 'ai'
import * as ai6 from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { describe, expect, test } from 'vitest'
import { toTools } from '../../src/formats/ai-sdk.js'
import type { CallToolResult, ContentBlock } from '../../src/protocol.js'
import type { ToolHandle } from '../../src/toolset/tools.js'
import { toolNamed } from '../fake-server.js'
import { aiSdkEndpoint } from './ai-sdk-endpoint.js'
import { base64, bytesOf, results } from './golden/blocks.js'
import { call, scripted } from './scripted-model.js'

const content: ContentBlock[] = [
  { type: 'text', text: 'Look:' },
  ...results.image.content,
  ...results['pdf blob'].content,
  ...results.audio.content,
]
const tool = (execute: ToolHandle['execute']): ToolHandle => ({
  ...{ name: 's__t', server: 's', title: 'T', description: '', tool: toolNamed('t'), findings: [], execute },
  hints: { readOnly: false, parallel: false, retry: false, destructive: true, openWorld: true },
})
const handles = [tool(async () => ({ content, findings: [] }))]

/** The first request runs the tool; what its answer tells the page, the page sends back with the second. */
interface Chat {
  firstAnswer(): Promise<Response>
  received(answer: Response): Promise<unknown>
  secondRequest(message: unknown, endpoint: ReturnType<typeof aiSdkEndpoint>): Promise<unknown>
}
const user = { id: 'u', role: 'user' as const, parts: [{ type: 'text' as const, text: 'go' }] }
const asking = { chatId: 'c', messageId: undefined, abortSignal: undefined, trigger: 'submit-message' as const }

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const chats: Record<string, Chat> = {
  'AI SDK 7': {
    async firstAnswer() {
      const { stream } = ai7.streamText({
        model: scripted([call('1', 's__t')]),
        prompt: 'go',
        tools: await toTools(handles),
      })
      return ai7.createUIMessageStreamResponse({ stream: ai7.toUIMessageStream({ stream }) })
    },
    async received(answer) {
      const transport = new ai7.DefaultChatTransport({ fetch: async () => answer })
      const stream = await transport.sendMessages({ messages: [user], ...asking })
      let last: ai7.UIMessage | undefined
      for await (const message of ai7.readUIMessageStream({ stream })) last = message
      return last
    },
    async secondRequest(message, { seven: model }) {
      const tools = await toTools(handles)
      const messages = await ai7.convertToModelMessages([user, message as ai7.UIMessage], { tools })
      return ai7.generateText({ model, messages, tools })
    },
  },
  'AI SDK 6': {
    async firstAnswer() {
      const model = new MockLanguageModelV3({
        doStream: async () => ({
          stream: ai6.simulateReadableStream({
            chunks: [
              { type: 'stream-start', warnings: [] },
              { type: 'tool-call', toolCallId: '1', toolName: 's__t', input: '{}' },
              { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage },
            ],
          }),
        }),
      })
      const tools = await toTools(handles, { version: 6 })
      return ai6.streamText({ model, prompt: 'go', tools }).toUIMessageStreamResponse()
    },
    async received(answer) {
      const transport = new ai6.DefaultChatTransport({ fetch: async () => answer })
      const stream = await transport.sendMessages({ messages: [user], ...asking })
      let last: ai6.UIMessage | undefined
      for await (const message of ai6.readUIMessageStream({ stream })) last = message
      return last
    },
    async secondRequest(message, { six: model }) {
      const tools = await toTools(handles, { version: 6 })
      const messages = await ai6.convertToModelMessages([user, message as ai6.UIMessage], { tools })
      return ai6.generateText({ model, messages, tools })
    },
  },
}

describe.each(Object.entries(chats))('a chat of %s', (_, { firstAnswer, received, secondRequest }) => {
  test('tells the model of the files, after they have been to the page and back', async () => {
    const endpoint = aiSdkEndpoint('done')
    const kept = JSON.parse(JSON.stringify(await received(await firstAnswer())))
    await secondRequest(kept, endpoint)

    const [, , answer] = endpoint.bodies[0]!.messages as { content: { content: unknown }[] }[]
    const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
    expect(answer?.content[0]?.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image', source: source('image/png', base64.png) },
      { type: 'document', source: source('application/pdf', base64.pdf) },
      { type: 'text', text: expect.stringContaining('audio/wav') },
    ])
  })

  test('gives the page base64 that it can show', async () => {
    const message = (await received(await firstAnswer())) as ai7.UIMessage
    const part = message.parts.find((each) => 'output' in each) as { output?: unknown } | undefined
    const output = part?.output as { content: [unknown, { data: string }, { resource: { blob: string } }] }
    const [, image, pdf] = output.content
    expect([image.data, pdf.resource.blob]).toEqual([base64.png, base64.pdf])
  })
})

describe('toModelOutput', () => {
  const told = async (output: unknown) => {
    const { s__t } = await toTools(handles)
    return s__t!.toModelOutput({ output: output as CallToolResult })
  }
  const run = async () => (await toTools(handles)).s__t!.execute({})

  test('says the same of a result, of its JSON, and of JSON that took the bytes for numbers', async () => {
    const result = await run()
    expect(result.content[1]).toEqual({ type: 'image', mimeType: 'image/png', data: bytesOf(base64.png) })
    const expected = await told(result)
    const mangled = JSON.parse(JSON.stringify({ content, findings: [] }))
    expect(mangled.content[1].data).toMatchObject({ 0: 0x89, 1: 0x50 })
    for (const output of [JSON.parse(JSON.stringify(result)), structuredClone(result), mangled])
      expect(await told(output)).toEqual(expected)
  })

  test('leaves the tool’s own result as it is', async () => {
    await run()
    expect(JSON.stringify(content[1])).toContain('"0":137')
  })

  test('keeps failures, structured content, and blocks that are not known', async () => {
    const through = (result: Partial<CallToolResult>) =>
      told(JSON.parse(JSON.stringify({ findings: [], content: [], ...result })))
    expect(await through({ isError: true, content: [{ type: 'text', text: 'no' }] })).toEqual({
      type: 'error-text',
      value: 'The tool "t" failed: no',
    })
    expect(await through({ structuredContent: { a: 1 } })).toEqual({ type: 'text', value: '{"a":1}' })
    expect(await through({ content: [{ type: 'unknown', raw: { type: 'video' } }] })).toEqual({
      type: 'text',
      value: expect.stringContaining('"video"'),
    })
  })

  test.each<[what: string, output: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'hi'],
    ['a list', [1]],
    ['content that is no list', { content: { 0: 'a' } }],
    ['blocks that are none', { content: [null, 1, 'a', [], {}] }],
    ['bytes that are none', { content: [{ type: 'image', mimeType: 'image/png', data: 7 }] }],
    ['an image of no type', { content: [{ type: 'image', data: { 0: 1 } }] }],
    ['an image of no text for a type', { content: [{ type: 'image', mimeType: 7, data: { 0: 1 } }] }],
    [
      'a file of no text for a type',
      { content: [{ type: 'resource', resource: { uri: 'a', mimeType: 7, blob: { 0: 1 } } }] },
    ],
    ['a resource that is none', { content: [{ type: 'resource', resource: 'a' }] }],
    ['a resource without address', { content: [{ type: 'resource', resource: { blob: { 0: 1 } } }] }],
    ['annotations that are none', { content: [{ type: 'text', text: 'a', annotations: null }] }],
  ])('of %s, which a page has made up, is text', async (_, output) => {
    expect(await told(output)).toMatchObject({ type: 'text', value: expect.any(String) })
  })
})
