import { expect } from 'vitest'
import { browserFetch } from '../support/browser-fetch.js'
import { legacyServer, modernServer } from '../support/mcp-server.js'
import { mcpRejection } from '../support/rejection.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { watch } from './clock.js'
import { inBothEras, type ReportCase, testFieldReports } from './field-report.js'
import { connectOurs } from './our-client.js'
import { url } from './subject.js'
import { sentOf } from './wire.js'

const redirect = (status: number, location: string) => new Response(null, { status, headers: { location } })

const auth = { type: 'api-key', header: 'x-api-key', value: 's3cret-key' } as const
const headers = { authorization: 'Bearer s3cret-token', 'x-tenant': 's3cret-tenant' }

const eras = [modernServer, legacyServer]

/** Where a request with credentials must not go from `https://server.example`. */
const elsewhere = [
  'https://evil.example/mcp',
  '//evil.example/mcp',
  'http://server.example/mcp',
  'https://server.example:8443/mcp',
  'https://server.example@evil.example/mcp',
]

/** Within the origin, but nowhere to send a request: fetch itself refuses such a URL. */
const withUserName = 'https://user:s3cret@server.example/mcp'

testFieldReports([
  {
    id: 'TR-80',
    title: 'Redirects, and the slash at the end',
    cases: [
      ...[307, 308].flatMap((status) =>
        inBothEras(`${status} within the origin is followed, with method, body and headers`, async (_, server) => {
          const behind = server()
          const { fetch, sent } = scriptedFetch((request) =>
            request.url === url ? redirect(status, '/mcp/') : behind(request),
          )
          const client = await connectOurs(fetch, { auth, headers })
          const { content } = await watch(client.callTool('add', { a: '1' })).settled()
          expect(content).toEqual([{ type: 'text', text: 'add' }])
          const [first, second] = sentOf(sent, 'tools/call') as [Sent, Sent]
          expect(second.url).toBe('https://server.example/mcp/')
          expect(second.method).toBe('POST')
          expect(second.body).toEqual(first.body)
          expect([...second.headers]).toEqual([...first.headers])
          expect(second.headers.get('x-api-key')).toBe('s3cret-key')
        }),
      ),
      ...[301, 302, 303].flatMap((status) =>
        inBothEras(`${status} is refused, and the error names where it leads`, async (_, server) => {
          const { fetch, sent } = scriptedFetch(
            server({ 'tools/call': () => redirect(status, 'https://other.example/mcp?token=s3cret') }),
          )
          const client = await connectOurs(fetch)
          const error = await watch(client.callTool('add')).rejection()
          expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status, reason: 'redirect', tool: 'add' } })
          expect((error as Error).message).toContain('https://other.example')
          expect((error as Error).message).not.toContain('s3cret')
          expect(sentOf(sent, 'tools/call')).toHaveLength(1)
          expect(sentOf(sent, 'GET')).toEqual([])
        }),
      ),
      {
        name: 'a URL with a user name is refused, and not told',
        async run() {
          const { fetch, sent } = scriptedFetch(() => redirect(307, withUserName))
          const error = await mcpRejection(connectOurs(fetch))
          expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'redirect' } })
          expect(error.message).not.toContain('s3cret')
          expect(sent).toHaveLength(1)
        },
      },
      {
        name: 'a loop ends',
        async run() {
          const { fetch, sent } = scriptedFetch(({ url: from }) => redirect(307, from === url ? '/b' : '/mcp'))
          const error = await mcpRejection(connectOurs(fetch))
          expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'redirect' } })
          // The request and three redirects; once, for a redirect says nothing of the era.
          expect(sent).toHaveLength(4)
        },
      },
      {
        name: 'the URL is used as it is configured',
        async run(subject) {
          for (const given of [
            'https://server.example/mcp',
            'https://server.example/mcp/',
            'https://server.example/a//b/',
          ]) {
            for (const server of eras) {
              const { fetch, sent } = scriptedFetch(server())
              const connection = await subject.connect(fetch, { url: given })
              await watch(connection.callTool('add')).settled()
              await connection.close()
              expect(new Set(sent.map((request) => request.url))).toEqual(new Set([given]))
            }
          }
        },
      },
      {
        name: 'in a browser, which hides where it leads, any is refused by name',
        async run() {
          const { fetch } = scriptedFetch(() => redirect(307, '/mcp/'))
          const inPage = browserFetch(fetch, {
            origin: true,
            allowHeaders: ['content-type', 'mcp-method', 'mcp-protocol-version'],
          })
          expect(await mcpRejection(connectOurs(inPage))).toMatchObject({
            code: 'ERR_MCP_HTTP',
            data: { reason: 'redirect' },
          })
        },
      },
    ],
  },
  {
    id: 'TR-81',
    title: 'Credentials that follow a redirect',
    cases: [
      ...elsewhere.flatMap((location) =>
        [307, 308].map(
          (status): ReportCase => ({
            name: `${status} to ${location} is refused, and nothing is sent there`,
            async run() {
              const { fetch, sent } = scriptedFetch(() => redirect(status, location))
              const error = await mcpRejection(connectOurs(fetch, { auth, headers }))
              expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status, reason: 'redirect' } })
              expect(error.message).toContain(new URL(location, url).origin)
              expect(error.message).not.toContain('s3cret')
              expect(sent.map((request) => request.url)).toEqual([url])
            },
          }),
        ),
      ),
      ...inBothEras('nor behind a redirect within the origin, for a call', async (_, server) => {
        const behind = server()
        const { fetch, sent } = scriptedFetch((request) => {
          if (request.body?.method !== 'tools/call') return behind(request)
          return request.url === url ? redirect(307, '/hop') : redirect(307, 'https://evil.example/mcp')
        })
        const client = await connectOurs(fetch, { auth, headers })
        expect(await watch(client.callTool('add')).rejection()).toMatchObject({
          code: 'ERR_MCP_HTTP',
          data: { reason: 'redirect', outcome: 'not-run' },
        })
        expect(new Set(sent.map((request) => new URL(request.url).origin))).toEqual(new Set(['https://server.example']))
      }),
      ...inBothEras('no request lets fetch follow by itself', async (_, server) => {
        const { fetch, sent } = scriptedFetch(server())
        const client = await connectOurs(fetch, { auth, headers })
        await watch(client.callTool('add')).settled()
        await client.close()
        expect(new Set(sent.map(({ init }) => init.redirect))).toEqual(new Set(['manual']))
      }),
      {
        name: 'the questions that tell CORS from a dead server carry no credentials',
        async run() {
          const { fetch, sent } = scriptedFetch(() => new Response(null))
          const error = await mcpRejection(connectOurs(browserFetch(fetch, {}), { auth, headers }))
          expect(error).toMatchObject({ code: 'ERR_MCP_CORS' })
          expect(sent.length).toBeGreaterThan(0)
          for (const request of sent) {
            expect([...request.headers.values()].join()).not.toContain('s3cret')
            expect(request.init.credentials).toBe('omit')
          }
        },
      },
    ],
  },
])
