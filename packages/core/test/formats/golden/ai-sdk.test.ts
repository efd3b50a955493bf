/**
 * What a model of Anthropic's is sent of each kind of result through the AI SDK, whose own parts are the way and not the
 * end. Expected values: what Anthropic's documentation gives for a `tool_result`.
 *
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use (`content`: text, or blocks of `text`,
 * `image` and `document`), https://platform.claude.com/docs/en/build-with-claude/vision (base64 images) and
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support (base64 documents). How the parts of a result are
 * written: https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#multi-modal-tool-results
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createAnthropic as createAnthropic6 } from '@ai-sdk/anthropic6'
import { generateText, type ToolModelMessage } from 'ai'
import { generateText as generateText6, type ToolModelMessage as ToolModelMessage6 } from 'ai6'
import { describe, expect, test } from 'vitest'
import { toToolResult } from '../../../src/formats/ai-sdk.js'
import type { CallToolResult } from '../../../src/protocol.js'
import { anthropicReply, having, startModelEndpoint } from '../model-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'

const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data })

/** What this provider can't be sent is said in words: what it is, and how large. */
const leftOut = (...words: string[]) => expect.stringMatching(new RegExp(`^\\[.*${words.join('.*')}.*\\]$`))

const golden: Record<Kind, unknown> = {
  text: 'It is sunny',
  image: [{ type: 'image', source: source('image/png', base64.png) }],
  audio: leftOut('audio/wav', '46'),
  'text resource': 'file:///notes.md:\n# Notes',
  'blob resource': leftOut('application/zip', '22'),
  'pdf blob': [{ type: 'document', source: source('application/pdf', base64.pdf) }],
  link: 'Oslo: https://weather.example/oslo (The weather in Oslo)',
  structured: '{"temperature":21.5,"sky":"clear"}',
}

const user = { role: 'user' as const, content: 'go' }
const assistant = {
  role: 'assistant' as const,
  content: [{ type: 'tool-call' as const, toolCallId: 'toolu_1', toolName: 's__t', input: {} }],
}
const call = { id: 'toolu_1', name: 's__t' }
const provider = { apiKey: 'key', model: 'claude-sonnet-4-5' as const }

const versions: Record<string, (result: CallToolResult, baseURL: string) => Promise<unknown>> = {
  async 7(result, baseURL) {
    const answer: ToolModelMessage = { role: 'tool', content: [toToolResult(call, result)] }
    const model = createAnthropic({ baseURL, apiKey: provider.apiKey })(provider.model)
    return generateText({ model, messages: [user, assistant, answer], maxRetries: 0 })
  },
  async 6(result, baseURL) {
    const answer: ToolModelMessage6 = { role: 'tool', content: [toToolResult(call, result, { version: 6 })] }
    const model = createAnthropic6({ baseURL, apiKey: provider.apiKey })(provider.model)
    return generateText6({ model, messages: [user, assistant, answer], maxRetries: 0 })
  },
}

describe.each(Object.entries(versions))('through the AI SDK %s', (_, send) => {
  test.each(kinds)('%s', async (kind) => {
    const endpoint = await startModelEndpoint(anthropicReply('done'))
    try {
      await send(results[kind], endpoint.url)
    } finally {
      await endpoint.close()
    }
    const [sent] = having(endpoint.bodies, 'tool_use_id')
    expect(sent).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_1' })
    expect(sent!.content).toEqual(golden[kind])
    if (typeof sent!.content === 'string')
      for (const data of Object.values(base64)) expect(sent!.content).not.toContain(data)
  })
})
