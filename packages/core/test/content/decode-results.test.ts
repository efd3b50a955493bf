import { describe, expect, test } from 'vitest'
import { decodeCallToolResult, decodeGetPromptResult, decodeReadResourceResult } from '../../src/content/decode.js'
import type { Finding, Json } from '../../src/protocol.js'

const foobar = new TextEncoder().encode('foobar')
const base64 = 'Zm9vYmFy'
const codesOf = (findings: Finding[]) => findings.map(({ code, path }) => [code, path])

describe('a tool’s result', () => {
  test('keeps structured content as it is, null and false among it', () => {
    for (const structuredContent of [null, false, 0, '', [], { a: { data: 'Zg==' } }])
      expect(decodeCallToolResult({ content: [], structuredContent })).toEqual({
        content: [],
        structuredContent,
        findings: [],
      })
  })

  test.each<[isError: Json, failed: boolean, reported: boolean]>([
    [true, true, false],
    [false, false, false],
    [null, false, false],
    ['true', true, true],
    [1, true, true],
    ['false', false, true],
    [0, false, true],
    [{}, false, true],
  ])('with isError %j: failed is %s', (isError, failed, reported) => {
    const decoded = decodeCallToolResult({ content: [], isError })
    expect(decoded.isError).toBe(failed ? true : undefined)
    expect('isError' in decoded).toBe(failed)
    expect(codesOf(decoded.findings)).toEqual(reported ? [['mended-content', '/isError']] : [])
  })

  test('may have no content', () => {
    expect(decodeCallToolResult({ structuredContent: { a: 1 } })).toEqual({
      content: [],
      structuredContent: { a: 1 },
      findings: [],
    })
  })

  const hi = { type: 'text', text: 'hi' }
  test.each<[what: string, content: Json, decoded: Json]>([
    ['text', 'hi', [hi]],
    ['a block', hi, [hi]],
    ['null', null, []],
    ['a number', 5, [{ type: 'unknown', raw: 5 }]],
  ])('content that is %s instead of a list is mended and reported', (_, content, decoded) => {
    const result = decodeCallToolResult({ content })
    expect(result.content).toEqual(decoded)
    expect(codesOf(result.findings)[0]).toEqual(['mended-content', '/content'])
  })

  test('keeps _meta, and drops the fields of the protocol', () => {
    expect(decodeCallToolResult({ content: [], _meta: { a: 1 }, resultType: 'complete' })).toEqual({
      content: [],
      findings: [],
      _meta: { a: 1 },
    })
  })

  test('a field called __proto__ is only a field', () => {
    const raw = JSON.parse('{"content":[{"type":"resource","__proto__":{"x":1},"resource":{"uri":"a:b","text":"t"}}]}')
    const [block] = decodeCallToolResult(raw).content
    expect(Object.getPrototypeOf(block)).toBe(Object.prototype)
    expect(Object.keys(block!)).toContain('__proto__')
  })
})

describe('a resource’s contents', () => {
  test('are texts and bytes; what is neither is left out and reported', () => {
    const text = { uri: 'a://1', mimeType: 'text/plain', text: 'hi' }
    const { contents, findings } = decodeReadResourceResult({
      contents: [text, { uri: 'a://2' }, { uri: 'a://3', blob: base64 }, { text: 'no uri' }, null],
      ttlMs: 1,
    })
    expect(contents).toEqual([text, { uri: 'a://3', blob: foobar }])
    expect(codesOf(findings)).toEqual([
      ['malformed-content', '/contents/1'],
      ['malformed-content', '/contents/3'],
      ['malformed-content', '/contents/4'],
    ])
  })

  test('text wins where there are both', () => {
    const { contents } = decodeReadResourceResult({ contents: [{ uri: 'a://1', text: 'hi', blob: base64 }] })
    expect(contents).toEqual([{ uri: 'a://1', text: 'hi' }])
  })

  test('contents that are no list are read as one, and reported', () => {
    const { contents, findings } = decodeReadResourceResult({ contents: { uri: 'a://1', text: 'hi' } })
    expect(contents).toEqual([{ uri: 'a://1', text: 'hi' }])
    expect(codesOf(findings)).toEqual([['mended-content', '/contents']])
  })

  test('a URL where base64 belongs is not fetched: the part is left out and reported', () => {
    const { contents, findings } = decodeReadResourceResult({ contents: [{ uri: 'a://1', blob: 'https://x/y.png' }] })
    expect(contents).toEqual([])
    expect(codesOf(findings)).toEqual([['malformed-content', '/contents/0']])
  })
})

describe('a prompt', () => {
  test('has its messages’ content decoded', () => {
    const raw = {
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: 'hi' } },
        { role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: base64 } },
      ],
    }
    expect(decodeGetPromptResult(raw)).toEqual({
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: 'hi' } },
        { role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: foobar } },
      ],
      findings: [],
    })
  })

  test('a malformed message is kept and reported', () => {
    const { messages, findings } = decodeGetPromptResult({ messages: [{ role: 'system', content: [] }, null] })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'unknown', raw: [] } },
      { role: 'user', content: { type: 'unknown', raw: null } },
    ])
    expect(codesOf(findings)).toEqual([
      ['unknown-content', '/messages/0/content'],
      ['unknown-content', '/messages/1/content'],
    ])
  })
})
