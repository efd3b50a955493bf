import { expect } from 'vitest'
import { legacyServer, methodsSent, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { mcpRejection } from '../support/rejection.js'
import { connectionRefused, type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { watch } from './clock.js'
import { type MakeServer, plainLegacyServer, type ReportCase, testFieldReports } from './field-report.js'
import { connectOurs } from './our-client.js'
import type { Subject } from './subject.js'
import { sentOf, status } from './wire.js'

type Answer = (sent: Sent) => Response | Promise<Response>

/** Connects to a server that answers every POST by one, every GET by the other. */
async function connectFailing(post: Answer, get: Answer = () => status(404)) {
  const { fetch, sent } = scriptedFetch((request) => (request.method === 'POST' ? post(request) : get(request)))
  const error = await mcpRejection(connectOurs(fetch))
  return { error, sent, gets: sent.filter(({ method }) => method === 'GET').length }
}

/** The revision that `initialize` offered. */
const offered = (sent: Sent) => String(sent.body?.params?.protocolVersion)

const accept: Answer = (sent) =>
  reply(
    sent,
    { protocolVersion: offered(sent), capabilities: { tools: {} }, serverInfo },
    { headers: { 'mcp-session-id': 'session-1' } },
  )

/** A server that has these revisions, and refuses any other that it is offered. */
const refusing = (has: string[], refuse: Answer): Parameters<MakeServer>[0] => ({
  initialize: (sent) => (has.includes(offered(sent)) ? accept(sent) : refuse(sent)),
})

/** Calls a tool, and tells which revisions were offered; the agreed one must be said from then on. */
async function offers(subject: Subject, own: Parameters<MakeServer>[0], agreed: string): Promise<string[]> {
  const { fetch, sent } = scriptedFetch(plainLegacyServer(own))
  const connection = await subject.connect(fetch)
  expect(await watch(connection.callTool('add')).settled()).toBe('add')
  const handshakes = sentOf(sent, 'initialize')
  expect(handshakes.map(({ headers }) => headers.get('mcp-protocol-version'))).toEqual(handshakes.map(() => null))
  const negotiated = ['notifications/initialized', 'tools/call'].flatMap((kind) => sentOf(sent, kind))
  expect(negotiated.map(({ headers }) => headers.get('mcp-protocol-version'))).toEqual([agreed, agreed])
  return handshakes.map(offered)
}

const inWords =
  (text: string): Answer =>
  () =>
    new Response(text, { status: 400 })
const byData =
  (supported: string[], code = 400): Answer =>
  (sent) =>
    rpcError(sent, -32602, 'Unsupported protocol version', { supported, requested: offered(sent) }, { status: code })

/** A refusal, the revisions that the server has, and the revision that is offered next. */
const refusals: [what: string, has: string, refuse: Answer][] = [
  ['400 with -32602 and data.supported', '2025-03-26', byData(['2024-11-05', '2025-03-26'])],
  ['200 with -32602 and data.supported', '2025-03-26', byData(['2024-11-05', '2025-03-26'], 200)],
  ['400 with -32602 and no more', '2025-06-18', (sent) => rpcError(sent, -32602, 'no', undefined, { status: 400 })],
  [
    'an error whose text names the revisions',
    '2025-03-26',
    (sent) => rpcError(sent, -32600, 'Unsupported: 2025-11-25. Use 2024-11-05 or 2025-03-26', undefined),
  ],
  ['400 in words that name them', '2025-03-26', inWords('Bad Request: supported versions: 2025-03-26, 2024-11-05')],
  ['400 in words that name none', '2025-06-18', inWords('Unsupported protocol version')],
  ['400 that names the offered one alone', '2025-06-18', inWords('Unsupported protocol version: 2025-11-25')],
  ['400 without a word', '2025-06-18', inWords('')],
]

testFieldReports([
  {
    id: 'TR-66',
    title: 'A fallback that hides the cause',
    cases: [
      ...[
        ['401', () => status(401), 'ERR_MCP_UNAUTHORIZED', { status: 401 }],
        ['403', () => status(403), 'ERR_MCP_HTTP', { status: 403 }],
        ['500', () => status(500), 'ERR_MCP_HTTP', { status: 500 }],
        ['a TypeError', () => Promise.reject(connectionRefused()), 'ERR_MCP_CONNECT', { reason: 'network' }],
      ].flatMap(([name, post, code, data]) =>
        [
          ['each POST', post as Answer],
          ['initialize', legacyServer({ initialize: post as Answer })],
        ].map(
          ([what, answer]): ReportCase => ({
            name: `${name} to ${what} is what is told, and no event stream is asked for`,
            async run() {
              const { error, gets } = await connectFailing(answer as Answer)
              expect(error).toMatchObject({ code, data })
              expect(gets).toBe(0)
            },
          }),
        ),
      ),
      ...[
        [-32601, 404],
        [-32600, 400],
        [-32022, 400],
        [-32000, 405],
      ].map(
        ([code, httpStatus]): ReportCase => ({
          name: `${httpStatus} with the JSON-RPC error ${code} is what is told, and no event stream is asked for`,
          async run() {
            const refuse: Answer = (sent) => rpcError(sent, code!, 'no', undefined, { status: httpStatus! })
            const { error, gets } = await connectFailing(legacyServer({ initialize: refuse }))
            expect(error).toMatchObject({ code: 'ERR_MCP_JSONRPC', data: { rpcCode: code, status: httpStatus } })
            expect(gets).toBe(0)
          },
        }),
      ),
      ...[400, 404, 405].map(
        (code): ReportCase => ({
          name: `${code} to initialize: an event stream is asked for, and both failures are told`,
          async run() {
            for (const onGet of [404, 405, 500]) {
              const { error, gets } = await connectFailing(
                () => status(code),
                () => status(onGet),
              )
              expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: code, method: 'initialize' } })
              expect(gets).toBe(1)
              expect(error.data.attempts).toMatchObject([
                { transport: 'streamable-http', era: 'modern', status: code },
                { transport: 'streamable-http', era: 'legacy', status: code },
                { transport: 'sse', era: 'legacy', status: onGet },
                // A 400 may have been for the revision's sake.
                ...(code === 400 ? [{ transport: 'streamable-http', era: 'legacy', status: code }] : []),
              ])
            }
          },
        }),
      ),
    ],
  },
  {
    id: 'MO-84',
    title: 'A server that refuses a newer revision',
    cases: [
      ...refusals.map(
        ([what, has, refuse]): ReportCase => ({
          name: `${what}: offered once more is ${has}`,
          async run(subject) {
            expect(await offers(subject, refusing([has], refuse), has)).toEqual(['2025-11-25', has])
          },
          sdkFails: /^Error POSTing to endpoint|^Unsupported/,
        }),
      ),
      {
        name: 'a third revision is not offered',
        async run() {
          for (const refuse of [byData(['2025-03-26']), inWords('Unsupported protocol version'), inWords('')]) {
            const { fetch, sent } = scriptedFetch(plainLegacyServer(refusing([], refuse)))
            const error = await mcpRejection(connectOurs(fetch))
            expect(['ERR_MCP_JSONRPC', 'ERR_MCP_HTTP']).toContain(error.code)
            expect(sentOf(sent, 'initialize')).toHaveLength(2)
          }
        },
      },
      {
        name: 'a refusal that names none in common is told, and nothing else is offered',
        async run() {
          const { fetch, sent } = scriptedFetch(plainLegacyServer(refusing([], byData(['2031-01-01', '2030-01-01']))))
          const error = await mcpRejection(connectOurs(fetch))
          expect(error).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
          expect(error.message).toContain('2031-01-01, 2030-01-01')
          expect(sentOf(sent, 'initialize')).toHaveLength(1)
        },
      },
      {
        name: 'a refusal for another reason is that',
        async run() {
          const refuse: Answer = (sent) => rpcError(sent, -32603, 'broken')
          const { fetch, sent } = scriptedFetch(plainLegacyServer(refusing([], refuse)))
          expect(await mcpRejection(connectOurs(fetch))).toMatchObject({ data: { rpcCode: -32603 } })
          expect(sentOf(sent, 'initialize')).toHaveLength(1)
        },
      },
      {
        name: 'a configured revision that is refused is told, and no other is offered',
        async run() {
          for (const refuse of [byData(['2025-03-26']), inWords('use 2025-03-26')]) {
            const { fetch, sent } = scriptedFetch(plainLegacyServer(refusing([], refuse)))
            const error = await mcpRejection(connectOurs(fetch, { protocolVersion: '2025-06-18' }))
            expect(error).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
            expect(error.message).toMatch(/2025-06-18.*2025-03-26/)
            expect(methodsSent({ sent })).toEqual(['initialize'])
          }
        },
      },
      ...['2025-06-18', '2025-03-26', '2024-11-05'].map(
        (answered): ReportCase => ({
          name: `the earlier ${answered} in the result is spoken from then on`,
          async run(subject) {
            const initialize: Answer = (sent) =>
              reply(sent, { protocolVersion: answered, capabilities: { tools: {} }, serverInfo })
            expect(await offers(subject, { initialize }, answered)).toEqual(['2025-11-25'])
          },
        }),
      ),
      ...['2031-01-01', '2026-07-28', '1999-01-01', 'draft'].map(
        (answered): ReportCase => ({
          name: `${answered} in the result is told, and the session ended`,
          async run() {
            const initialize: Answer = (sent) =>
              reply(
                sent,
                { protocolVersion: answered, capabilities: {}, serverInfo },
                { headers: { 'mcp-session-id': 'session-1' } },
              )
            const { fetch, sent } = scriptedFetch(plainLegacyServer({ initialize }))
            const error = await mcpRejection(connectOurs(fetch))
            expect(error).toMatchObject({ code: 'ERR_MCP_PROTOCOL_VERSION' })
            expect(error.message).toContain(answered)
            expect(error.message).toContain('2025-11-25')
            while (sentOf(sent, 'DELETE').length === 0) await new Promise(setImmediate)
            expect(methodsSent({ sent })).toEqual(['server/discover', 'initialize', 'DELETE'])
          },
        }),
      ),
    ],
  },
])
