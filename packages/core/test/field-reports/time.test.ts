import { expect } from 'vitest'
import type { Era } from '../../src/protocol.js'
import { legacyServer } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { inBothEras, type MakeServer, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'
import { event, type OpenStream, openStream, progressOf, resultOf, sentOf, status, tokenOf } from './wire.js'

/** A connection to a server that answers a call by a stream, to be written by the test. */
async function streaming(subject: Subject, server: MakeServer) {
  const calls: { sent: Sent; stream: OpenStream }[] = []
  const onCall = (sent: Sent) => {
    const stream = openStream(': open\n\n')
    calls.push({ sent, stream })
    return stream.response
  }
  const { fetch, sent } = scriptedFetch(server({ 'tools/call': onCall }))
  const connection = await subject.connect(fetch)
  const arrived = async (count = 1) => {
    await until('the call has come', () => calls.length === count)
    return calls[count - 1]!
  }
  return { connection, sent, arrived }
}

/** What a server may wrongly say of progress, behind and before a reply. */
const wrongProgress = (sent: Sent) =>
  [
    event(progressOf(sent, 1, 424_242)),
    event(progressOf(sent, 2, 'never-issued')),
    event(progressOf(sent, 3, tokenOf(sent) === undefined ? 'none' : String(tokenOf(sent)))),
    event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }),
    event({ jsonrpc: '2.0', method: 'notifications/progress' }),
  ].join('')

/** How a server of this era learns that a call is given up. */
async function toldToStop(era: Era, sent: Sent[], { sent: call, stream }: { sent: Sent; stream: OpenStream }) {
  await until('the client lets go of the stream', () => stream.left)
  const cancelled = sentOf(sent, 'notifications/cancelled').map(({ body }) => body?.params)
  if (era === 'modern') expect(cancelled).toEqual([])
  else expect(cancelled).toMatchObject([{ requestId: call.body?.id }])
}

testFieldReports([
  {
    id: 'TI-87',
    title: 'A call that shows progress times out',
    cases: [
      ...inBothEras(
        'progress begins the idle time anew, though the app does not listen to it',
        async (subject, server) => {
          const { connection, arrived } = await streaming(subject, server)
          const call = watch(connection.callTool('add', {}, { idleTimeoutMs: 300, timeoutMs: 60_000 }))
          const { sent, stream } = await arrived()
          for (let progress = 1; progress <= 10; progress++) {
            await pass(100)
            expect(call.state, `after ${progress * 100} ms`).toBe('pending')
            stream.push(event(progressOf(sent, progress)))
          }
          stream.push(event(resultOf(sent, '3')))
          expect(await call.settled()).toBe('3')
        },
        /after 300 ms/,
      ),
      ...inBothEras(
        'without progress the idle time ends the call, and the server is told',
        async (subject, server, era) => {
          const { connection, sent, arrived } = await streaming(subject, server)
          const call = watch(connection.callTool('add', {}, { idleTimeoutMs: 300, timeoutMs: 60_000 }))
          const running = await arrived()
          await pass(200)
          running.stream.push(event(progressOf(running.sent, 1)))
          await pass(299)
          expect(call.state).toBe('pending')
          await pass(1)
          const error = await call.rejection()
          expect(error).toMatchObject({
            code: 'ERR_MCP_TIMEOUT',
            data: { limit: 300, tool: 'add', outcome: 'unknown' },
          })
          expect((error as Error).message).toContain('without progress')
          await toldToStop(era, sent, running)
        },
      ),
      ...inBothEras(
        'no progress puts off the end of all the time, and the server is told',
        async (subject, server, era) => {
          const { connection, sent, arrived } = await streaming(subject, server)
          const call = watch(connection.callTool('add', {}, { idleTimeoutMs: 300, timeoutMs: 500 }))
          const running = await arrived()
          for (let progress = 1; progress <= 4; progress++) {
            await pass(100)
            running.stream.push(event(progressOf(running.sent, progress)))
          }
          await pass(99)
          expect(call.state).toBe('pending')
          await pass(1)
          const error = await call.rejection()
          expect(error).toMatchObject({
            code: 'ERR_MCP_TIMEOUT',
            data: { limit: 500, tool: 'add', outcome: 'unknown' },
          })
          expect((error as Error).message).toContain('in all')
          await toldToStop(era, sent, running)
        },
      ),
    ],
  },
  {
    id: 'TI-88',
    title: 'Progress that nobody waits for',
    cases: [
      ...inBothEras(
        'after the reply, of an unknown token, of a token as a string: passed over',
        async (subject, server) => {
          const { connection, arrived } = await streaming(subject, server)
          const progress: number[] = []
          const onProgress = (told: { progress: number }) => void progress.push(told.progress)
          const call = watch(connection.callTool('add', {}, { onProgress }))
          const { sent, stream } = await arrived()
          stream.push(`${wrongProgress(sent)}${event(resultOf(sent, '3'))}${event(progressOf(sent, 9))}`)
          expect(await call.settled()).toBe('3')
          const next = watch(connection.callTool('add'))
          const { sent: nextSent, stream: nextStream } = await arrived(2)
          // Of the call that is over, on the stream of one that runs.
          nextStream.push(`${event(progressOf(sent, 10))}${event(resultOf(nextSent, '4'))}`)
          expect(await next.settled()).toBe('4')
          expect(progress).not.toContain(9)
          expect(progress).not.toContain(10)
          expect(connection.told, 'what the app was told').toEqual([])
        },
        /what the app was told/,
      ),
      ...inBothEras('that goes down disturbs nothing', async (subject, server) => {
        const { connection, arrived } = await streaming(subject, server)
        const progress: number[] = []
        const onProgress = (told: { progress: number }) => void progress.push(told.progress)
        const call = watch(connection.callTool('add', {}, { onProgress }))
        const { sent, stream } = await arrived()
        for (const step of [1, 5, 3]) stream.push(event(progressOf(sent, step)))
        stream.push(event(resultOf(sent, '3')))
        expect(await call.settled()).toBe('3')
        expect(progress.slice(0, 2)).toEqual([1, 5])
        expect(connection.told).toEqual([])
      }),
    ],
  },
  {
    id: 'TI-89',
    title: 'A cancelled call goes on',
    cases: [
      ...inBothEras(
        'in the middle: the server is told without the app’s words, and the socket is free before close()',
        async (subject, server, era) => {
          const { connection, sent, arrived } = await streaming(subject, server)
          const abort = new AbortController()
          const reason = new Error('words of the app')
          const call = watch(connection.callTool('add', {}, { signal: abort.signal }))
          const running = await arrived()
          abort.abort(reason)
          const error = await call.rejection()
          await toldToStop(era, sent, running)
          for (const { body } of sent) expect(JSON.stringify(body)).not.toContain('words of the app')
          expect(error).toBe(reason)
          expect(connection.told).toEqual([])
        },
        { legacy: /the client lets go of the stream/ },
      ),
      ...inBothEras('before it is sent: nothing is sent', async (subject, server) => {
        const { connection, sent } = await streaming(subject, server)
        const before = sent.length
        const reason = new Error('changed my mind')
        const call = watch(connection.callTool('add', {}, { signal: AbortSignal.abort(reason) }))
        expect(await call.rejection()).toBe(reason)
        await pass(1_000)
        expect(sent).toHaveLength(before)
      }),
      ...inBothEras('in the same turn: the server is told, or was never asked', async (subject, server) => {
        const { connection, sent } = await streaming(subject, server)
        const abort = new AbortController()
        const reason = new Error('changed my mind')
        const call = watch(connection.callTool('add', {}, { signal: abort.signal }))
        abort.abort(reason)
        expect(await call.rejection()).toBe(reason)
        await pass(10_000)
        for (const { signal } of sentOf(sent, 'tools/call')) expect(signal.aborted).toBe(true)
      }),
      ...inBothEras('after the reply: nothing is sent', async (subject, server) => {
        const { fetch, sent } = scriptedFetch(server())
        const connection = await subject.connect(fetch)
        const abort = new AbortController()
        expect(await watch(connection.callTool('add', {}, { signal: abort.signal })).settled()).toBe('add')
        const before = sent.length
        abort.abort()
        await pass(10_000)
        expect(sent).toHaveLength(before)
        expect(await watch(connection.callTool('add')).settled()).toBe('add')
      }),
      {
        name: 'legacy: while connecting: the handshake is never cancelled by a message',
        async run(subject) {
          const abort = new AbortController()
          const reason = new Error('left the page')
          const { fetch, sent } = scriptedFetch(legacyServer({ initialize: () => new Promise<never>(() => {}) }))
          const connecting = watch(subject.connect(fetch, { hooks: { signal: abort.signal } }))
          // The first connect also loads the engine's code.
          while (sentOf(sent, 'initialize').length === 0) await new Promise(setImmediate)
          abort.abort(reason)
          expect(await connecting.rejection()).toBe(reason)
          await pass(10_000)
          expect(sentOf(sent, 'notifications/cancelled')).toEqual([])
          expect(sentOf(sent, 'initialize')[0]!.signal.aborted).toBe(true)
        },
      },
      ...inBothEras('and close() right after', async (subject, server) => {
        const { connection, arrived } = await streaming(subject, server)
        const abort = new AbortController()
        const reason = new Error('left the page')
        const call = watch(connection.callTool('add', {}, { signal: abort.signal }))
        const { stream } = await arrived()
        abort.abort(reason)
        const closing = watch(connection.close())
        expect(await call.rejection()).toBe(reason)
        await closing.settled()
        await until('the client lets go of the stream', () => stream.left)
      }),
      ...inBothEras('a reply that comes too late is dropped', async (subject, server) => {
        const { fetch, sent } = scriptedFetch(
          server({
            'tools/call': (request) =>
              request.body?.params?.name === 'slow'
                ? new Promise((resolve) => late.push(() => resolve(Response.json(resultOf(request, 'late')))))
                : Response.json(resultOf(request, 'next')),
          }),
        )
        const late: (() => void)[] = []
        const connection = await subject.connect(fetch)
        const abort = new AbortController()
        const call = watch(connection.callTool('slow', {}, { signal: abort.signal }))
        await until('the call has come', () => late.length === 1)
        abort.abort(new Error('changed my mind'))
        await call.rejection()
        late[0]!()
        await pass(10_000)
        expect(connection.told).toEqual([])
        expect(await watch(connection.callTool('next')).settled()).toBe('next')
        expect(sentOf(sent, 'tools/call')).toHaveLength(2)
      }),
    ],
  },
  {
    id: 'TI-90',
    title: 'Rejections that nobody handles',
    cases: [
      // What is left unhandled fails each test of these files, whatever else it shows.
      ...inBothEras('a stream that breaks under a call, or under nobody', async (subject, server) => {
        const { connection, arrived } = await streaming(subject, server)
        const call = watch(connection.callTool('add', {}, { timeoutMs: 60_000 }))
        const running = await arrived()
        running.stream.push(event(resultOf(running.sent, '3')))
        await call.settled()
        if (!running.stream.left) running.stream.cut()
        const next = watch(connection.callTool('add', {}, { timeoutMs: 60_000 }))
        ;(await arrived(2)).stream.cut()
        await pass(60_000)
        await next.rejection()
      }),
      ...inBothEras('an abort whose call nobody waits for, and close() twice at once', async (subject, server) => {
        const { connection, arrived } = await streaming(subject, server)
        const abort = new AbortController()
        const call = watch(connection.callTool('add', {}, { signal: abort.signal }))
        await arrived()
        abort.abort()
        const closings = [connection.close(), connection.close()].map(watch)
        for (const closing of closings) await closing.settled()
        await call.rejection()
        await watch(connection.close()).settled()
      }),
      {
        name: 'legacy: close() while a GET stream waits to be opened again',
        async run(subject) {
          const stream = openStream('id: 1\nretry: 5000\ndata:\n\n')
          const { fetch, sent } = scriptedFetch(
            legacyServer({ GET: () => (stream.left ? status(405) : stream.response), DELETE: () => status(500) }),
          )
          const connection = await subject.connect(fetch, { listens: true })
          await until('the client asks for a GET stream', () => sentOf(sent, 'GET').length === 1)
          await pass(100)
          stream.cut()
          await pass(100)
          await watch(connection.close()).settled()
          await pass(600_000)
          expect(sentOf(sent, 'GET')).toHaveLength(1)
        },
      },
      {
        name: 'legacy: close() in the middle of a GET whose headers don’t come',
        async run(subject) {
          const { fetch, sent } = scriptedFetch(legacyServer({ GET: () => new Promise<never>(() => {}) }))
          const connection = await subject.connect(fetch, { listens: true })
          await until('the client asks for a GET stream', () => sentOf(sent, 'GET').length === 1)
          await watch(connection.close()).settled()
          expect(sentOf(sent, 'GET')[0]!.signal.aborted).toBe(true)
        },
      },
      {
        name: 'legacy: close() while a call’s reply waits to be resumed',
        async run(subject) {
          const { fetch, sent } = scriptedFetch(
            legacyServer({
              'tools/call': () =>
                new Response('id: e1\nretry: 5000\ndata:\n\n', { headers: { 'content-type': 'text/event-stream' } }),
              GET: () => status(405),
            }),
          )
          const connection = await subject.connect(fetch)
          const call = watch(connection.callTool('add'))
          await until('the call has come', () => sentOf(sent, 'tools/call').length === 1)
          await pass(100)
          await watch(connection.close()).settled()
          expect(await call.rejection()).toMatchObject({
            code: 'ERR_MCP_OUTCOME_UNKNOWN',
            data: { outcome: 'unknown' },
          })
          await pass(600_000)
          expect(sentOf(sent, 'GET').filter(({ headers }) => headers.has('last-event-id'))).toEqual([])
        },
      },
    ],
  },
])
