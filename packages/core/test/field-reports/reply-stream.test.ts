import { expect } from 'vitest'
import { legacyServer } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { inBothEras, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'
import { endedStream, event, openStream, progressOf, resultOf, sentOf, status } from './wire.js'

const lost = { code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { tool: 'add', outcome: 'unknown' } }
const emptyEvent = (id: string, more = '') => `id: ${id}\n${more}data:\n\n`

testFieldReports([
  {
    id: 'TR-64',
    title: 'A reply stream that ends before the reply',
    cases: [
      ...inBothEras(
        'ends: the call fails at once',
        async (subject, server) => {
          const { fetch, sent } = scriptedFetch(server({ 'tools/call': () => endedStream(': hi\n\n') }))
          const connection = await subject.connect(fetch)
          const call = watch(connection.callTool('add', {}, { timeoutMs: 60_000 }))
          expect(await call.rejection()).toMatchObject(lost)
          expect(sentOf(sent, 'tools/call')).toHaveLength(1)
        },
        /still pending/,
      ),
      ...inBothEras(
        'breaks after progress: the call fails at once',
        async (subject, server) => {
          const stream = openStream()
          const onCall = (sent: Sent) => {
            stream.push(event(progressOf(sent, 1)))
            return stream.response
          }
          const { fetch, sent } = scriptedFetch(server({ 'tools/call': onCall }))
          const connection = await subject.connect(fetch)
          const progress: number[] = []
          const onProgress = (told: { progress: number }) => void progress.push(told.progress)
          const call = watch(connection.callTool('add', {}, { timeoutMs: 60_000, onProgress }))
          await until('progress is told', () => progress.length === 1)
          stream.cut()
          expect(await call.rejection()).toMatchObject(lost)
          expect(sentOf(sent, 'tools/call')).toHaveLength(1)
        },
        /still pending/,
      ),
      {
        name: 'legacy: an event id was seen: the reply is fetched by it, and the tool runs once',
        async run(subject) {
          let call: Sent | undefined
          const { fetch, sent } = scriptedFetch(
            legacyServer({
              'tools/call': (request) => {
                call = request
                return endedStream(emptyEvent('e1'))
              },
              GET: ({ headers }) =>
                headers.get('last-event-id') === 'e1' ? endedStream(event(resultOf(call!, '3'))) : status(405),
            }),
          )
          const connection = await subject.connect(fetch)
          const pending = watch(connection.callTool('add', {}, { timeoutMs: 60_000 }))
          await pass(5_000)
          expect(await pending.settled()).toBe('3')
          expect(sentOf(sent, 'tools/call')).toHaveLength(1)
        },
      },
      {
        name: 'legacy: an event id was seen, but the server has no GET: the call fails long before its deadline',
        async run(subject) {
          const { fetch, sent } = scriptedFetch(
            legacyServer({ 'tools/call': () => endedStream(emptyEvent('e1')), GET: () => status(405) }),
          )
          const connection = await subject.connect(fetch)
          const call = watch(connection.callTool('add', {}, { timeoutMs: 60_000 }))
          await pass(5_000)
          expect(await call.rejection()).toMatchObject(lost)
          expect(sentOf(sent, 'tools/call')).toHaveLength(1)
        },
        sdkFails: /still pending/,
      },
      {
        name: 'legacy: the reply never comes by any stream: the call ends, after a bounded number of GETs',
        async run(subject) {
          const { fetch, sent } = scriptedFetch(
            legacyServer({
              'tools/call': () => endedStream(emptyEvent('e1')),
              GET: ({ headers }) => (headers.has('last-event-id') ? endedStream('') : status(405)),
            }),
          )
          const connection = await subject.connect(fetch)
          const call = watch(connection.callTool('add', {}, { timeoutMs: 600_000 }))
          await pass(600_000)
          expect(await call.rejection()).toMatchObject({ data: { tool: 'add', outcome: 'unknown' } })
          expect(sentOf(sent, 'GET').length).toBeLessThanOrEqual(60)
          expect(sentOf(sent, 'tools/call')).toHaveLength(1)
        },
      },
    ],
  },
  {
    id: 'TR-79',
    title: 'Resuming in detail',
    cases: [
      {
        name: 'a stream that ends after its reply is not resumed',
        async run(subject) {
          const onCall = (sent: Sent) => endedStream(`${emptyEvent('e1')}id: e2\n${event(resultOf(sent, '3'))}`)
          const { fetch, sent } = scriptedFetch(legacyServer({ 'tools/call': onCall, GET: () => status(405) }))
          const connection = await subject.connect(fetch)
          expect(await watch(connection.callTool('add')).settled()).toBe('3')
          await pass(120_000)
          expect(sentOf(sent, 'GET').filter(({ headers }) => headers.has('last-event-id'))).toEqual([])
        },
      },
      {
        name: '`retry` is waited for',
        async run(subject) {
          let call: Sent | undefined
          const { fetch, sent } = scriptedFetch(
            legacyServer({
              'tools/call': (request) => {
                call = request
                return endedStream(emptyEvent('e1', 'retry: 3000\n'))
              },
              GET: ({ headers }) =>
                headers.has('last-event-id') ? endedStream(event(resultOf(call!, '3'))) : status(405),
            }),
          )
          const connection = await subject.connect(fetch)
          const resumed = () => sentOf(sent, 'GET').filter(({ headers }) => headers.has('last-event-id')).length
          const pending = watch(connection.callTool('add'))
          await pass(2_999)
          expect(resumed()).toBe(0)
          await pass(3_000)
          expect(resumed()).toBe(1)
          expect(await pending.settled()).toBe('3')
        },
      },
      ...[
        ['0', 'is no reason to ask without pause'],
        ['86400000', 'is no reason to wait for a day'],
      ].map(([retry, name]) => ({
        name: `retry: ${retry} ${name}`,
        async run(subject: Subject) {
          const { fetch, sent } = scriptedFetch(
            legacyServer({ GET: () => endedStream(emptyEvent('e1', `retry: ${retry}\n`)) }),
          )
          await subject.connect(fetch, { listens: true })
          await until('the client asks for a GET stream', () => sentOf(sent, 'GET').length > 0)
          await pass(120_000)
          const gets = sentOf(sent, 'GET').length
          expect(gets).toBeGreaterThanOrEqual(2)
          // Ten in a second at the most.
          expect(gets).toBeLessThanOrEqual(1_201)
        },
      })),
      {
        name: 'each stream is resumed by its own last id',
        async run(subject) {
          const calls = new Map<string, Sent>()
          const streams = new Map<string, ReturnType<typeof openStream>>()
          const { fetch, sent } = scriptedFetch(
            legacyServer({
              'tools/call': (request) => {
                const name = String(request.body?.params?.name)
                const stream = openStream()
                calls.set(name, request)
                streams.set(name, stream)
                return stream.response
              },
              GET: ({ headers }) => {
                const name = headers.get('last-event-id')?.split('-')[0]
                return name ? endedStream(event(resultOf(calls.get(name)!, name))) : status(405)
              },
            }),
          )
          const connection = await subject.connect(fetch)
          const first = watch(connection.callTool('first'))
          const second = watch(connection.callTool('second'))
          await until('both calls have come', () => streams.size === 2)
          for (const number of [1, 2, 3])
            for (const [name, stream] of streams) stream.push(emptyEvent(`${name}-${number}`))
          // What is cut before it was read is lost.
          await pass(0)
          streams.get('first')!.cut()
          await pass(5_000)
          expect(await first.settled()).toBe('first')
          expect(second.state).toBe('pending')
          streams.get('second')!.cut()
          await pass(5_000)
          expect(await second.settled()).toBe('second')
          const resumed = sentOf(sent, 'GET').map(({ headers }) => headers.get('last-event-id'))
          expect(resumed.filter((id) => id !== null)).toEqual(['first-3', 'second-3'])
        },
      },
      {
        name: 'a new session knows no id of the one before',
        async run(subject) {
          const { fetch, sent } = scriptedFetch(legacyServer({ GET: () => openStream(emptyEvent('e1')).response }))
          for (const count of [1, 2]) {
            const connection = await subject.connect(fetch, { listens: true })
            await until('the client asks for a GET stream', () => sentOf(sent, 'GET').length === count)
            await pass(1_000)
            await connection.close()
          }
          expect(sentOf(sent, 'GET').map(({ headers }) => headers.get('last-event-id'))).toEqual([null, null])
        },
      },
    ],
  },
])
