import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { toToolResult } from '../../../src/formats/openai.js'
import { responsesEndpoint } from '../openai-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'
import { label } from './label.js'

/**
 * A function's output is a string, or "an array of image or file objects". Images are PNG, JPEG, WebP or GIF; files are
 * of the listed types, among them PDF and not ZIP, with a name and a data URL. There is no part for audio.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/function-calling#handling-function-calls}
 * @see {@link https://developers.openai.com/api/docs/guides/images-vision#image-input-requirements}
 * @see {@link https://developers.openai.com/api/docs/guides/file-inputs#base64-encoded-files}
 */
const expected: Record<Kind, unknown> = {
  text: 'It is sunny',
  image: [{ type: 'input_image', image_url: `data:image/png;base64,${base64.png}`, detail: 'auto' }],
  audio: label('audio/wav'),
  'text resource': 'file:///notes.md:\n# Notes',
  'blob resource': label('application/zip'),
  'pdf blob': [{ type: 'input_file', filename: 'report.pdf', file_data: `data:application/pdf;base64,${base64.pdf}` }],
  link: 'Oslo: https://weather.example/oslo (The weather in Oslo)',
  structured: '{"temperature":21.5,"sky":"clear"}',
}
const labelled: Kind[] = ['audio', 'blob resource']

describe('what Responses is sent of a result', () => {
  test.each(kinds)('%s', async (kind) => {
    const losses: string[] = []
    const output: OpenAI.Responses.ResponseInputItem.FunctionCallOutput = toToolResult(
      { id: 'call_1', name: 's__get' },
      results[kind],
      { api: 'responses', onLoss: ({ reason }) => losses.push(reason) },
    )
    const { openai, bodies } = responsesEndpoint('done')
    await openai.responses.create({
      model: 'scripted',
      input: [{ type: 'function_call', call_id: 'call_1', name: 's__get', arguments: '{}' }, output],
    })
    expect((bodies[0]!.input as unknown[])[1]).toEqual({
      type: 'function_call_output',
      call_id: 'call_1',
      output: expected[kind],
    })
    expect(losses).toHaveLength(labelled.includes(kind) ? 1 : 0)
  })
})
