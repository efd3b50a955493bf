import { expect } from 'vitest'
import { reply } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { inBothEras, type MakeServer, type ReportCase, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'
import { resultOf, sentOf } from './wire.js'

const refusal = (status: number, retryAfter?: string) =>
  new Response('slow down', { status, ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }) })

/** Calls a tool of a server that refuses so many times first. */
async function callRefused(
  subject: Subject,
  server: MakeServer,
  { times = 1, answer, timeoutMs = 60_000 }: { times?: number; answer: () => Response; timeoutMs?: number },
) {
  let calls = 0
  const onCall = (sent: Sent) => (calls++ < times ? answer() : Response.json(resultOf(sent, '3')))
  const { fetch, sent } = scriptedFetch(server({ 'tools/call': onCall }))
  const connection = await subject.connect(fetch)
  const call = watch(connection.callTool('add', {}, { timeoutMs }))
  await until('the call has come', () => calls > 0)
  return { call, calls: () => sentOf(sent, 'tools/call').length }
}

const always = Number.POSITIVE_INFINITY
const rateLimited = /429|slow down/

/** A wait that the server asks for in one of its forms: none sooner, and not much later. */
const waits = (name: string, ms: number, answer: () => Response, sdkFails?: RegExp): ReportCase[] =>
  inBothEras(
    name,
    async (subject, server) => {
      const { call, calls } = await callRefused(subject, server, { answer })
      await pass(ms - 1)
      expect(calls()).toBe(1)
      // Clients that were refused together must not come back together: some may come a little later.
      await pass(ms)
      expect(await call.settled()).toBe('3')
      expect(calls()).toBe(2)
    },
    sdkFails,
  )

testFieldReports([
  {
    id: 'TR-82',
    title: 'Too many requests',
    cases: [
      ...waits('429 with seconds is waited out', 1_000, () => refusal(429, '1'), rateLimited),
      ...waits(
        '429 with an HTTP date is waited out',
        4_000,
        () => refusal(429, new Date(Date.now() + 4_000).toUTCString()),
        rateLimited,
      ),
      ...waits('503 with seconds is waited out', 2_000, () => refusal(503, '2'), /503|slow down/),
      ...inBothEras(
        '429 that says no time, or hides it from the page, is tried again soon',
        async (subject, server) => {
          const { call, calls } = await callRefused(subject, server, { answer: () => refusal(429) })
          expect(calls()).toBe(1)
          await pass(30_000)
          expect(await call.settled()).toBe('3')
          expect(calls()).toBe(2)
        },
      ),
      ...inBothEras(
        'a wait past the deadline is not begun: the call fails at once, and says how long',
        async (subject, server) => {
          for (const seconds of [60, 600, 4_294_967_296]) {
            const answer = () => refusal(429, String(seconds))
            const { call, calls } = await callRefused(subject, server, { times: always, answer })
            expect(await call.rejection()).toMatchObject({
              code: 'ERR_MCP_HTTP',
              data: { status: 429, reason: 'rate-limited', retryAfterMs: seconds * 1_000, outcome: 'not-run' },
            })
            expect(calls()).toBe(1)
          }
        },
      ),
      ...inBothEras('while connecting it is waited out too', async (subject, server) => {
        for (const method of ['server/discover', 'initialize', 'notifications/initialized']) {
          const behind = server()
          let asked = 0
          const { fetch, sent } = scriptedFetch((request) =>
            request.body?.method === method && asked++ === 0 ? refusal(429, '1') : behind(request),
          )
          const connecting = watch(subject.connect(fetch))
          // A modern server is never asked the other two.
          while (connecting.state === 'pending' && asked === 0) await new Promise(setImmediate)
          if (asked > 0) {
            await pass(999)
            expect(asked, method).toBe(1)
            await pass(1_000)
          }
          const connection = await connecting.settled()
          expect(await watch(connection.callTool('add')).settled()).toBe('add')
          expect(sentOf(sent, method)).toHaveLength(asked)
        }
      }),
      ...inBothEras('a server that always refuses is asked three times', async (subject, server) => {
        const { call, calls } = await callRefused(subject, server, { times: always, answer: () => refusal(429, '1') })
        await pass(30_000)
        expect(await call.rejection()).toMatchObject({
          code: 'ERR_MCP_HTTP',
          data: { status: 429, reason: 'rate-limited', retryAfterMs: 1_000, outcome: 'not-run' },
        })
        expect(calls()).toBe(3)
      }),
      ...inBothEras('the waits end with the call’s time', async (subject, server) => {
        const answer = () => refusal(429, '2')
        const { call, calls } = await callRefused(subject, server, { times: always, answer, timeoutMs: 3_000 })
        await pass(3_000)
        expect(await call.rejection()).toMatchObject({ data: { tool: 'add', outcome: 'not-run' } })
        expect(calls()).toBe(2)
      }),
      ...inBothEras('503 without a time proves nothing: it is not sent again', async (subject, server) => {
        const { call, calls } = await callRefused(subject, server, { times: always, answer: () => refusal(503) })
        expect(await call.rejection()).toMatchObject({
          code: 'ERR_MCP_HTTP',
          data: { status: 503, outcome: 'unknown' },
        })
        await pass(60_000)
        expect(calls()).toBe(1)
      }),
      ...inBothEras('a tool’s own words about a limit are its result', async (subject, server) => {
        const text = '429 Too Many Requests: rate limit exceeded, retry after 1 second'
        const onCall = (sent: Sent) => reply(sent, { content: [{ type: 'text', text }], isError: true })
        const { fetch, sent } = scriptedFetch(server({ 'tools/call': onCall }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.callTool('add')).settled()).toBe(text)
        await pass(60_000)
        expect(sentOf(sent, 'tools/call')).toHaveLength(1)
      }),
    ],
  },
])
