/**
 * What a model of Anthropic's is sent of each kind of result through the AI SDK, whose own parts are the way and not the
 * end. Expected values: what Anthropic's documentation gives for a `tool_result`.
 *
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use (`content`: text, or blocks of `text`,
 * `image` and `document`), https://platform.claude.com/docs/en/build-with-claude/vision (base64 images) and
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support (base64 documents). How the parts of a result are
 * written: https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#multi-modal-tool-results
 */
import { generateText, type ToolModelMessage } from 'ai'
import { generateText as generateText6, type ToolModelMessage as ToolModelMessage6 } from 'ai6'
import { describe, expect, test } from 'vitest'
import { type AiResultOptions, toToolResult } from '../../../src/formats/ai-sdk.js'
import type { CallToolResult } from '../../../src/protocol.js'
import { aiSdkEndpoint } from '../ai-sdk-endpoint.js'
import type { ScriptedEndpoint } from '../scripted-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'
import { label } from './label.js'

const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data })

const golden: Record<Kind, unknown> = {
  text: 'It is sunny',
  image: [{ type: 'image', source: source('image/png', base64.png) }],
  audio: label('audio/wav'),
  'text resource': 'file:///notes.md:\n# Notes',
  'blob resource': label('application/zip'),
  'pdf blob': [{ type: 'document', source: source('application/pdf', base64.pdf) }],
  link: 'Oslo: https://weather.example/oslo (The weather in Oslo)',
  structured: '{"temperature":21.5,"sky":"clear"}',
}

const labelled: Kind[] = ['audio', 'blob resource']

const user = { role: 'user' as const, content: 'go' }
const assistant = {
  role: 'assistant' as const,
  content: [{ type: 'tool-call' as const, toolCallId: 'toolu_1', toolName: 's__t', input: {} }],
}
const call = { id: 'toolu_1', name: 's__t' }

type Send = (result: CallToolResult, options: Pick<AiResultOptions, 'onLoss'>) => Promise<ScriptedEndpoint>
const versions: Record<string, Send> = {
  async 7(result, options) {
    const answer: ToolModelMessage = { role: 'tool', content: [toToolResult(call, result, options)] }
    const endpoint = aiSdkEndpoint('done')
    await generateText({ model: endpoint.seven, messages: [user, assistant, answer] })
    return endpoint
  },
  async 6(result, options) {
    const answer: ToolModelMessage6 = {
      role: 'tool',
      content: [toToolResult(call, result, { version: 6, ...options })],
    }
    const endpoint = aiSdkEndpoint('done')
    await generateText6({ model: endpoint.six, messages: [user, assistant, answer] })
    return endpoint
  },
}

describe.each(Object.entries(versions))('what Messages is sent of a result through the AI SDK %s', (_, send) => {
  test.each(kinds)('%s', async (kind) => {
    const losses: string[] = []
    const { bodies } = await send(results[kind], { onLoss: ({ reason }) => losses.push(reason) })
    const [, , told] = bodies[0]!.messages as { content: unknown }[]
    expect(told?.content).toEqual([{ type: 'tool_result', tool_use_id: 'toolu_1', content: golden[kind] }])
    expect(losses).toHaveLength(labelled.includes(kind) ? 1 : 0)
  })
})
