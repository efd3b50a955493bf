import { describe, expect, test } from 'vitest'
import { decodeSampling, encodeSampling } from '../../src/content/sampling.js'
import type { Finding, JsonObject } from '../../src/protocol.js'

const bytes = new Uint8Array([1, 2, 3])
const base64 = 'AQID'

const decode = (params: object) => {
  const findings: Finding[] = []
  return { decoded: decodeSampling(params as JsonObject, findings), findings }
}

const toolUse = { type: 'tool_use', id: 'u1', name: 'weather', input: { city: 'Oslo' } }
const toolResult = (content: object[]) => ({
  type: 'tool_result',
  toolUseId: 'u1',
  content,
  structuredContent: { c: 18 },
})

describe('a request', () => {
  test('has bytes where the wire has base64, in tools’ results too', () => {
    const image = { type: 'image', mimeType: 'image/png', data: base64 }
    const { decoded, findings } = decode({
      messages: [
        { role: 'user', content: image },
        { role: 'assistant', content: [{ type: 'text', text: 'look' }, toolUse] },
        { role: 'user', content: [toolResult([{ ...image, type: 'audio' }])], _meta: { a: 1 } },
      ],
      maxTokens: 5,
    })
    expect(decoded).toEqual({
      messages: [
        { role: 'user', content: { ...image, data: bytes } },
        { role: 'assistant', content: [{ type: 'text', text: 'look' }, toolUse] },
        { role: 'user', content: [toolResult([{ ...image, type: 'audio', data: bytes }])], _meta: { a: 1 } },
      ],
      maxTokens: 5,
    })
    expect(findings).toEqual([])
  })

  test('keeps all that the protocol has for it, and nothing else', () => {
    const members = {
      systemPrompt: 'Be kind.',
      temperature: 0,
      stopSequences: ['.'],
      modelPreferences: { hints: [{ name: 'small' }] },
      includeContext: 'none',
      metadata: { a: 1 },
      tools: [{ name: 'weather', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
      _meta: { 'a/b': 1 },
    }
    const params = { messages: [], maxTokens: 1, ...members }
    expect(decode({ ...params, server: 'forged', tool: 'forged' }).decoded).toEqual(params)
  })

  test('is the better for losing members of a wrong type', () => {
    const wrong = {
      systemPrompt: 1,
      temperature: 'hot',
      stopSequences: [1],
      tools: [{ name: 1 }],
      toolChoice: null,
      _meta: [],
    }
    expect(decode({ messages: [], maxTokens: 1, ...wrong }).decoded).toEqual({ messages: [], maxTokens: 1 })
  })

  test('keeps content that can’t be decoded as it came, and tells', () => {
    const odd = { type: 'hologram', data: 1 }
    const { decoded, findings } = decode({ messages: [{ role: 'user', content: [odd] }], maxTokens: 1 })
    expect(decoded?.messages[0]?.content).toEqual([{ type: 'unknown', raw: odd }])
    expect(findings).toMatchObject([{ code: 'unknown-content', path: '/messages/0/content/0' }])
  })

  test.each([
    ['no messages', { maxTokens: 1 }],
    ['messages that are no list', { messages: {}, maxTokens: 1 }],
    ['a message of another role', { messages: [{ role: 'system', content: [] }], maxTokens: 1 }],
    ['a message without content', { messages: [{ role: 'user' }], maxTokens: 1 }],
    ['a message that is none', { messages: [null], maxTokens: 1 }],
    ['no maxTokens', { messages: [] }],
  ])('with %s is none', (_what, params) => {
    expect(decode(params).decoded).toBeUndefined()
  })
})

describe('an answer', () => {
  test.each<[string, object, object]>([
    ['text', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    [
      'an image',
      { type: 'image', mimeType: 'image/png', data: bytes },
      { type: 'image', mimeType: 'image/png', data: base64 },
    ],
    [
      'audio, of which it is a part of a larger buffer',
      { type: 'audio', mimeType: 'audio/wav', data: new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 4) },
      { type: 'audio', mimeType: 'audio/wav', data: base64 },
    ],
    ['a tool’s use', toolUse, toolUse],
    [
      'a tool’s result',
      toolResult([{ type: 'resource', resource: { uri: 'a:b', blob: bytes } }]),
      toolResult([{ type: 'resource', resource: { uri: 'a:b', blob: base64 } }]),
    ],
    ['a block that came as it is', { type: 'unknown', raw: { type: 'hologram' } }, { type: 'hologram' }],
  ])('of %s goes as the wire wants it, alone or as one of several', (_what, block, sent) => {
    expect(encodeSampling(block)).toEqual(sent)
    const text = { type: 'text', text: 'b' }
    expect(encodeSampling([block, text])).toEqual([sent, text])
  })

  test('of one block in a list goes as that block: earlier revisions know no list', () => {
    expect(encodeSampling([{ type: 'text', text: 'a' }])).toEqual({ type: 'text', text: 'a' })
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'text'],
    ['an empty list', []],
    ['text without text', { type: 'text' }],
    ['an image in base64', { type: 'image', mimeType: 'image/png', data: base64 }],
    ['an image without a type', { type: 'image', data: bytes }],
    ['a block of no known type', { type: 'hologram' }],
    ['a tool’s use without an id', { ...toolUse, id: undefined }],
    ['a tool’s result with such content', toolResult([{ type: 'text' }])],
    ['a tool’s result without content', { type: 'tool_result', toolUseId: 'u1' }],
    ['a good block beside a bad one', [{ type: 'text', text: 'a' }, null]],
  ])('of %s is none', (_what, content) => {
    expect(encodeSampling(content)).toBeUndefined()
  })
})
