import { expect } from 'vitest'
import { byteSource, encode, eventStreamType, jsonType } from '../support/byte-source.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, watch } from './clock.js'
import { inBothEras, plainLegacyServer, type ReportCase, testFieldReports } from './field-report.js'
import type { Connection, Subject } from './subject.js'
import { endedStream, event, progressOf, resultOf, sentOf, status } from './wire.js'

type Chunks = Uint8Array<ArrayBuffer>[]

/** Calls a tool whose reply comes in these chunks. */
async function callInChunks(
  connection: Connection,
  server: { chunks: (sent: Sent) => Chunks },
  chunks: (sent: Sent) => Chunks,
) {
  server.chunks = chunks
  const progress: number[] = []
  const onProgress = (told: { progress: number }) => void progress.push(told.progress)
  const text = await watch(connection.callTool('add', {}, { onProgress })).settled()
  return { text, progress }
}

async function connectToChunks(subject: Subject, headers: Record<string, string>) {
  const server = { chunks: (_: Sent): Chunks => [] }
  const onCall = (sent: Sent) => new Response(byteSource(server.chunks(sent)).body, { headers })
  const { fetch } = scriptedFetch(plainLegacyServer({ 'tools/call': onCall }))
  return { server, connection: await subject.connect(fetch) }
}

/** Everything the framing allows, in one stream: a comment, no space, an id, data in two lines, a field without a value. */
function canonicalStream(sent: Sent, lineEnd: string): string {
  const [head, tail] = JSON.stringify(resultOf(sent, '3')).split(',"result"')
  const lines = [
    ': hi',
    '',
    `data:${JSON.stringify(progressOf(sent, 1))}`,
    '',
    'id: 7',
    'event: message',
    `data: ${head},`,
    `data: "result"${tail}`,
    'data',
    '',
    '',
  ]
  return lines.join(lineEnd)
}

const cutAt = (bytes: Uint8Array<ArrayBuffer>, offset: number): Chunks => [bytes.slice(0, offset), bytes.slice(offset)]

const lineEnds: [name: string, lineEnd: string, sdkFails?: RegExp][] = [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r', /still pending/],
]

const bom = new Uint8Array([0xef, 0xbb, 0xbf])
const empty = new Uint8Array()

const keepAlives: [name: string, text: string][] = [
  ['an object that is no message', 'data: {"type":"ping"}\n\n'],
  ['a text that is no JSON', 'data: ping\n\n'],
  ['empty data', 'data:\n\n'],
  ['an event of type ping', 'event: ping\ndata: {}\n\n'],
  ['a comment', ': keep-alive\n\n'],
  ['a first event that only gives an id', 'id: p1\ndata:\n\n'],
]

const words = 'naïve 🦉 日本語 👩‍👩‍👧'

testFieldReports([
  {
    id: 'TR-74',
    title: 'Events without a type, and of other types',
    cases: [
      ...inBothEras('an event without a type is a message', async (subject, server) => {
        const onCall = (sent: Sent) => endedStream(`data: ${JSON.stringify(resultOf(sent, '3'))}\n\n`)
        const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.callTool('add')).settled()).toBe('3')
      }),
      ...inBothEras('events of other types are passed over, whatever they hold', async (subject, server) => {
        const onCall = (sent: Sent) => {
          const strangers = ['ping', 'endpoint', 'error', 'custom'].map((type) => `event: ${type}\ndata: {"x":1}\n\n`)
          const decoy = `event: custom\ndata: ${JSON.stringify(resultOf(sent, 'decoy'))}\n\n`
          return endedStream(`${strangers.join('')}${decoy}${event(resultOf(sent, '3'))}`)
        }
        const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.callTool('add')).settled()).toBe('3')
        expect(connection.told).toEqual([])
      }),
      ...inBothEras('an event of type error that holds this call’s error is its reply', async (subject, server) => {
        const onCall = ({ body }: Sent) => {
          const error = { jsonrpc: '2.0', id: body?.id, error: { code: -32050, message: 'no oil' } }
          return endedStream(`event: error\ndata: ${JSON.stringify(error)}\n\n`)
        }
        const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.callTool('add', {}, { timeoutMs: 60_000 })).rejection()).toMatchObject({
          code: 'ERR_MCP_JSONRPC',
          data: { rpcCode: -32050 },
        })
      }),
    ],
  },
  {
    id: 'TR-75',
    title: 'Keep-alives',
    cases: [
      ...keepAlives.flatMap(([name, text]) =>
        inBothEras(
          `${name}, before and after progress: passed over in silence`,
          async (subject, server) => {
            const onCall = (sent: Sent) =>
              endedStream(`${text}${event(progressOf(sent, 1))}${text}${event(resultOf(sent, '3'))}${text}`)
            const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
            const connection = await subject.connect(fetch)
            const progress: number[] = []
            const onProgress = (told: { progress: number }) => void progress.push(told.progress)
            expect(await watch(connection.callTool('add', {}, { onProgress })).settled()).toBe('3')
            expect(progress).toEqual([1])
            expect(connection.told, 'what the app was told').toEqual([])
          },
          text.startsWith('data: ') ? /what the app was told/ : undefined,
        ),
      ),
      ...keepAlives.slice(0, 4).map(
        ([name, text]): ReportCase => ({
          name: `${name}: its id is kept all the same`,
          async run(subject) {
            let call: Sent | undefined
            const { fetch, sent } = scriptedFetch(
              plainLegacyServer({
                'tools/call': (request) => {
                  call = request
                  return endedStream(`id: k1\n${text}`)
                },
                GET: ({ headers }) =>
                  headers.get('last-event-id') === 'k1' ? endedStream(event(resultOf(call!, '3'))) : status(405),
              }),
            )
            const connection = await subject.connect(fetch)
            const pending = watch(connection.callTool('add'))
            await pass(5_000)
            expect(await pending.settled()).toBe('3')
            expect(sentOf(sent, 'tools/call')).toHaveLength(1)
          },
        }),
      ),
    ],
  },
  {
    id: 'TR-76',
    title: 'An event stream in pieces',
    cases: [
      ...lineEnds.map(
        ([name, lineEnd, sdkFails]): ReportCase => ({
          ...(sdkFails && { sdkFails }),
          name: `${name}: cut at any byte it gives the same events`,
          async run(subject) {
            const { server, connection } = await connectToChunks(subject, eventStreamType)
            let length = 1
            for (let offset = 0; offset <= length; offset++) {
              const outcome = await callInChunks(connection, server, (sent) => {
                const bytes = encode(canonicalStream(sent, lineEnd))
                length = bytes.length
                return cutAt(bytes, offset)
              })
              expect(outcome, `cut at ${offset}`).toEqual({ text: '3', progress: [1] })
            }
            expect(length).toBeGreaterThan(200)
          },
        }),
      ),
      {
        name: 'a byte order mark is passed over, also in pieces and behind an empty chunk',
        async run(subject) {
          const { server, connection } = await connectToChunks(subject, eventStreamType)
          for (const head of [[bom], [empty, bom], [bom.slice(0, 1), bom.slice(1)], [bom.slice(0, 2), bom.slice(2)]]) {
            // Without a comment in front: a mark taken for text would spoil only this.
            const outcome = await callInChunks(connection, server, (sent) => [
              ...head,
              encode(`data: ${JSON.stringify(progressOf(sent, 1))}\n\n${event(resultOf(sent, '3'))}`),
            ])
            expect(outcome).toEqual({ text: '3', progress: [1] })
          }
        },
      },
      {
        name: 'an id that holds NUL is none: the stream is resumed by the one before',
        async run(subject) {
          let call: Sent | undefined
          const { fetch, sent } = scriptedFetch(
            plainLegacyServer({
              'tools/call': (request) => {
                call = request
                return endedStream('id: 1\ndata:\n\nid: 2\u00003\ndata:\n\n')
              },
              GET: ({ headers }) =>
                headers.has('last-event-id') ? endedStream(event(resultOf(call!, '3'))) : status(405),
            }),
          )
          const connection = await subject.connect(fetch)
          const pending = watch(connection.callTool('add'))
          await pass(5_000)
          expect(await pending.settled()).toBe('3')
          const ids = sentOf(sent, 'GET').map(({ headers }) => headers.get('last-event-id'))
          expect(ids.filter((id) => id !== null)).toEqual(['1'])
        },
      },
    ],
  },
  {
    id: 'TR-77',
    title: 'Characters in pieces',
    cases: [
      ...(
        [
          ['event stream', eventStreamType, (sent: Sent) => encode(event(resultOf(sent, words)))],
          ['JSON', jsonType, (sent: Sent) => encode(JSON.stringify(resultOf(sent, words)))],
        ] as const
      ).flatMap(([name, headers, toBytes]): ReportCase[] => [
        {
          name: `${name}: cut at any byte the text is whole`,
          async run(subject) {
            const { server, connection } = await connectToChunks(subject, headers)
            let length = 1
            for (let offset = 0; offset <= length; offset++) {
              const { text } = await callInChunks(connection, server, (sent) => {
                const bytes = toBytes(sent)
                length = bytes.length
                return cutAt(bytes, offset)
              })
              expect(text, `cut at ${offset}`).toBe(words)
            }
          },
        },
        {
          name: `${name}: byte by byte the text is whole`,
          async run(subject) {
            const { server, connection } = await connectToChunks(subject, headers)
            const { text } = await callInChunks(connection, server, (sent) =>
              Array.from(toBytes(sent), (byte) => new Uint8Array([byte])),
            )
            expect(text).toBe(words)
          },
        },
      ]),
      ...inBothEras(
        'JSON that is no UTF-8 is an error, not a text with holes',
        async (subject, server) => {
          const onList = ({ body }: Sent) => {
            const whole = { jsonrpc: '2.0', id: body?.id, result: { resultType: 'complete', tools: [], note: '|' } }
            const [head, tail] = JSON.stringify(whole).split('|') as [string, string]
            // The first two of the owl's four bytes.
            const bytes = new Uint8Array([...encode(head), 0xf0, 0x9f, ...encode(tail)])
            return new Response(bytes, { headers: jsonType })
          }
          const { fetch } = scriptedFetch(server({ 'tools/list': onList }))
          const connection = await subject.connect(fetch)
          expect(await watch(connection.listTools()).rejection()).toMatchObject({
            code: 'ERR_MCP_INVALID_RESPONSE',
            data: { reason: 'encoding' },
          })
        },
        { legacy: /it is fulfilled/ },
      ),
    ],
  },
])
