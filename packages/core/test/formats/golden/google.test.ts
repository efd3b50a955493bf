/**
 * What Gemini is sent of each kind of result, through Google's SDK. Expected values: the documentation of a
 * `FunctionResponse` and of multimodal function responses.
 *
 * https://ai.google.dev/api/caching#FunctionResponse (`response`: "output" for the function's output, "error" for an
 * error; `parts` for what is no text) and https://ai.google.dev/gemini-api/docs/function-calling#multimodal (Gemini 3:
 * image/png, image/jpeg, image/webp, application/pdf, text/plain, as `inlineData`)
 */
import { GoogleGenAI } from '@google/genai'
import { describe, expect, test } from 'vitest'
import { type GoogleResultOptions, toToolResult } from '../../../src/formats/google.js'
import type { CallToolResult } from '../../../src/protocol.js'
import { googleReply, having, startModelEndpoint } from '../model-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'

const output = (text: unknown, ...files: { mimeType: string; data: string }[]) => ({
  response: { output: text },
  ...(files.length > 0 && { parts: files.map((inlineData) => ({ inlineData })) }),
})

/** What can't be sent is said in words: what it is, and how large. */
const leftOut = (...words: string[]) => output(expect.stringMatching(new RegExp(`^\\[.*${words.join('.*')}.*\\]$`)))

const golden: Record<Kind, object> = {
  text: output('It is sunny'),
  image: output('[File 1: image/png]', { mimeType: 'image/png', data: base64.png }),
  audio: leftOut('audio/wav', '46'),
  'text resource': output('file:///notes.md:\n# Notes'),
  'blob resource': leftOut('application/zip', '22'),
  'pdf blob': output('[File 1: application/pdf, file:///report.pdf]', {
    mimeType: 'application/pdf',
    data: base64.pdf,
  }),
  link: output('Oslo: https://weather.example/oslo (The weather in Oslo)'),
  structured: output('{"temperature":21.5,"sky":"clear"}'),
}

/** Of models before Gemini 3, which refuse `parts`. */
const withoutFiles: Record<Kind, object> = {
  ...golden,
  image: leftOut('image/png', '67'),
  'pdf blob': leftOut('file:///report.pdf', 'application/pdf', '125'),
}

async function sent(result: CallToolResult, options: GoogleResultOptions): Promise<unknown> {
  const endpoint = await startModelEndpoint(googleReply('done'))
  try {
    const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: endpoint.url } })
    const call = { id: 'call-1', name: 's__t', args: {} }
    await client.models.generateContent({
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: [{ functionCall: call }] },
        { role: 'user', parts: [toToolResult(call, result, options)] },
      ],
    })
  } finally {
    await endpoint.close()
  }
  return having(endpoint.bodies, 'functionResponse')[0]?.functionResponse
}

describe.each<[string, Record<Kind, object>, GoogleResultOptions]>([
  ['Gemini 3', golden, {}],
  ['Gemini before 3', withoutFiles, { files: false }],
])('to %s', (_, expected, options) => {
  test.each(kinds)('%s', async (kind) => {
    expect(await sent(results[kind], options)).toEqual({ id: 'call-1', name: 's__t', ...expected[kind] })
  })
})
