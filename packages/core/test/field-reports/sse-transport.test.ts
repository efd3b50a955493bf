import { expect } from 'vitest'
import { mcpRejection } from '../support/rejection.js'
import { scriptedFetch } from '../support/scripted-fetch.js'
import { watch } from './clock.js'
import { type ReportCase, testFieldReports } from './field-report.js'
import { connectOurs } from './our-client.js'
import { sseServer } from './sse-server.js'

const transport = 'sse'
const url = 'https://server.example/base/sse'

testFieldReports([
  {
    id: 'TR-67',
    title: 'Where an `endpoint` event leads',
    cases: [
      ...[
        'https://evil.example/x',
        '//evil.example/x',
        'http://server.example/base/x',
        'https://server.example:8443/base/x',
        'javascript:alert(1)',
        'data:text/plain,x',
      ].map(
        (endpoint): ReportCase => ({
          name: `${endpoint}: refused, and nothing is sent there`,
          async run() {
            const { fetch, sent } = scriptedFetch(sseServer(endpoint).answer)
            await mcpRejection(connectOurs(fetch, { url, transport }))
            expect(sent.length).toBeGreaterThan(0)
            expect(sent.map((request) => [request.method, request.url])).toEqual(sent.map(() => ['GET', url]))
          },
        }),
      ),
      ...[
        ['/messages?sid=1', 'https://server.example/messages?sid=1'],
        ['messages', 'https://server.example/base/messages'],
        ['?sid=1', 'https://server.example/base/sse?sid=1'],
        ['https://server.example/base/messages', 'https://server.example/base/messages'],
      ].map(
        ([endpoint, target]): ReportCase => ({
          name: `${endpoint} is POSTed to at ${target}`,
          async run(subject) {
            const { fetch, sent } = scriptedFetch(sseServer(endpoint!).answer)
            const connection = await subject.connect(fetch, { url, transport })
            expect(await watch(connection.callTool('add')).settled()).toBe('add')
            const posts = sent.filter(({ method }) => method === 'POST')
            expect(new Set(posts.map((request) => request.url))).toEqual(new Set([target]))
            expect(posts.map(({ body }) => body?.method)).toEqual([
              'initialize',
              'notifications/initialized',
              'tools/call',
            ])
          },
        }),
      ),
      {
        name: 'a relative one is resolved against where a redirect led',
        async run(subject) {
          const server = sseServer('messages')
          const { fetch, sent } = scriptedFetch((request) =>
            request.url === url
              ? new Response(null, { status: 307, headers: { location: '/moved/sse' } })
              : server.answer(request),
          )
          const connection = await subject.connect(fetch, { url, transport })
          expect(await watch(connection.callTool('add')).settled()).toBe('add')
          const posts = sent.filter(({ method }) => method === 'POST')
          expect(new Set(posts.map((request) => request.url))).toEqual(
            new Set(['https://server.example/moved/messages']),
          )
        },
      },
    ],
  },
])
