import { expect, vi } from 'vitest'
import { connect } from '../../src/index.js'
import { legacyServer, modernServer, reply } from '../support/mcp-server.js'
import { mcpRejection } from '../support/rejection.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { until, watch } from './clock.js'
import { inBothEras, type ReportCase, testFieldReports } from './field-report.js'
import { connectOurs } from './our-client.js'
import { url } from './subject.js'
import { openStream, sentOf, status } from './wire.js'

const secret = 'abc-s3cret'

/** The headers of the one form that types allow, and of the two others that `fetch` takes. */
const forms: [name: string, init: HeadersInit][] = [
  ['an object', { Authorization: `Bearer ${secret}`, 'X-Tenant': '7' }],
  ['a Headers', new Headers({ Authorization: `Bearer ${secret}`, 'X-Tenant': '7' })],
  [
    'entries',
    [
      ['Authorization', `Bearer ${secret}`],
      ['X-Tenant', '7'],
    ],
  ],
]

const takesBoth = ({ headers }: Sent) => {
  const types = (headers.get('accept') ?? '').split(',').map((type) => type.split(';')[0]!.trim())
  return types.includes('application/json') && types.includes('text/event-stream')
}

/** Tries to connect with an API key or a token, and shows what a server would see of it. */
async function sentWith(auth: object, token?: string) {
  const { fetch, sent } = scriptedFetch(modernServer())
  const hooks = token === undefined ? {} : { token: async () => token }
  const client = await connectOurs(fetch, { auth: auth as never, hooks })
  await client.callTool('add')
  return sent.map(({ headers }) => headers)
}

const pasted: [name: string, value: string][] = [
  ['a line break at the end', `${secret}\n`],
  ['white space around it', ` \t${secret}\r\n`],
]
const hostile: [name: string, value: string][] = [
  ['a line break and a header', `${secret}\r\nX-A: 1`],
  ['a line feed inside', `${secret}\nx`],
  ['a NUL', `${secret}\0`],
  ['a letter beyond Latin', `${secret}Đ`],
]

testFieldReports([
  {
    id: 'CB-06',
    title: 'GET and DELETE without the caller’s headers and credentials',
    cases: [
      ...(['omit', 'same-origin', 'include', undefined] as const).map(
        (credentials): ReportCase => ({
          name: `credentials ${credentials ?? 'not set'}: POST, GET and DELETE are built alike`,
          async run() {
            const { fetch, sent } = scriptedFetch(legacyServer({ GET: () => openStream().response }))
            const client = await connectOurs(fetch, {
              headers: { 'x-tenant': '7' },
              auth: { type: 'bearer', token: secret },
              ...(credentials && { credentials }),
            })
            client.on('list-changed', () => {})
            await until('the client asks for a GET stream', () => sentOf(sent, 'GET').length === 1)
            await client.callTool('add')
            await client.close()
            expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']))
            for (const request of sent) {
              const seen = {
                tenant: request.headers.get('x-tenant'),
                token: request.headers.get('authorization'),
                credentials: request.init.credentials,
              }
              expect(seen, request.method).toEqual({
                tenant: '7',
                token: `Bearer ${secret}`,
                credentials: credentials ?? 'omit',
              })
            }
            // Within the session each names it and the revision, whatever its method.
            const within = sent.slice(sent.findIndex(({ body }) => body?.method === 'initialize') + 1)
            for (const { headers } of within) {
              expect(headers.get('mcp-session-id')).toBe('session-1')
              expect(headers.get('mcp-protocol-version')).toBe('2025-11-25')
            }
          },
        }),
      ),
    ],
  },
  {
    id: 'CB-15',
    title: 'Headers that vanish with their form',
    cases: forms.flatMap(([name, headers]) =>
      inBothEras(`given as ${name} they are sent`, async (subject, server) => {
        const { fetch, sent } = scriptedFetch(server())
        const connection = await subject.connect(fetch, { headers })
        await watch(connection.callTool('add')).settled()
        await connection.close()
        for (const request of sent) {
          expect(request.headers.get('authorization')).toBe(`Bearer ${secret}`)
          expect(request.headers.get('x-tenant')).toBe('7')
        }
        expect(sentOf(sent, 'tools/call').every(takesBoth)).toBe(true)
      }),
    ),
  },
  {
    id: 'CB-16',
    title: 'An `Accept` that lacks a type',
    cases: [
      ...[
        undefined,
        { 'x-tenant': '7' },
        { Accept: 'application/json' },
        { accept: 'text/event-stream' },
        { ACCEPT: '*/*' },
      ].flatMap((headers) =>
        inBothEras(`both are listed with ${JSON.stringify(headers ?? {})}`, async (subject, server) => {
          const behind = server()
          const { fetch, sent } = scriptedFetch((request) =>
            request.method === 'POST' && !takesBoth(request) ? status(406) : behind(request),
          )
          const connection = await subject.connect(fetch, headers && { headers })
          expect(await watch(connection.callTool('add')).settled()).toBe('add')
          expect(sent.every((request) => request.method !== 'POST' || takesBoth(request))).toBe(true)
        }),
      ),
    ],
  },
  {
    id: 'CB-17',
    title: 'A header value beyond Latin letters',
    cases: [
      ...['Đorđe', '日本', 'naïve', '🦉'].map(
        (value): ReportCase => ({
          name: `${value}: refused before anything is sent, by the header’s name and without its value`,
          async run() {
            const { fetch, sent } = scriptedFetch(modernServer())
            const error = await mcpRejection(connectOurs(fetch, { headers: { 'x-user': value } }))
            expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'x-user' } })
            expect(error.message).toContain('x-user')
            expect(error.message).not.toContain(value)
            expect(sent).toEqual([])
          },
        }),
      ),
    ],
  },
  {
    id: 'CB-18',
    title: 'A secret as it was pasted',
    cases: [
      ...pasted.map(
        ([name, value]): ReportCase => ({
          name: `${name} is not sent`,
          async run() {
            for (const headers of await sentWith({ type: 'api-key', header: 'X-Api-Key', value }))
              expect(headers.get('x-api-key')).toBe(secret)
            for (const headers of await sentWith({ type: 'bearer', token: value }))
              expect(headers.get('authorization')).toBe(`Bearer ${secret}`)
            for (const headers of await sentWith({ type: 'bearer' }, value))
              expect(headers.get('authorization')).toBe(`Bearer ${secret}`)
          },
        }),
      ),
      {
        name: 'a scheme that was pasted along is not doubled',
        async run() {
          for (const token of [`Bearer ${secret}`, `bearer  ${secret}`, ` BEARER ${secret}\n`])
            for (const headers of await sentWith({ type: 'bearer', token }))
              expect(headers.get('authorization')).toBe(`Bearer ${secret}`)
        },
      },
      ...hostile.map(
        ([name, value]): ReportCase => ({
          name: `${name} is refused before anything is sent, and told nowhere`,
          async run() {
            const ways: [key: string, settings: Parameters<typeof connectOurs>[1]][] = [
              ['X-Api-Key', { auth: { type: 'api-key', header: 'X-Api-Key', value } }],
              ['auth', { auth: { type: 'bearer', token: value } }],
              ['auth', { auth: { type: 'bearer' }, hooks: { token: async () => value } }],
              ['x-key', { headers: { 'x-key': value } }],
            ]
            for (const [key, settings] of ways) {
              const { fetch, sent } = scriptedFetch(modernServer())
              const error = await mcpRejection(connectOurs(fetch, settings))
              expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key } })
              expect(`${error.message} ${error.stack} ${JSON.stringify(error.data)} ${error.cause}`).not.toContain(
                's3cret',
              )
              expect(sent).toEqual([])
            }
          },
        }),
      ),
    ],
  },
  {
    id: 'ED-114',
    title: 'A fetch that is called as a method',
    cases: [
      {
        name: 'an injected one is called unbound, for every method',
        async run(subject) {
          const { fetch, sent } = scriptedFetch(legacyServer({ GET: () => openStream().response }))
          const strict = function (this: unknown, ...args: Parameters<typeof fetch>) {
            // As browsers and workers do it.
            if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation')
            return fetch(...args)
          }
          const connection = await subject.connect(strict, { listens: true })
          await until('the client asks for a GET stream', () => sentOf(sent, 'GET').length === 1)
          expect(await watch(connection.callTool('add')).settled()).toBe('add')
          await connection.close()
          expect(sentOf(sent, 'DELETE')).toHaveLength(1)
        },
      },
      {
        name: 'the runtime’s own is called unbound, and looked up at each call, so that a later patch applies',
        async run() {
          // The report is of the global one, so this case alone replaces it.
          const stub = (text: string) =>
            function (this: unknown, ...args: Parameters<typeof fetch>) {
              if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation')
              const onCall = (sent: Sent) => reply(sent, { content: [{ type: 'text', text }] })
              return scriptedFetch(modernServer({ 'tools/call': onCall })).fetch(...args)
            }
          try {
            vi.stubGlobal('fetch', stub('first'))
            const client = await connect(url)
            expect((await client.callTool('add')).content).toMatchObject([{ text: 'first' }])
            vi.stubGlobal('fetch', stub('patched'))
            expect((await client.callTool('add')).content).toMatchObject([{ text: 'patched' }])
            await client.close()
          } finally {
            vi.unstubAllGlobals()
          }
        },
      },
    ],
  },
])
