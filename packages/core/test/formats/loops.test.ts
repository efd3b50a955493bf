import { createAnthropic } from '@ai-sdk/anthropic'
import { createAnthropic as createAnthropic6 } from '@ai-sdk/anthropic6'
import { type Content, GoogleGenAI } from '@google/genai'
import { type ContractServer, startContractServer } from '@x/testkit'
import { generateText, type ModelMessage } from 'ai'
import { generateText as generateText6, type ModelMessage as ModelMessage6 } from 'ai6'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as aiSdk from '../../src/formats/ai-sdk.js'
import * as google from '../../src/formats/google.js'
import { createHost } from '../../src/in-process.js'
import type { JsonObject } from '../../src/protocol.js'
import type { Toolset } from '../../src/toolset/toolset.js'
import {
  anthropicReply,
  googleReply,
  having,
  type ModelEndpoint,
  type Step,
  startModelEndpoint,
} from './model-endpoint.js'

interface Loop {
  reply(step: Step): object
  /** Runs until the model has said something; lists the tools anew at each step. */
  run(toolset: Toolset, url: string, beforeStep: (step: number) => Promise<void>): Promise<string>
  /** The names that were offered in a request. */
  offered(body: JsonObject): string[]
  /** What the model was told of a call: its text, or its error's. */
  told(body: JsonObject, id: string): { text?: string; error?: string; images: number }
}

const anthropicBody: Pick<Loop, 'reply' | 'offered' | 'told'> = {
  reply: anthropicReply,
  offered: ({ tools }) => having(tools, 'input_schema').map(({ name }) => String(name)),
  told(body, id) {
    const found = having(body, 'tool_use_id').find((each) => each.tool_use_id === id)
    const { content, is_error } = found as { content: string | JsonObject[]; is_error?: boolean }
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as JsonObject] : content
    const text = blocks.map((block) => block.text ?? '').join('')
    return {
      ...(is_error ? { error: text } : { text }),
      images: blocks.filter(({ type }) => type === 'image').length,
    }
  },
}

const loops: Record<string, Loop> = {
  'AI SDK 7': {
    ...anthropicBody,
    async run(toolset, baseURL, beforeStep) {
      const model = createAnthropic({ baseURL, apiKey: 'key' })('claude-sonnet-4-5')
      const messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
      for (let step = 0; ; step++) {
        await beforeStep(step)
        const tools = await aiSdk.toTools(toolset)
        const { text, responseMessages, finishReason } = await generateText({ model, messages, tools, maxRetries: 0 })
        if (finishReason !== 'tool-calls') return text
        messages.push(...responseMessages)
      }
    },
  },
  'AI SDK 6': {
    ...anthropicBody,
    async run(toolset, baseURL, beforeStep) {
      const model = createAnthropic6({ baseURL, apiKey: 'key' })('claude-sonnet-4-5')
      const messages: ModelMessage6[] = [{ role: 'user', content: 'go' }]
      for (let step = 0; ; step++) {
        await beforeStep(step)
        const tools = await aiSdk.toTools(toolset, { version: 6 })
        const { text, response, finishReason } = await generateText6({ model, messages, tools, maxRetries: 0 })
        if (finishReason !== 'tool-calls') return text
        messages.push(...response.messages)
      }
    },
  },
  Gemini: {
    reply: googleReply,
    offered: ({ tools }) => having(tools, 'parametersJsonSchema').map(({ name }) => String(name)),
    told(body, id) {
      const responses = having(body, 'functionResponse').map((part) => part.functionResponse as JsonObject)
      const { response, parts = [] } = responses.find((each) => each.id === id) as {
        response: { output?: string; error?: string }
        parts?: unknown[]
      }
      const { output, error } = response
      return { ...(error === undefined ? { text: output ?? '' } : { error }), images: parts.length }
    },
    async run(toolset, baseUrl, beforeStep) {
      const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl } })
      const contents: Content[] = [{ role: 'user', parts: [{ text: 'go' }] }]
      for (let step = 0; ; step++) {
        await beforeStep(step)
        const tools = await google.toTools(toolset)
        const answer = await client.models.generateContent({
          model: 'gemini-3-pro',
          contents,
          config: { tools },
        })
        const { functionCalls, candidates } = answer
        if (!functionCalls) return answer.text ?? ''
        const parts = await Promise.all(functionCalls.map((call) => google.runToolCall(toolset, call)))
        contents.push(candidates![0]!.content!, { role: 'user', parts })
      }
    },
  },
}

let server: ContractServer
let dying: ContractServer
let endpoint: ModelEndpoint | undefined
const host = createHost()
beforeEach(async () => {
  ;[server, dying] = await Promise.all([startContractServer(), startContractServer()])
})
afterEach(async () => {
  await host.close()
  await Promise.all([server.close(), dying.close(), endpoint?.close()])
})

describe.each(Object.entries(loops))('a loop of %s', (_, { reply, run, offered, told }) => {
  test.each(['modern', 'legacy'])('goes on after failures, over %s', async (era) => {
    const own = createHost()
    const toolset = await own.connectAll({ s: `${server.url}/${era}/mcp`, d: `${dying.url}/${era}/mcp` })
    const script: Step[] = [
      [
        { id: '1', name: 's__echo', args: { text: 'hi' } },
        { id: '2', name: 's__fail' },
        { id: '3', name: 's__content' },
        { id: '4', name: 'd__echo', args: { text: 'alive' } },
      ],
      [
        { id: '5', name: 'd__echo', args: { text: 'dead' } },
        { id: '6', name: 's__echo', args: { text: 'still here' } },
      ],
      [{ id: '7', name: 'd__echo', args: { text: 'gone' } }],
      'done',
    ]
    endpoint = await startModelEndpoint(...script.map(reply))
    const text = await run(toolset, endpoint.url, async (step) => {
      if (step === 1) await dying.close()
      if (step === 2) await toolset.remove('d')
      if (step === 3) await toolset.add('late', `${server.url}/${era}/mcp`)
    })
    expect(text).toBe('done')

    const [, second, third, last] = endpoint.bodies as [JsonObject, JsonObject, JsonObject, JsonObject]
    expect(told(second, '1')).toEqual({ text: 'hi', images: 0 })
    expect(told(second, '2')).toEqual({ error: 'The tool "fail" failed: the disk is full', images: 0 })
    expect(told(second, '3').images).toBe(1)
    expect(told(second, '4')).toEqual({ text: 'alive', images: 0 })
    expect(told(third, '5')).toEqual({ error: expect.stringContaining('The network failed'), images: 0 })
    expect(told(third, '6')).toEqual({ text: 'still here', images: 0 })
    expect(told(last, '7')).toEqual({ error: expect.stringContaining('d__echo'), images: 0 })

    // Current at each step.
    const starting = (prefix: string) =>
      endpoint!.bodies.map((body) => offered(body).filter((n) => n.startsWith(prefix)))
    expect(starting('d__').map(({ length }) => length > 0)).toEqual([true, true, false, false])
    expect(starting('late__').map(({ length }) => length > 0)).toEqual([false, false, false, true])
    await own.close()
  })
})
