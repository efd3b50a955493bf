import { expect } from 'vitest'
import { legacyServer, reply, serverInfo } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { type ReportCase, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'
import { endedStream, event, openStream, sentOf, status } from './wire.js'

const listChanged = event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })

/** A connection to a legacy server whose GETs are answered by a function that is told how many there were before. */
async function listening(subject: Subject, onGet: (before: number) => Response) {
  let gets = 0
  const initialize = (sent: Sent) =>
    reply(
      sent,
      { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo },
      { headers: { 'mcp-session-id': 'session-1' } },
    )
  const server = scriptedFetch(legacyServer({ initialize, GET: () => onGet(gets++) }))
  const connection = await subject.connect(server.fetch, { listens: true })
  await until('the client asks for a GET stream', () => gets > 0)
  const works = async () => expect(await watch(connection.callTool('add')).settled()).toBe('add')
  return { connection, sent: server.sent, gets: () => gets, works }
}

const html = () => new Response('<!doctype html><p>Welcome', { headers: { 'content-type': 'text/html' } })

const refusals: [name: string, answer: () => Response, sdkFails?: RegExp][] = [
  ['404', () => status(404), /what the app was told/],
  ['405', () => status(405)],
  ['406', () => status(406), /what the app was told/],
  ['400', () => status(400), /what the app was told/],
  ['501', () => status(501), /what the app was told/],
  ['200 and a page', html, /GETs in ten minutes/],
]

testFieldReports([
  {
    id: 'TR-60',
    title: 'A server without a GET stream',
    cases: [
      ...refusals.map(
        ([name, answer, sdkFails]): ReportCase => ({
          name: `${name} to the GET means none: nothing is told, asked again or lost`,
          async run(subject) {
            const { connection, gets, works } = await listening(subject, answer)
            await works()
            await pass(600_000)
            expect(connection.told, 'what the app was told').toEqual([])
            expect(gets(), 'GETs in ten minutes').toBe(1)
            await works()
          },
          ...(sdkFails && { sdkFails }),
        }),
      ),
      ...[401, 403].map(
        (code): ReportCase => ({
          name: `${code} to the GET is asked again once at the most, and calls go on`,
          async run(subject) {
            const { gets, works } = await listening(subject, () => status(code))
            await pass(600_000)
            expect(gets()).toBeLessThanOrEqual(2)
            await works()
          },
        }),
      ),
    ],
  },
  {
    id: 'TR-61',
    title: 'A GET stream that keeps failing',
    cases: [
      {
        name: 'is asked for ever more rarely while it gives nothing, and calls go on',
        async run(subject) {
          const { gets, works } = await listening(subject, () => endedStream(''))
          await pass(600_000)
          expect(gets(), 'GETs in ten minutes').toBeLessThanOrEqual(60)
          await works()
        },
        sdkFails: /GETs in ten minutes/,
      },
      {
        name: 'is asked for again each time that it gave a sign of life, until there is none any more',
        async run(subject) {
          const onGet = (before: number) => (before < 20 ? endedStream(': keep-alive\n\n') : status(405))
          const { connection, gets, works, sent } = await listening(subject, onGet)
          await pass(20 * 60_000)
          expect(gets()).toBe(21)
          await pass(600_000)
          expect(gets()).toBe(21)
          expect(connection.told).toEqual([])
          await works()
          expect(sentOf(sent, 'initialize')).toHaveLength(1)
        },
      },
    ],
  },
  {
    id: 'TR-62',
    title: 'A server that still holds the old GET stream',
    cases: [
      {
        name: '409 is waited out, in the same session',
        async run(subject) {
          const first = openStream(listChanged)
          const last = openStream()
          let freeAt = Number.POSITIVE_INFINITY
          const onGet = (before: number) => {
            if (before === 0) return first.response
            return Date.now() < freeAt ? status(409) : last.response
          }
          const { connection, gets, works, sent } = await listening(subject, onGet)
          await until('the first change is heard', () => connection.listChanges === 1)
          freeAt = Date.now() + 2_000
          first.cut()
          await pass(120_000)
          last.push(listChanged)
          await until('the change is heard on the new stream', () => connection.listChanges === 2)
          // Two seconds of 409, not asked for as fast as it goes.
          expect(gets()).toBeLessThanOrEqual(10)
          expect(connection.told).toEqual([])
          await works()
          expect(sentOf(sent, 'initialize')).toHaveLength(1)
          expect(sentOf(sent, 'DELETE')).toEqual([])
        },
      },
    ],
  },
  {
    id: 'TR-63',
    title: 'An idle GET stream that a proxy cuts',
    cases: [
      {
        name: 'is opened again after `retry`, by its last event id, and the app is told nothing',
        async run(subject) {
          const stream = openStream('id: 7\nretry: 5000\ndata:\n\n')
          const again = openStream()
          const { connection, gets, sent, works } = await listening(subject, (before) =>
            before === 0 ? stream.response : again.response,
          )
          await pass(300_000)
          stream.cut()
          await pass(4_999)
          expect(gets()).toBe(1)
          await pass(10_000)
          expect(sentOf(sent, 'GET').map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '7'])
          expect(connection.told, 'what the app was told').toEqual([])
          await works()
        },
        sdkFails: /what the app was told/,
      },
      {
        name: 'is opened again every five minutes for a day',
        async run(subject) {
          const streams: ReturnType<typeof openStream>[] = []
          const { connection, gets, works } = await listening(subject, () => {
            const stream = openStream(': open\n\n')
            streams.push(stream)
            return stream.response
          })
          for (let cuts = 1; cuts <= 288; cuts++) {
            streams.at(-1)!.cut()
            await pass(300_000)
            expect(gets()).toBe(cuts + 1)
          }
          expect(connection.told).toEqual([])
          await works()
        },
      },
    ],
  },
])
