import { expect } from 'vitest'
import type { ElicitationRequest, ElicitationResult } from '../../src/protocol.js'
import { askingServer } from '../support/asking-server.js'
import { legacyServer, rpcError } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { inBothEras, type ReportCase, testFieldReports } from './field-report.js'
import { event, openStream, resultOf, sentOf, status } from './wire.js'

const page = (url: unknown) => ({
  mode: 'url',
  elicitationId: 'e1',
  url,
  message: 'Allow it.',
})

/** Says yes to all, and keeps what it was asked. */
function consent() {
  const asked: ElicitationRequest[] = []
  return {
    asked,
    async elicit(request: ElicitationRequest): Promise<ElicitationResult> {
      asked.push(request)
      return { action: 'accept' }
    },
  }
}

const dangerous: [string, string][] = [
  ['a script', 'javascript:alert(document.cookie)'],
  ['a script behind a line break', 'java\nscript:alert(1)'],
  ['data', 'data:text/html,<script>alert(1)</script>'],
  ['a file', 'file:///etc/passwd'],
  ['an app', 'ms-msdt:/id'],
  ['http', 'http://a.example/connect'],
  ['http on this machine', 'http://127.0.0.1:8080/connect'],
  ['a user name that passes for a host', 'https://bank.example@evil.example/'],
  ['a user name behind backslashes', 'https:\\\\bank.example@evil.example/'],
  ['3 kB', `https://a.example/?${'a'.repeat(3_000)}`],
  ['nothing that is a URL', '//a.example'],
]

/** What the hook is shown for a URL, and the answer that the server gets. */
const shown = (name: string, url: string, expected: { url: string; domain: string } | undefined): ReportCase[] =>
  inBothEras(name, async (subject, _server, era) => {
    const hooks = consent()
    const { fetch, sent } = scriptedFetch(askingServer(era, { q: { method: 'elicitation/create', params: page(url) } }))
    const connection = await subject.connect(fetch, { hooks })
    const said = JSON.parse(await watch(connection.callTool('ask')).settled())
    expect(hooks.asked.map(({ url, domain }) => ({ url, domain }))).toEqual(expected ? [expected] : [])
    expect(said).toEqual({ q: { result: { action: expected ? 'accept' : 'decline' } } })
    expect(connection.told.filter((what) => what.startsWith('question-refused'))).toHaveLength(expected ? 0 : 1)
    // Never opened, never fetched.
    expect(new Set(sent.map(({ url }) => url))).toEqual(new Set(['https://server.example/mcp']))
  })

const refusal = (sent: Sent) =>
  rpcError(sent, -32042, 'Go there first', { elicitations: [page('https://a.example/connect')] })

testFieldReports([
  {
    id: 'SC-138',
    title: 'URL elicitation',
    cases: [
      ...dangerous.flatMap(([name, url]) => shown(`${name}: nobody is shown it`, url, undefined)),
      ...shown('a host that looks like another is shown as it is', 'https://xn--pple-43d.com/login', {
        url: 'https://xn--pple-43d.com/login',
        domain: 'xn--pple-43d.com',
      }),
      ...shown('also when it is not yet punycode', 'https://аpple.com/login', {
        url: 'https://xn--pple-43d.com/login',
        domain: 'xn--pple-43d.com',
      }),
      ...shown(
        'hidden characters are shown, and the host is told from the path',
        'https:\\a.example\\@b.example/\u202egpj',
        {
          url: 'https://a.example/@b.example/%E2%80%AEgpj',
          domain: 'a.example',
        },
      ),
      ...inBothEras('-32042 twice: the call goes out once more, and then it has failed', async (subject, server) => {
        const hooks = consent()
        const { fetch, sent } = scriptedFetch(server({ 'tools/call': refusal }))
        const connection = await subject.connect(fetch, { hooks })
        const call = watch(connection.callTool('add'))
        await until('the person was asked', () => hooks.asked.length === 1)
        await pass(59_000)
        expect(sentOf(sent, 'tools/call')).toHaveLength(1)
        await pass(2_000)
        expect(await call.rejection()).toMatchObject({
          code: 'ERR_MCP_JSONRPC',
          data: { rpcCode: -32042, outcome: 'not-run' },
        })
        await pass(600_000)
        expect(sentOf(sent, 'tools/call')).toHaveLength(2)
        expect(hooks.asked).toHaveLength(1)
      }),
      {
        name: 'legacy: the server’s word that it is complete is what the call waits for; unknown ids are nobody’s',
        async run(subject) {
          const stream = openStream()
          let calls = 0
          const server = legacyServer({
            GET: () => stream.response,
            DELETE: () => status(204),
            'tools/call': (sent) => (calls++ === 0 ? refusal(sent) : Response.json(resultOf(sent, 'done'))),
          })
          const hooks = consent()
          const { fetch } = scriptedFetch(server)
          const connection = await subject.connect(fetch, { hooks })
          const call = watch(connection.callTool('add'))
          await until('the person was asked', () => hooks.asked.length === 1)
          const complete = (elicitationId: string) =>
            stream.push(
              event({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } }),
            )
          complete('unknown')
          await pass(1_000)
          expect(calls).toBe(1)
          complete('e1')
          expect(await call.settled()).toBe('done')
          expect(calls).toBe(2)
          expect(connection.told).toEqual([])
        },
      },
    ],
  },
])
