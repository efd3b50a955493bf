import { expect } from 'vitest'
import { byteSource } from '../support/byte-source.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { inBothEras, plainLegacyServer, type ReportCase, testFieldReports } from './field-report.js'
import { endedStream, event, openStream, progressOf, resultOf } from './wire.js'

const notificationAnswers: [name: string, answer: () => Response][] = [
  ['200 without a body', () => new Response(null)],
  ['200 with an empty body', () => new Response('')],
  ['200 text', () => new Response('ok', { headers: { 'content-type': 'text/plain' } })],
  ['200 null', () => Response.json(null)],
  ['200 {}', () => Response.json({})],
  ['201', () => new Response(null, { status: 201 })],
  ['202 with a body', () => Response.json({ accepted: true }, { status: 202 })],
  ['204', () => new Response(null, { status: 204 })],
]

const json = (text: string, type?: string) => {
  // Of bytes: a text would bring a type of its own.
  const body = new TextEncoder().encode(text)
  return new Response(body, type === undefined ? {} : { headers: { 'content-type': type } })
}

const typed: [type: string | undefined, toText: (message: object) => string][] = [
  ['Application/JSON; Charset=UTF-8', JSON.stringify],
  ['application/json;charset=utf-8', JSON.stringify],
  ['application/vnd.x+json', JSON.stringify],
  ['Text/Event-Stream', event],
  ['text/event-stream;charset=utf-8', event],
  [undefined, (message) => ` \n${JSON.stringify(message)}`],
  [undefined, (message) => `[${JSON.stringify(message)}]`],
  [undefined, event],
  [undefined, (message) => `: hi\n\n${event(message)}`],
]

const rpcError = { code: -32050, message: 'the tool needs oil', data: { oil: 'olive' } }
const expectedError = { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32050, rpcData: { oil: 'olive' }, tool: 'add' } }

testFieldReports([
  {
    id: 'TR-68',
    title: 'An answer to a notification',
    cases: [
      ...notificationAnswers.map(
        ([name, answer]): ReportCase => ({
          name: `${name} is success`,
          async run(subject) {
            const { fetch } = scriptedFetch(plainLegacyServer({ 'notifications/initialized': answer }))
            const connection = await subject.connect(fetch)
            expect(await watch(connection.callTool('add')).settled()).toBe('add')
            expect(connection.told).toEqual([])
          },
        }),
      ),
      {
        name: 'a body that never ends is let go of, unread',
        async run(subject) {
          const source = byteSource([], 'stall')
          const answer = () => new Response(source.body, { status: 202 })
          const { fetch } = scriptedFetch(plainLegacyServer({ 'notifications/initialized': answer }))
          const connection = await subject.connect(fetch)
          await source.cancelled
          expect(source.pulled()).toBe(0)
          expect(await watch(connection.callTool('add')).settled()).toBe('add')
        },
      },
    ],
  },
  {
    id: 'TR-68',
    title: 'An answer to a reply of the client’s own',
    cases: notificationAnswers.map(
      ([name, answer]): ReportCase => ({
        name: `${name} is success`,
        async run(subject) {
          const ping = { jsonrpc: '2.0', id: 'ping-1', method: 'ping' }
          const onCall = (sent: Sent) => endedStream(`${event(ping)}${event(resultOf(sent, '3'))}`)
          const behind = plainLegacyServer({ 'tools/call': onCall })
          const { fetch, sent } = scriptedFetch((request) =>
            request.method === 'POST' && !request.body?.method ? answer() : behind(request),
          )
          const connection = await subject.connect(fetch)
          expect(await watch(connection.callTool('add')).settled()).toBe('3')
          await until('the ping is answered', () => sent.some(({ body }) => String(body?.id) === 'ping-1'))
          await pass(10_000)
          expect(connection.told).toEqual([])
        },
      }),
    ),
  },
  {
    id: 'TR-69',
    title: 'Content types in other clothes',
    cases: [
      ...typed.flatMap(([type, toText]) =>
        inBothEras(
          `${type ?? 'no type'}: ${JSON.stringify(toText({}))} is read`,
          async (subject, server) => {
            const onCall = (sent: Sent) => json(toText(resultOf(sent, '3')), type)
            const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
            const connection = await subject.connect(fetch)
            expect(await watch(connection.callTool('add')).settled()).toBe('3')
          },
          /^application.json|event-stream/i.test(type ?? '') ? {} : /Unexpected content type/,
        ),
      ),
      ...inBothEras('a page is named as one, and not quoted at length', async (subject, server) => {
        const secret = 'session=s3cret'
        const page = `<!doctype html><title>Sign in</title><p>${secret}${' more'.repeat(1_000)}`
        const { fetch } = scriptedFetch(server({ 'tools/list': () => json(page, 'text/html; charset=utf-8') }))
        const connection = await subject.connect(fetch)
        const error = await watch(connection.listTools()).rejection()
        expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'html' } })
        expect((error as Error).message).not.toContain(secret)
        expect((error as Error).message.length).toBeLessThan(500)
      }),
    ],
  },
  {
    id: 'TR-70',
    title: 'A batch for a reply',
    cases: [
      ...(['json', 'event'] as const).flatMap((form) => {
        const answer = (messages: object[]) =>
          form === 'json' ? Response.json(messages) : endedStream(`data: ${JSON.stringify(messages)}\n\n`)
        return [
          {
            name: `${form}: [reply] is read`,
            async run(subject) {
              const { fetch } = scriptedFetch(
                plainLegacyServer({ 'tools/call': (sent) => answer([resultOf(sent, '3')]) }),
              )
              const connection = await subject.connect(fetch)
              expect(await watch(connection.callTool('add')).settled()).toBe('3')
            },
          },
          {
            name: `${form}: [notification, reply] is read, both`,
            async run(subject) {
              const onCall = (sent: Sent) => answer([progressOf(sent, 1), resultOf(sent, '3')])
              const { fetch, sent } = scriptedFetch(plainLegacyServer({ 'tools/call': onCall }))
              const connection = await subject.connect(fetch)
              const progress: number[] = []
              const onProgress = (told: { progress: number }) => void progress.push(told.progress)
              expect(await watch(connection.callTool('add', {}, { onProgress })).settled()).toBe('3')
              expect(progress).toEqual([1])
              expect(sent.filter(({ body }) => Array.isArray(body))).toEqual([])
            },
          },
          {
            name: `${form}: [] fails at once`,
            async run(subject) {
              const { fetch } = scriptedFetch(plainLegacyServer({ 'tools/list': () => answer([]) }))
              const connection = await subject.connect(fetch)
              expect(await watch(connection.listTools()).rejection()).toMatchObject({
                code: 'ERR_MCP_INVALID_RESPONSE',
              })
            },
            sdkFails: /still pending/,
          },
        ] satisfies ReportCase[]
      }),
    ],
  },
  {
    id: 'TR-71',
    title: 'An error without an id',
    cases: [
      ...(
        [
          ['id null', { id: null }],
          ['no id', {}],
        ] as const
      ).flatMap(([name, id]) =>
        [200, 400, 500].flatMap((code) =>
          inBothEras(
            `${name}, HTTP ${code}: the error is this call's, with code, message and data`,
            async (subject, server) => {
              const answer = () => Response.json({ jsonrpc: '2.0', ...id, error: rpcError }, { status: code })
              const { fetch } = scriptedFetch(server({ 'tools/call': answer }))
              const connection = await subject.connect(fetch)
              const error = await watch(connection.callTool('add', {}, { timeoutMs: 60_000 })).rejection()
              expect(error, 'the error').toMatchObject(expectedError)
              expect((error as Error).message).toContain('the tool needs oil')
            },
            /the error: expected (ZodError|SdkHttpError)|still pending/,
          ),
        ),
      ),
    ],
  },
  {
    id: 'TR-71',
    title: 'A JSON-RPC error with the status of an error',
    cases: inBothEras(
      '404 with -32601 says that the method is unknown, not that the session is',
      async (subject, server) => {
        const answer = ({ body }: Sent) =>
          Response.json(
            { jsonrpc: '2.0', id: body?.id, error: { code: -32601, message: 'Method not found' } },
            { status: 404 },
          )
        const { fetch, sent } = scriptedFetch(server({ 'tools/call': answer }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.callTool('add')).rejection()).toMatchObject({
          code: 'ERR_MCP_JSONRPC',
          data: { rpcCode: -32601, outcome: 'not-run' },
        })
        expect(sent.filter(({ body }) => body?.method === 'tools/call')).toHaveLength(1)
        expect(connection.told).toEqual([])
      },
    ),
  },
  {
    id: 'TR-72',
    title: 'An id of another type',
    cases: [
      ...inBothEras('a number that comes back as a string is the same id', async (subject, server) => {
        const onCall = (sent: Sent) => Response.json({ ...resultOf(sent, '3'), id: String(sent.body?.id) })
        const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.callTool('add')).settled()).toBe('3')
      }),
      ...inBothEras(
        'two running calls never get each other’s reply',
        async (subject, server) => {
          const calls: { sent: Sent; stream: ReturnType<typeof openStream> }[] = []
          const onCall = (sent: Sent) => {
            const stream = openStream()
            calls.push({ sent, stream })
            return stream.response
          }
          const { fetch } = scriptedFetch(server({ 'tools/call': onCall }))
          const connection = await subject.connect(fetch)
          const pending = ['first', 'second'].map((name) => watch(connection.callTool(name)))
          await until('both calls have come', () => calls.length === 2)
          const [first, second] = calls as [(typeof calls)[0], (typeof calls)[0]]
          // On the stream of the one, the id of the other, as it is and as a string.
          first.stream.push(event(resultOf(second.sent, 'a stranger’s')))
          first.stream.push(event({ ...resultOf(second.sent, 'a stranger’s'), id: String(second.sent.body?.id) }))
          second.stream.push(event(resultOf(second.sent, 'two')))
          first.stream.push(event(resultOf(first.sent, 'one')))
          expect(await pending[0]!.settled()).toBe('one')
          expect(await pending[1]!.settled()).toBe('two')
        },
        /a stranger’s/,
      ),
    ],
  },
])
