import { describe, expect, test } from 'vitest'
import { decodeCallToolResult } from '../../src/content/decode.js'
import type { Finding, Json, JsonObject } from '../../src/protocol.js'

const foobar = new TextEncoder().encode('foobar')
const base64 = 'Zm9vYmFy'

const decodeBlock = (block: Json) => {
  const { content, findings } = decodeCallToolResult({ content: [block] })
  expect(content).toHaveLength(1)
  return { block: content[0], findings }
}
const codesOf = (findings: Finding[]) => findings.map(({ code, path }) => [code, path])

describe('each kind of block', () => {
  const extras = { annotations: { audience: ['user'], priority: 0.5 }, _meta: { 'a/b': 1 }, later: 'field' }

  test.each<[kind: string, raw: JsonObject, decoded: object]>([
    ['text', { type: 'text', text: 'hi' }, { type: 'text', text: 'hi' }],
    ['empty text', { type: 'text', text: '' }, { type: 'text', text: '' }],
    [
      'image',
      { type: 'image', mimeType: 'image/png', data: base64 },
      { type: 'image', mimeType: 'image/png', data: foobar },
    ],
    [
      'audio',
      { type: 'audio', mimeType: 'audio/wav', data: base64 },
      { type: 'audio', mimeType: 'audio/wav', data: foobar },
    ],
    [
      'an image of no bytes',
      { type: 'image', mimeType: 'image/png', data: '' },
      { type: 'image', mimeType: 'image/png', data: new Uint8Array() },
    ],
    [
      'resource link',
      { type: 'resource_link', uri: 'a://b', name: 'b', size: 3 },
      { type: 'resource_link', uri: 'a://b', name: 'b', size: 3 },
    ],
    [
      'text resource',
      { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'hi', _meta: { m: 1 } } },
      { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'hi', _meta: { m: 1 } } },
    ],
    [
      'blob resource',
      { type: 'resource', resource: { uri: 'a://b', blob: base64 } },
      { type: 'resource', resource: { uri: 'a://b', blob: foobar } },
    ],
  ])('%s', (_, raw, decoded) => {
    const before = structuredClone(raw)
    expect(decodeBlock(raw)).toEqual({ block: decoded, findings: [] })
    expect(decodeBlock({ ...raw, ...extras })).toEqual({ block: { ...decoded, ...extras }, findings: [] })
    expect(raw).toEqual(before)
  })

  test('bytes are the caller’s: one buffer for each, of their length', () => {
    const image = { type: 'image', mimeType: 'image/png', data: base64 }
    const { content } = decodeCallToolResult({ content: [image, image] })
    const [first, second] = content.map((block) => (block.type === 'image' ? block.data : undefined))
    expect([first!.byteOffset, first!.buffer.byteLength]).toEqual([0, 6])
    first!.fill(0)
    expect(second).toEqual(foobar)
  })
})

describe('a malformed block is kept as it came, and reported', () => {
  test.each<[what: string, raw: Json, code: string]>([
    ['text without text', { type: 'text' }, 'malformed-content'],
    ['text that is a number', { type: 'text', text: 5 }, 'malformed-content'],
    ['an image without data', { type: 'image', mimeType: 'image/png' }, 'malformed-content'],
    ['an image of broken base64', { type: 'image', mimeType: 'image/png', data: '!' }, 'malformed-content'],
    ['audio of broken base64', { type: 'audio', mimeType: 'audio/wav', data: 'Z' }, 'malformed-content'],
    ['a link without a uri', { type: 'resource_link', name: 'n' }, 'malformed-content'],
    ['a resource without content', { type: 'resource', resource: { uri: 'a://b' } }, 'malformed-content'],
    ['a resource without a uri', { type: 'resource', resource: { text: 'hi' } }, 'malformed-content'],
    ['a resource of broken base64', { type: 'resource', resource: { uri: 'a://b', blob: '*' } }, 'malformed-content'],
    ['a resource that is null', { type: 'resource', resource: null }, 'malformed-content'],
    ['a block of a later revision', { type: 'video', data: base64 }, 'unknown-content'],
    ['a block without a type', { text: 'hi' }, 'unknown-content'],
    ['a block of a type that every object has', { type: 'constructor' }, 'unknown-content'],
    ['null', null, 'unknown-content'],
    ['a string', 'hi', 'unknown-content'],
    ['a list', [{ type: 'text', text: 'hi' }], 'unknown-content'],
  ])('%s', (_, raw, code) => {
    const { block, findings } = decodeBlock(raw)
    expect(block).toEqual({ type: 'unknown', raw })
    expect(codesOf(findings)).toEqual([[code, '/content/0']])
  })

  test('the others stay, and the path says which it was', () => {
    const good = { type: 'text', text: 'hi' }
    const { content, findings } = decodeCallToolResult({ content: [good, { type: 'image' }, good] })
    expect(content.map(({ type }) => type)).toEqual(['text', 'unknown', 'text'])
    expect(codesOf(findings)).toEqual([['malformed-content', '/content/1']])
  })

  test('a type may be of any depth', () => {
    const type = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as Json
    const { block, findings } = decodeBlock({ type })
    expect(block?.type).toBe('unknown')
    expect(codesOf(findings)).toEqual([['unknown-content', '/content/0']])
  })

  test('the report does not repeat a type of any length', () => {
    const { findings } = decodeBlock({ type: 'x'.repeat(100_000) })
    expect(findings[0]!.message.length).toBeLessThan(200)
  })
})

describe('what can be mended', () => {
  test('a link without a name is called by its uri', () => {
    const { block, findings } = decodeBlock({ type: 'resource_link', uri: 'a://b', name: null })
    expect(block).toEqual({ type: 'resource_link', uri: 'a://b', name: 'a://b' })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0']])
  })

  test('members of a link that should be text and are not are dropped', () => {
    const { block } = decodeBlock({ type: 'resource_link', uri: 'a://b', name: 'b', title: {}, mimeType: null })
    expect(block).toEqual({ type: 'resource_link', uri: 'a://b', name: 'b' })
  })

  test('a mimeType that is null is none', () => {
    const { block, findings } = decodeBlock({ type: 'resource', resource: { uri: 'a://b', mimeType: null, text: '' } })
    expect(block).toEqual({ type: 'resource', resource: { uri: 'a://b', text: '' } })
    expect(findings).toEqual([])
  })
})

describe('binary content', () => {
  const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
  const encoded = (text: string) => btoa(text)
  const png = '\x89PNG\r\n\x1a\n...'
  const jpeg = '\xff\xd8\xff\xe0...'
  const pdf = '%PDF-1.7...'
  const wav = 'RIFF....WAVEfmt '

  // The first bytes of each, by the MIME Sniffing standard and the formats' own specifications.
  test.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/gif', 'GIF89a...'],
    ['image/webp', 'RIFF....WEBPVP8 '],
    ['image/avif', '\0\0\0\x20ftypavif'],
    ['image/heic', '\0\0\0\x20ftypheic'],
    ['image/tiff', 'II*\0...'],
    ['image/tiff', 'MM\0*...'],
    ['application/pdf', pdf],
    ['audio/wav', wav],
    ['audio/mpeg', 'ID3\x04...'],
    ['audio/mpeg', '\xff\xfb\x90...'],
    ['audio/aac', '\xff\xf1\x50...'],
    ['audio/ogg', 'OggS\0...'],
    ['audio/flac', 'fLaC...'],
    ['audio/mp4', '\0\0\0\x20ftypM4A '],
  ])('without a type is %s by its bytes', (mimeType, start) => {
    const type = mimeType.startsWith('audio') ? 'audio' : 'image'
    const { block, findings } = decodeBlock({ type, data: encoded(start) })
    expect(block).toEqual({ type, mimeType, data: latin(start) })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0/mimeType']])
    const resource = { uri: 'a://b', blob: encoded(start) }
    expect(decodeBlock({ type: 'resource', resource })).toMatchObject({
      block: { resource: { mimeType } },
      findings: [{ code: 'mended-content', path: '/content/0/resource/mimeType' }],
    })
  })

  test.each<[what: string, named: Json]>([
    ['null', null],
    ['empty', ''],
    ['no media type', 'png'],
    ['a pattern', 'image/*'],
    ['a sentence', 'image/png; ignore\nall'],
    ['long', `image/${'x'.repeat(1_000)}`],
    ['a list', ['image/png']],
  ])('whose type is %s is taken by its bytes', (_, named) => {
    const { block, findings } = decodeBlock({ type: 'image', mimeType: named, data: encoded(png) })
    expect(block).toMatchObject({ mimeType: 'image/png' })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0/mimeType']])
  })

  test('of no type and no known start is kept as bytes', () => {
    const { block, findings } = decodeBlock({ type: 'image', data: base64 })
    expect(block).toEqual({ type: 'image', mimeType: 'application/octet-stream', data: foobar })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0/mimeType']])
  })

  test.each([
    ['image/jpeg', png, 'image/png'],
    ['image/jpg', jpeg, 'image/jpeg'],
    ['application/octet-stream', png, 'image/png'],
    ['text/plain', png, 'image/png'],
    ['image/png', pdf, 'application/pdf'],
  ])('declared as %s is what its bytes say', (declared, start, mimeType) => {
    const { block, findings } = decodeBlock({ type: 'image', mimeType: declared, data: encoded(start) })
    expect(block).toMatchObject({ type: 'image', mimeType })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0/mimeType']])
  })

  test.each([
    ['audio/x-wav', wav],
    ['audio/vnd.wave', wav],
    ['audio/mp3', 'ID3\x03...'],
    ['audio/aac', 'ID3\x03...'],
    ['audio/opus', 'OggS\0...'],
    // Four samples, not a header.
    ['audio/l16', '\xff\xfb\xff\xfc'],
    ['image/apng', png],
    ['image/x-adobe-dng', 'II*\0...'],
    ['image/svg+xml; charset=utf-8', '<svg/>'],
  ])('declared as %s stays so', (declared, start) => {
    const type = declared.startsWith('audio') ? 'audio' : 'image'
    const { block, findings } = decodeBlock({ type, mimeType: declared, data: encoded(start) })
    expect(block).toMatchObject({ type, mimeType: declared })
    expect(findings).toEqual([])
  })

  test('of a resource is mended where it is declared as a picture, sound or PDF, and else left alone', () => {
    const declared = (mimeType: string, start: string) =>
      decodeBlock({ type: 'resource', resource: { uri: 'a://b', mimeType, blob: encoded(start) } })
    expect(declared('image/png', jpeg).block).toMatchObject({ resource: { mimeType: 'image/jpeg' } })
    expect(declared('application/pdf', png).block).toMatchObject({ resource: { mimeType: 'image/png' } })
    for (const other of ['application/octet-stream', 'application/illustrator', 'video/mp4'])
      expect(declared(other, pdf)).toMatchObject({ block: { resource: { mimeType: other } }, findings: [] })
  })

  test('that is sound in an image block is a block of sound', () => {
    const { block, findings } = decodeBlock({ type: 'image', mimeType: 'audio/wav', data: encoded(wav) })
    expect(block).toMatchObject({ type: 'audio', mimeType: 'audio/wav' })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0/type']])
  })

  test.each([
    ['data:image/png;base64,', undefined, 'image/png', ['data']],
    ['DATA:image/png;name=a.png;base64,', null, 'image/png', ['data']],
    ['data:image/gif;base64,', 'image/png', 'image/png', ['data']],
    ['data:;base64,', undefined, 'image/png', ['data', 'mimeType']],
    ['data:image/gif;base64,', undefined, 'image/png', ['data', 'mimeType']],
  ])('behind %s, declared as %s, is %s', (prefix, declared, mimeType, mended) => {
    const { block, findings } = decodeBlock({
      type: 'image',
      ...(declared !== undefined && { mimeType: declared }),
      data: `${prefix}${encoded(png)}`,
    })
    expect(block).toEqual({ type: 'image', mimeType, data: latin(png) })
    expect(codesOf(findings)).toEqual(mended.map((key) => ['mended-content', `/content/0/${key}`]))
  })

  test.each([
    ['for URLs', '-_8='],
    ['in lines', 'Zm9v\r\nYmFy\r\n'],
    ['without padding', 'Zm9vYg'],
  ])('as base64 %s is read and reported', (_, data) => {
    const { block, findings } = decodeBlock({ type: 'image', mimeType: 'image/x-raw', data })
    expect(block).toMatchObject({ type: 'image', data: expect.any(Uint8Array) })
    expect(codesOf(findings)).toEqual([['mended-content', '/content/0/data']])
  })

  test.each(['https://x.example/y.png', 'file:///etc/passwd', 'blob:https://x/1', ' javascript:alert(1)'])(
    'that is the URL %s is a link',
    (url) => {
      const extras = { annotations: { audience: ['user'] }, _meta: { a: 1 } }
      const { block, findings } = decodeBlock({ type: 'image', mimeType: 'image/png', data: url, ...extras })
      const uri = url.trim()
      expect(block).toEqual({ type: 'resource_link', uri, name: uri, mimeType: 'image/png', ...extras })
      expect(codesOf(findings)).toEqual([['mended-content', '/content/0']])
      const resource = { uri: 'a://b', blob: url }
      expect(decodeBlock({ type: 'resource', resource }).block).toEqual({ type: 'resource_link', uri, name: 'a://b' })
    },
  )
})

describe('text in which something is hidden', () => {
  const hidden = 'a\u200bb\u202ec'

  test.each<[what: string, raw: JsonObject, path: string]>([
    ['text', { type: 'text', text: hidden }, '/content/0'],
    ['a link', { type: 'resource_link', uri: 'a://b', name: hidden, description: hidden }, '/content/0'],
    ['a resource', { type: 'resource', resource: { uri: hidden, text: hidden } }, '/content/0/resource'],
    ['a blob’s uri', { type: 'resource', resource: { uri: hidden, blob: base64 } }, '/content/0/resource'],
  ])('%s is reported once, and stays as it came', (_, raw, path) => {
    const { block, findings } = decodeBlock(raw)
    expect(JSON.stringify(block)).toContain(hidden)
    expect(findings).toEqual([
      { code: 'hidden-text', path, message: expect.stringContaining('directional characters, zero-width characters') },
    ])
  })

  test('structured content is searched, keys and all, at any depth', () => {
    const deep = `${'{"k":['.repeat(10_000)}{"${hidden}":1}${']}'.repeat(10_000)}`
    const { findings } = decodeCallToolResult({ content: [], structuredContent: JSON.parse(deep) })
    expect(codesOf(findings)).toEqual([['hidden-text', '/structuredContent']])
  })
})
