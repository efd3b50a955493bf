import { expect, vi } from 'vitest'
import { toModelOutput } from '../../src/content/model-output.js'
import type { CallToolResult, Json, JsonObject } from '../../src/protocol.js'
import { reply } from '../support/mcp-server.js'
import { scriptedFetch } from '../support/scripted-fetch.js'
import { watch } from './clock.js'
import { inBothEras, type MakeServer, type SdkFails, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xfb, 0xff, 0x00)
/** How the SDK rejects a whole result for one fault. */
const invalid = /^Invalid result for tools\/call/
const base64 = 'iVBORw0KGgr7/wA='
const label = (text: unknown) => expect(text).toMatch(/^\[Left out: .*\]$/)

/** What a client makes of a tool's result. */
async function resultOf(result: object, subject: Subject, server: MakeServer): Promise<CallToolResult> {
  const { fetch } = scriptedFetch(server({ 'tools/call': (sent) => reply(sent, result) }))
  const connection = await subject.connect(fetch)
  const decoded = await watch(connection.callForResult('t')).settled()
  expect(connection.told).toEqual((decoded.findings ?? []).map(({ code, message }) => `${code}: ${message}`))
  return decoded
}

const inBoth = (name: string, sent: object, check: (result: CallToolResult) => void, sdkFails: SdkFails = {}) =>
  inBothEras(name, async (subject, server) => check(await resultOf(sent, subject, server)), sdkFails)

const blocksOf = (result: CallToolResult) => result.content.map(({ type }) => type)
const found = (result: CallToolResult) => result.findings?.map(({ code, path }) => `${code} ${path}`)

const image = (more: JsonObject) => ({
  content: [
    { type: 'text', text: 'look' },
    { type: 'image', ...more },
  ],
})
const isPng = (result: CallToolResult) =>
  expect(result.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png', data: png })

const payload = { a: 1, b: [2, { c: 3 }] }

testFieldReports([
  {
    id: 'RS-107',
    title: 'Structured content alone',
    cases: [
      ...[{}, { content: null }].flatMap((content) =>
        inBoth(
          `with ${JSON.stringify(content)} it is the result`,
          { ...content, structuredContent: { a: 1 } },
          (result) => {
            expect(result).toMatchObject({ content: [], structuredContent: { a: 1 } })
            expect(toModelOutput(result)).toBe('{"a":1}')
          },
          'content' in content ? invalid : { modern: invalid },
        ),
      ),
      ...[[1, 2], 'text', 5, null].flatMap((structuredContent: Json) =>
        inBoth(
          `${JSON.stringify(structuredContent)} is structured content as well`,
          { structuredContent },
          (result) => {
            expect(result.structuredContent).toEqual(structuredContent)
            expect(toModelOutput(result)).toBe(JSON.stringify(structuredContent))
          },
          invalid,
        ),
      ),
    ],
  },
  {
    id: 'RS-109',
    title: 'An error that fails its own schema',
    cases: [
      ...[true, 'true'].flatMap((isError) =>
        inBoth(
          `isError ${JSON.stringify(isError)}: its text reaches the caller, and by toModelOutput the model`,
          { content: [{ type: 'text', text: 'no disk' }], structuredContent: { wrong: 'shape' }, isError },
          (result) => {
            expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'no disk' }] })
            expect(() => toModelOutput(result, { tool: 't' })).toThrow('The tool "t" failed: no disk')
          },
          isError === true ? {} : invalid,
        ),
      ),
      ...inBoth(
        'isError null is a success',
        { content: [{ type: 'text', text: 'fine' }], isError: null },
        (result) => {
          expect(result.isError).toBeUndefined()
          expect(toModelOutput(result)).toBe('fine')
        },
        invalid,
      ),
    ],
  },
  {
    id: 'RS-110',
    title: 'Content that vanishes',
    cases: [
      ...inBoth(
        'every kind arrives',
        {
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image', mimeType: 'image/png', data: base64 },
            { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
            { type: 'resource_link', uri: 'a://b', name: 'b' },
            { type: 'resource', resource: { uri: 'a://b', text: 'hi' } },
            { type: 'resource', resource: { uri: 'a://b', blob: base64 } },
          ],
        },
        (result) => {
          expect(blocksOf(result)).toEqual(['text', 'image', 'audio', 'resource_link', 'resource', 'resource'])
          expect(toModelOutput(result)).toHaveLength(6)
        },
      ),
      ...inBoth(
        'one bad block costs no other, and stands as a label',
        {
          content: [
            { type: 'video', data: base64 },
            { type: 'text' },
            { type: 'resource', resource: { uri: 'a://b' } },
            { type: 'resource_link', uri: 'a://b' },
            { type: 'text', text: 'hi' },
          ],
        },
        (result) => {
          expect(blocksOf(result)).toEqual(['unknown', 'unknown', 'unknown', 'resource_link', 'text'])
          expect(found(result)).toEqual([
            'unknown-content /content/0',
            'malformed-content /content/1',
            'malformed-content /content/2',
            'mended-content /content/3',
          ])
          const onLoss = vi.fn()
          const shown = toModelOutput(result, { onLoss }) as JsonObject[]
          expect(onLoss.mock.calls.map(([{ block }]) => block)).toEqual([0, 1, 2])
          for (const { text } of shown.slice(0, 3)) label(text)
          expect(shown.slice(3)).toEqual([
            { type: 'link', uri: 'a://b', name: 'a://b' },
            { type: 'text', text: 'hi' },
          ])
        },
        invalid,
      ),
    ],
  },
  {
    id: 'RS-111',
    title: 'Images in odd encodings',
    cases: [
      ...inBoth('mediaType for mimeType', image({ mediaType: 'image/png', data: base64 }), isPng, invalid),
      ...inBoth(
        'a data: prefix',
        image({ mimeType: 'image/png', data: `data:image/gif;base64,${base64}` }),
        isPng,
        invalid,
      ),
      ...inBoth(
        'a data: prefix, whose type is the only one',
        image({ data: `data:image/png;base64,${base64}` }),
        isPng,
        invalid,
      ),
      ...inBoth('no type: its bytes tell', image({ data: base64 }), isPng, invalid),
      ...inBoth('a wrong type: its bytes tell', image({ mimeType: 'image/jpeg', data: base64 }), isPng),
      ...inBoth('base64 for URLs', image({ mimeType: 'image/png', data: 'iVBORw0KGgr7_wA' }), isPng, invalid),
      ...inBoth('base64 in lines', image({ mimeType: 'image/png', data: 'iVBORw0K\r\nGgr7/wA=\r\n' }), isPng),
      ...inBoth(
        'no type, and bytes of no known one: a label',
        image({ data: 'Zm9vYmFy' }),
        (result) => {
          expect(result.content[1]).toMatchObject({ type: 'image', mimeType: 'application/octet-stream' })
          label((toModelOutput(result) as JsonObject[])[1]!.text)
        },
        invalid,
      ),
      ...inBoth(
        'a URL is a link',
        image({ mimeType: 'image/png', data: 'https://pictures.example/1.png' }),
        (result) => {
          expect((toModelOutput(result) as JsonObject[])[1]).toEqual({
            type: 'link',
            uri: 'https://pictures.example/1.png',
            name: 'https://pictures.example/1.png',
            mimeType: 'image/png',
          })
        },
        invalid,
      ),
      ...inBoth(
        'no base64 at all: kept, and a label',
        image({ mimeType: 'image/png', data: '!!!' }),
        (result) => {
          expect(result.content[1]).toEqual({
            type: 'unknown',
            raw: { type: 'image', mimeType: 'image/png', data: '!!!' },
          })
          label((toModelOutput(result) as JsonObject[])[1]!.text)
        },
        invalid,
      ),
    ],
  },
  {
    id: 'RS-108',
    title: 'The same payload twice',
    cases: [
      ...['{"a":1,"b":[2,{"c":3}]}', '{ "b": [2, { "c": 3 }],\n  "a": 1.0 }'].flatMap((text) =>
        inBoth(
          `as ${text} a model gets it once`,
          { content: [{ type: 'text', text }], structuredContent: payload },
          (result) => {
            expect(result.structuredContent).toEqual(payload)
            expect(toModelOutput(result)).toBe(text)
          },
        ),
      ),
      ...inBoth(
        'with a summary in the text it gets both',
        { content: [{ type: 'text', text: `Found: ${JSON.stringify(payload)}` }], structuredContent: payload },
        (result) => {
          expect(toModelOutput(result)).toEqual([
            { type: 'text', text: `Found: ${JSON.stringify(payload)}` },
            { type: 'text', text: JSON.stringify(payload) },
          ])
        },
      ),
      ...inBoth(
        'an image beside it is never dropped',
        { content: [{ type: 'image', mimeType: 'image/png', data: base64 }], structuredContent: payload },
        (result) => {
          const kinds = (toModelOutput(result) as JsonObject[]).map(({ type }) => type)
          expect(kinds).toEqual(['image', 'text'])
        },
      ),
    ],
  },
  {
    id: 'RS-113',
    title: 'A block that is replaced in silence',
    cases: [
      ...inBoth(
        'each loss is told, with its place and reason, and stands as a label',
        {
          content: [
            { type: 'text', text: 'hi' },
            { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
            { type: 'image', mimeType: 'image/png', data: base64 },
          ],
        },
        (result) => {
          const onLoss = vi.fn()
          const shown = toModelOutput(result, {
            audio: 'placeholder',
            budget: { blockBytes: 10 },
            onLoss,
          }) as JsonObject[]
          expect(shown).toEqual([
            { type: 'text', text: 'hi' },
            { type: 'text', text: '[Left out: audio, audio/wav, 4 bytes]' },
            { type: 'text', text: '[Left out: image, image/png, 11 bytes]' },
          ])
          expect(onLoss.mock.calls).toEqual(
            expect.arrayContaining([[{ block: 1, reason: 'audio' }], [{ block: 2, reason: 'over blockBytes' }]]),
          )
          expect(onLoss).toHaveBeenCalledTimes(2)
        },
      ),
      ...inBoth('the caller may refuse', image({ mimeType: 'image/png', data: base64 }), (result) => {
        const refuse = ({ reason }: { reason: string }) => {
          throw new Error(`No: ${reason}`)
        }
        expect(() => toModelOutput(result, { budget: { blockBytes: 10 }, onLoss: refuse })).toThrow(
          'No: over blockBytes',
        )
      }),
    ],
  },
])
