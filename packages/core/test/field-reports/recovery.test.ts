import { expect } from 'vitest'
import type { Json } from '../../src/protocol.js'
import { modernServer, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { connectionRefused, type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { type SessionServer, sessionServer } from '../support/session-server.js'
import { jump, pass, timersLeft, until, watch } from './clock.js'
import { inBothEras, plainLegacyServer, type ReportCase, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'
import { event, type OpenStream, openStream, resultOf, sentOf, status } from './wire.js'

async function connectTo(subject: Subject, server: SessionServer, settings = {}) {
  const { fetch, sent } = scriptedFetch((request) => server.answer(request))
  const connection = await subject.connect(fetch, settings)
  return { connection, sent }
}

/** A server that refuses a session which it has forgotten, and the call that finds out. */
const forgotten = (how: string, refuse: (sent: Sent) => Response, sdkFails: RegExp): ReportCase => ({
  name: how,
  sdkFails,
  async run(subject) {
    const server = sessionServer({}, refuse)
    const { connection, sent } = await connectTo(subject, server)
    server.forget()
    expect(await Promise.all(['a', 'b', 'c'].map((name) => connection.callTool(name)))).toEqual(['a', 'b', 'c'])
    expect(server.sessions).toBe(2)
    expect([...server.runs.values()]).toEqual([1, 1, 1])
    expect(sentOf(sent, 'initialize').map(({ headers }) => headers.get('mcp-session-id'))).toEqual([null, null])
  },
})

const words = (text: string) => (sent: Sent) => rpcError(sent, -32001, text, undefined, { status: 404 })
const noSession = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID' } }

/** A modern server whose answer to the first question may be kept. */
const discoverable = {
  'server/discover': (sent: Sent) =>
    reply(sent, {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 3_600_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    }),
}

testFieldReports([
  {
    id: 'SE-55',
    title: 'A session that the server no longer knows',
    cases: [
      forgotten('404 with a JSON-RPC error: one new session for all calls', words('Session not found'), /not found/i),
      forgotten('404 without a body', () => status(404), /Error POSTing/),
      forgotten(
        '404 with a page',
        () => new Response('<h1>Not found</h1>', { status: 404, headers: { 'content-type': 'text/html' } }),
        /404|not found/i,
      ),
    ],
  },
  {
    id: 'SE-56',
    title: 'A lost session in other clothes',
    cases: [
      forgotten('400 with a JSON-RPC error of no request', () => Response.json(noSession, { status: 400 }), /session/i),
      forgotten('400 with a text', () => new Response('Session expired', { status: 400 }), /session/i),
      ...(['json', 'sse'] as const).map(
        (form): ReportCase => ({
          name: `200 with a bare error as ${form}: the call fails at once, typed, and is not sent again`,
          async run(subject) {
            const error = { error: 'Session not found' }
            const server = sessionServer({}, (sent) =>
              sent.body?.method === 'tools/call'
                ? form === 'json'
                  ? Response.json(error)
                  : new Response(event(error), { headers: { 'content-type': 'text/event-stream' } })
                : status(404),
            )
            const { connection, sent } = await connectTo(subject, server)
            server.forget()
            expect(await watch(connection.callTool('add')).rejection()).toMatchObject({
              code: 'ERR_MCP_INVALID_RESPONSE',
              data: { outcome: 'unknown' },
            })
            expect(sentOf(sent, 'tools/call')).toHaveLength(1)
            expect(await connection.callTool('add')).toBe('add')
            expect(server.sessions).toBe(2)
          },
          sdkFails: /ZodError|still pending/,
        }),
      ),
    ],
  },
  {
    id: 'SE-58',
    title: 'A server that refuses the sessions it hands out',
    cases: [
      {
        name: 'is asked for few of them, and the error says what is wrong',
        async run(subject) {
          const server = sessionServer()
          const { connection, sent } = await connectTo(subject, {
            ...server,
            answer(request) {
              if (request.body?.method === 'tools/call') server.forget()
              return server.answer(request)
            },
          })
          const errors: unknown[] = []
          for (let call = 0; call < 30; call++) errors.push(await watch(connection.callTool('add')).rejection())
          expect(sentOf(sent, 'initialize').length).toBeLessThanOrEqual(4)
          expect(errors.at(-1)).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'session', outcome: 'not-run' } })
          expect((errors.at(-1) as Error).message).toMatch(/refuses each session that it has just handed out/)
        },
      },
    ],
  },
  {
    id: 'SE-59',
    title: 'Sessions that are never ended',
    cases: [
      {
        name: 'each is ended on close, with its credentials, before anything is cut',
        async run(subject) {
          const server = sessionServer()
          const { fetch, sent } = scriptedFetch((request) => server.answer(request))
          for (let time = 1; time <= 3; time++) {
            const connection = await subject.connect(fetch, { headers: { authorization: 'Bearer of-the-app' } })
            await connection.close()
          }
          const ended = sentOf(sent, 'DELETE')
          expect(ended.map(({ headers }) => headers.get('mcp-session-id'))).toEqual([
            'session-1',
            'session-2',
            'session-3',
          ])
          expect(ended.map(({ headers }) => headers.get('authorization'))).toEqual(Array(3).fill('Bearer of-the-app'))
        },
        sdkFails: /expected \[\] to deeply equal/,
      },
      {
        name: 'while a call runs: the end goes out first, then the call is cut',
        async run(subject) {
          let callWasCut: boolean | undefined
          let running: Sent | undefined
          const server = sessionServer({
            'tools/call': (sent) => {
              running = sent
              return new Promise(() => {})
            },
            DELETE: () => {
              callWasCut = running?.signal.aborted
              return status(405)
            },
          })
          const { connection } = await connectTo(subject, server)
          const call = watch(connection.callTool('add'))
          await until('the call has come', () => running !== undefined)
          await connection.close()
          await call.rejection()
          expect([callWasCut, running?.signal.aborted]).toEqual([false, true])
        },
        sdkFails: /undefined|false/,
      },
      {
        name: 'a page that goes away ends its session by a request that outlives it',
        async run(subject) {
          let leave = () => {}
          const server = sessionServer()
          const runtime = {
            leave(listener: () => void) {
              leave = listener
              return () => {}
            },
          }
          const { sent } = await connectTo(subject, server, { runtime })
          leave()
          await until('the session is ended', () => sentOf(sent, 'DELETE').length > 0)
          expect(sentOf(sent, 'DELETE')[0]!.init.keepalive).toBe(true)
        },
        sdkFails: /it never comes to this/,
      },
    ],
  },
  {
    id: 'TI-91',
    title: 'Events of a connection that is no more',
    cases: [
      {
        name: 'closing one connection is no news to another of the same server',
        async run(subject) {
          const server = sessionServer()
          const { connection: first, sent } = await connectTo(subject, server)
          const { connection: second } = await connectTo(subject, server)
          await first.close()
          expect(await second.callTool('add')).toBe('add')
          expect(second.told).toEqual([])
          expect(sentOf(sent, 'initialize')).toHaveLength(1)
        },
      },
      {
        name: 'the end of a lost session is no news to the one that took its place',
        async run(subject) {
          let slow: { sent: Sent; stream: OpenStream } | undefined
          const server = sessionServer({
            'tools/call'(sent) {
              if (sent.body?.params?.name !== 'slow') return reply(sent, { content: [{ type: 'text', text: 'fast' }] })
              slow = { sent, stream: openStream(': open\n\n') }
              return slow.stream.response
            },
          })
          const { connection } = await connectTo(subject, server, { listens: true })
          const call = watch(connection.callTool('slow'))
          await until('the slow call has come', () => slow !== undefined)
          server.forget()
          expect(await connection.callTool('fast')).toBe('fast')
          slow!.stream.push(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }))
          slow!.stream.push(event(resultOf(slow!.sent, 'slow')))
          expect(await call.settled()).toBe('slow')
          await pass(5_000)
          expect(connection.listChanges).toBe(0)
          expect(await connection.callTool('fast')).toBe('fast')
          expect(server.sessions).toBe(2)
        },
        sdkFails: /not found/i,
      },
    ],
  },
  {
    id: 'CB-09',
    title: 'A tab that froze, a machine that slept',
    cases: [
      {
        name: 'waking takes up at once what waits to be tried again',
        async run(subject) {
          let wake = () => {}
          let isDown = false
          let stream: OpenStream | undefined
          const server = sessionServer({
            GET() {
              stream = openStream(': hello\n\n')
              return stream.response
            },
          })
          const { fetch, sent } = scriptedFetch((request) =>
            isDown ? Promise.reject(connectionRefused()) : server.answer(request),
          )
          const runtime = {
            wake(listener: () => void) {
              wake = listener
              return () => {}
            },
          }
          await subject.connect(fetch, { listens: true, runtime })
          await until('the stream is open', () => stream !== undefined)
          isDown = true
          stream!.cut()
          await pass(120_000)
          isDown = false
          const before = sentOf(sent, 'GET').length
          wake()
          await until('the stream is asked for again', () => sentOf(sent, 'GET').length > before)
        },
        sdkFails: /it never comes to this: the stream is asked for again/,
      },
      ...inBothEras('a clock that jumped calls no time on what has come meanwhile', async (subject, server) => {
        let running: { sent: Sent; stream: OpenStream } | undefined
        const { fetch } = scriptedFetch(
          server({
            'tools/call'(sent) {
              running = { sent, stream: openStream(': open\n\n') }
              return running.stream.response
            },
          }),
        )
        const connection = await subject.connect(fetch)
        const call = watch(connection.callTool('add', {}, { idleTimeoutMs: 1_000, timeoutMs: 60_000 }))
        await until('the call has come', () => running !== undefined)
        jump(600_000)
        await pass(1_000)
        expect(call.state).toBe('pending')
        running!.stream.push(event(resultOf(running!.sent, '3')))
        expect(await call.settled()).toBe('3')
      }),
    ],
  },
  {
    id: 'CB-10',
    title: 'A service worker that is ended when it is idle',
    cases: [
      {
        name: 'what was kept of the server is enough to go on: another client asks for nothing that was known',
        async run(subject) {
          for (const server of [modernServer(discoverable), plainLegacyServer()]) {
            const kept = new Map<string, Json>()
            const memory = {
              get: async (key: string) => kept.get(key),
              set: async (key: string, value: Json) => void kept.set(key, JSON.parse(JSON.stringify(value))),
              delete: async (key: string) => void kept.delete(key),
            }
            const { fetch, sent } = scriptedFetch(server)
            const first = await subject.connect(fetch, { runtime: { memory } })
            expect(await first.callTool('add')).toBe('add')
            await until('what is known of the server is kept', () => kept.size > 0)
            const before = sent.length
            // The first one is gone without a word.
            const second = await subject.connect(fetch, { runtime: { memory } })
            await second.listTools()
            expect(sent.slice(before).map(({ body }) => body?.method)).not.toContain('server/discover')
            expect(await second.callTool('add')).toBe('add')
          }
        },
        sdkFails: /it never comes to this: what is known of the server is kept/,
      },
      {
        name: 'an idle connection has no timer that keeps anything awake',
        async run(subject) {
          for (const server of [modernServer(), plainLegacyServer()]) {
            const { fetch, sent } = scriptedFetch(server)
            const connection = await subject.connect(fetch)
            await connection.callTool('add')
            const before = sent.length
            await pass(86_400_000)
            expect([sent.length, timersLeft()]).toEqual([before, 0])
          }
        },
      },
    ],
  },
  {
    id: 'MO-86',
    title: 'One server’s revision said to another',
    cases: [
      {
        name: 'each server is spoken to in its own revision, whatever another one speaks',
        async run(subject) {
          for (const servers of [
            [modernServer, plainLegacyServer],
            [plainLegacyServer, modernServer],
          ]) {
            const versions: (string | null)[] = []
            for (const server of servers) {
              const { fetch, sent } = scriptedFetch(server())
              const connection = await subject.connect(fetch)
              await connection.callTool('add')
              versions.push(sentOf(sent, 'tools/call')[0]!.headers.get('mcp-protocol-version'))
            }
            expect(versions.toSorted()).toEqual(['2025-11-25', '2026-07-28'])
          }
        },
      },
      ...['Mcp-Protocol-Version', 'mcp-session-id', 'MCP-Method', 'mcp-name', 'Mcp-Param-Region', 'Last-Event-ID'].map(
        (name): ReportCase => ({
          name: `${name} of a request that is passed on is refused`,
          async run(subject) {
            const { fetch, sent } = scriptedFetch(modernServer())
            const connecting = subject.connect(fetch, { headers: { [name]: 'of-another' } })
            expect(await watch(connecting).rejection()).toMatchObject({
              code: 'ERR_MCP_CONFIG',
              data: { key: 'headers' },
            })
            expect(sent).toEqual([])
          },
          sdkFails: /it is fulfilled/,
        }),
      ),
    ],
  },
])
