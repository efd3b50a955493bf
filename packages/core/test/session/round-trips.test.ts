// The HTTP requests that it takes until the tools of a server are listed; counted by hand from the specification.
import { describe, expect, test } from 'vitest'
import { createHost } from '../../src/index.js'
import { legacyServer, methodsSent, modernServer, reply, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { url } from '../support/open.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

type Answer = (sent: Sent) => Response | Promise<Response>

const modern: Answer = modernServer({
  'server/discover': (sent) =>
    reply(sent, {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 60_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    }),
})

const legacy: Answer = legacyServer()

const list = (sent: Sent) => ({ jsonrpc: '2.0', id: sent.body?.id, result: { tools: [] } })
function old(): Answer {
  const server = sseServer(sseReplies({ 'tools/list': list }))
  return (sent) =>
    sent.method === 'POST' && sent.url === url ? new Response('no', { status: 405 }) : server.answer(sent)
}

describe.each<[string, Answer, string[], string[]]>([
  ['modern', modern, ['server/discover', 'tools/list'], ['tools/list']],
  [
    'legacy',
    legacy,
    ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'],
    ['initialize', 'notifications/initialized', 'tools/list'],
  ],
  [
    'HTTP+SSE',
    old(),
    ['server/discover', 'initialize', 'GET', 'initialize', 'notifications/initialized', 'tools/list'],
    ['GET', 'initialize', 'notifications/initialized', 'tools/list'],
  ],
])('%s: the tools are listed', (_what, answer, cold, remembered) => {
  test(`in ${cold.length} requests, and in ${remembered.length} by the same host again`, async () => {
    const { fetch, sent } = scriptedFetch(answer)
    const host = createHost({ fetch })
    async function list() {
      const before = sent.length
      const client = await host.connect(url)
      expect(await client.listTools()).toEqual([])
      const methods = methodsSent({ sent: sent.slice(before) })
      expect(client.state.status).toBe('ready')
      await client.close()
      return methods
    }
    expect(await list()).toEqual(cold)
    expect(await list()).toEqual(remembered)
    expect(await list()).toEqual(remembered)
  })

  test(`in ${cold.length} requests by another host`, async () => {
    for (let time = 0; time < 2; time++) {
      const { fetch, sent } = scriptedFetch(answer)
      const client = await createHost({ fetch }).connect(url)
      await client.listTools()
      expect(methodsSent({ sent })).toEqual(cold)
      await client.close()
    }
  })
})

test('a revision that was refused once is not offered again', async () => {
  const offers: unknown[] = []
  const strict = legacyServer()
  const { fetch, sent } = scriptedFetch((sent) => {
    if (sent.body?.method !== 'initialize') return strict(sent)
    const { protocolVersion } = sent.body.params!
    offers.push(protocolVersion)
    return protocolVersion === '2025-03-26' ? strict(sent) : new Response('use 2025-03-26', { status: 400 })
  })
  const host = createHost({ fetch })
  for (let time = 0; time < 2; time++) {
    const client = await host.connect(url)
    expect(client.state.server).toMatchObject({ protocolVersion: '2025-03-26' })
    await client.close()
  }
  expect(offers).toEqual(['2025-11-25', '2025-03-26', '2025-03-26'])
  expect(methodsSent({ sent }).filter((method) => method === 'server/discover')).toHaveLength(1)
})

test('a legacy session that is lost is replaced by two requests', async () => {
  let sessions = 0
  const check =
    (answer: Answer): Answer =>
    (sent) =>
      sent.headers.get('mcp-session-id') === `session-${sessions}` ? answer(sent) : new Response(null, { status: 404 })
  const { fetch, sent } = scriptedFetch(
    legacyServer({
      initialize: (sent) =>
        reply(
          sent,
          { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
          { headers: { 'mcp-session-id': `session-${++sessions}` } },
        ),
      'tools/list': check((sent) => reply(sent, { tools: [] })),
    }),
  )
  const client = await createHost({ fetch }).connect(url)
  await client.listTools()
  sessions++
  const before = sent.length
  await client.request('tools/list', { cursor: 'x' })
  expect(methodsSent({ sent: sent.slice(before) })).toEqual([
    'tools/list',
    'initialize',
    'notifications/initialized',
    'tools/list',
  ])
  await client.close()
})
