import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { toToolResult } from '../../../src/formats/openai.js'
import { chatEndpoint } from '../openai-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'
import { label } from './label.js'

/**
 * The content of a tool's message is a string, or parts of type `text` and no other.
 *
 * @see {@link https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create}
 *   `ChatCompletionToolMessageParam`
 */
const expected: Record<Kind, unknown> = {
  text: 'It is sunny',
  image: label('image/png'),
  audio: label('audio/wav'),
  'text resource': 'file:///notes.md:\n# Notes',
  'blob resource': label('application/zip'),
  'pdf blob': label('application/pdf'),
  link: 'Oslo: https://weather.example/oslo (The weather in Oslo)',
  structured: '{"temperature":21.5,"sky":"clear"}',
}

describe('what Chat Completions is sent of a result', () => {
  test.each(kinds)('%s', async (kind) => {
    const losses: string[] = []
    const call: OpenAI.ChatCompletionMessageToolCall = {
      id: 'call_1',
      type: 'function',
      function: { name: 's__get', arguments: '{}' },
    }
    const message: OpenAI.ChatCompletionToolMessageParam = toToolResult(
      { id: call.id, name: call.function.name },
      results[kind],
      { onLoss: ({ reason }) => losses.push(reason) },
    )
    const { openai, bodies } = chatEndpoint('done')
    await openai.chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: 'go' }, { role: 'assistant', tool_calls: [call] }, message],
    })
    const body = bodies[0]!
    expect((body.messages as unknown[])[2]).toEqual({ role: 'tool', tool_call_id: 'call_1', content: expected[kind] })
    expect(losses).toHaveLength(typeof expected[kind] === 'string' ? 0 : 1)
    for (const data of Object.values(base64)) expect(JSON.stringify(body)).not.toContain(data)
  })
})
