import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { toToolResult } from '../../../src/formats/anthropic.js'
import { messagesEndpoint } from '../anthropic-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'
import { label } from './label.js'

/**
 * A result's content is a string, or blocks of the types `text`, `image`, `document` and `search_result`. Images are
 * base64 of JPEG, PNG, GIF or WebP; a document of bytes is base64 of PDF. There is no block for audio.
 *
 * @see {@link https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls}
 * @see {@link https://platform.claude.com/docs/en/build-with-claude/vision}
 * @see {@link https://platform.claude.com/docs/en/build-with-claude/pdf-support}
 */
const expected: Record<Kind, unknown> = {
  text: 'It is sunny',
  image: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64.png } }],
  audio: label('audio/wav'),
  'text resource': 'file:///notes.md:\n# Notes',
  'blob resource': label('application/zip'),
  'pdf blob': [
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: base64.pdf },
      title: 'report.pdf',
    },
  ],
  link: 'Oslo: https://weather.example/oslo (The weather in Oslo)',
  structured: '{"temperature":21.5,"sky":"clear"}',
}
const labelled: Kind[] = ['audio', 'blob resource']

describe('what Messages is sent of a result', () => {
  test.each(kinds)('%s', async (kind) => {
    const losses: string[] = []
    const result: Anthropic.ToolResultBlockParam = toToolResult({ id: 'toolu_1', name: 's__get' }, results[kind], {
      onLoss: ({ reason }) => losses.push(reason),
    })
    const { anthropic, bodies } = messagesEndpoint('done')
    await anthropic.messages.create({
      model: 'scripted',
      max_tokens: 1,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 's__get', input: {} }] },
        { role: 'user', content: [result] },
      ],
    })
    const [, , told] = bodies[0]!.messages as { content: unknown }[]
    expect(told?.content).toEqual([{ type: 'tool_result', tool_use_id: 'toolu_1', content: expected[kind] }])
    expect(losses).toHaveLength(labelled.includes(kind) ? 1 : 0)
  })
})
