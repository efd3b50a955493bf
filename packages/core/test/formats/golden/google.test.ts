/**
 * What Gemini is sent of each kind of result, through Google's SDK. Expected values: the documentation of a
 * `FunctionResponse` and of multimodal function responses.
 *
 * https://ai.google.dev/api/caching#FunctionResponse (`response`: "output" for the function's output, "error" for an
 * error; `parts` for what is no text) and https://ai.google.dev/gemini-api/docs/function-calling#multimodal (Gemini 3:
 * image/png, image/jpeg, image/webp, application/pdf, text/plain, as `inlineData`)
 */
import { describe, expect, test } from 'vitest'
import { type GoogleResultOptions, toToolResult } from '../../../src/formats/google.js'
import type { CallToolResult } from '../../../src/protocol.js'
import { startGeminiEndpoint } from '../google-endpoint.js'
import { base64, type Kind, kinds, results } from './blocks.js'
import { label } from './label.js'

const output = (text: unknown, ...files: { mimeType: string; data: string }[]) => ({
  response: { output: text },
  ...(files.length > 0 && { parts: files.map((inlineData) => ({ inlineData })) }),
})

const golden: Record<Kind, object> = {
  text: output('It is sunny'),
  image: output('[File 1: image/png]', { mimeType: 'image/png', data: base64.png }),
  audio: output(label('audio/wav')),
  'text resource': output('file:///notes.md:\n# Notes'),
  'blob resource': output(label('application/zip')),
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
  image: output(label('image/png')),
  'pdf blob': output(label('application/pdf')),
}

async function sent(result: CallToolResult, options: GoogleResultOptions): Promise<unknown> {
  const { bodies, gemini, close } = await startGeminiEndpoint('done')
  const call = { id: 'call-1', name: 's__t', args: {} }
  const contents = [
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ functionCall: call }] },
    { role: 'user', parts: [toToolResult(call, result, options)] },
  ]
  await gemini.models.generateContent({ model: 'gemini-3-pro', contents }).finally(close)
  return (bodies[0]!.contents as unknown[])[2]
}

describe.each<[string, Record<Kind, object>, GoogleResultOptions, labelled: Kind[]]>([
  ['3', golden, {}, ['audio', 'blob resource']],
  ['before 3', withoutFiles, { files: false }, ['audio', 'blob resource', 'image', 'pdf blob']],
])('what Gemini %s is sent of a result', (_, expected, options, labelled) => {
  test.each(kinds)('%s', async (kind) => {
    const losses: string[] = []
    const told = await sent(results[kind], { ...options, onLoss: ({ reason }) => losses.push(reason) })
    const functionResponse = { id: 'call-1', name: 's__t', ...expected[kind] }
    expect(told).toEqual({ role: 'user', parts: [{ functionResponse }] })
    expect(losses).toHaveLength(labelled.includes(kind) ? 1 : 0)
  })
})
