// What a server says by itself: who hears it, and that nobody is asked who does not listen.
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import type { ConnectionEvent } from '../../src/connection.js'
import { byteSource, encode, eventStreamType } from '../support/byte-source.js'
import { arrival, legacyServer, methodsSent, modernServer, reply, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import type { Sent } from '../support/scripted-fetch.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

const notification = (method: string, params?: object) =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, ...(params && { params }) })}\n\n`
const said = [
  notification('tools/list_changed'),
  notification('prompts/list_changed', {}),
  notification('message', { level: 'error', data: 'oil' }),
  notification('message', { level: 'debug', data: 'chatter' }),
  notification('resources/updated', { uri: 'a:b' }),
  notification('unknown', { x: 1 }),
].join('')

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

/** A legacy server that offers what it speaks of. */
const talkative = (own: Parameters<typeof legacyServer>[0]) =>
  legacyServer({
    initialize: (sent) =>
      reply(
        sent,
        { protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo },
        { headers: { 'mcp-session-id': 'session-1' } },
      ),
    'resources/subscribe': (sent) => reply(sent, {}),
    ...own,
  })

describe.each<[string, () => (sent: Sent) => Response | Promise<Response>, object]>([
  [
    'the GET stream of a legacy server',
    () =>
      talkative({
        GET: () => new Response(byteSource([said], 'stall').body, { headers: eventStreamType }),
      }),
    {},
  ],
  [
    'an answer’s stream of a legacy server',
    () =>
      talkative({
        GET: () => new Response(null, { status: 405 }),
        'tools/call': ({ body }) =>
          new Response(
            encode(`${said}data: ${JSON.stringify({ jsonrpc: '2.0', id: body?.id, result: { content: [] } })}\n\n`),
            {
              headers: eventStreamType,
            },
          ),
      }),
    {},
  ],
])('what comes by %s', (_where, server, config) => {
  test('is heard by who listens for it', async () => {
    const { opening } = open(server(), { config })
    const connection = await opening
    const heard: ConnectionEvent[] = []
    connection.listen({ lists: true, log: 'error', resources: ['a:b'] }, (event) => heard.push(event))
    await connection.request('tools/call', { name: 'x' })
    await settle()
    // Lists are read anew before the app is told.
    expect(heard).toEqual([
      { type: 'log', level: 'error', data: 'oil' },
      { type: 'resource-updated', uri: 'a:b' },
      { type: 'list-changed', list: 'tools' },
      { type: 'list-changed', list: 'prompts' },
    ])
    await connection.close()
  })

  test('is heard by client.on', async () => {
    const client = createClient(await open(server(), { config }).opening)
    const lists: string[] = []
    client.on('list-changed', ({ list }) => lists.push(list))
    await client.callTool('x')
    await settle()
    expect(lists).toEqual(['tools', 'prompts'])
    await client.close()
  })
})

test('what comes by HTTP+SSE is heard too', async () => {
  const result = { protocolVersion: '2024-11-05', capabilities: { tools: {}, prompts: {} }, serverInfo }
  const answers = { initialize: result, 'tools/list': { tools: [] }, 'prompts/list': { prompts: [] } }
  const replies = Object.entries(answers).map(([method, result]) => [
    method,
    (sent: Sent) => ({ jsonrpc: '2.0', id: sent.body?.id, result }),
  ])
  const server = sseServer(sseReplies(Object.fromEntries(replies)))
  const connection = await open(server.answer, { config: { transport: 'sse' } }).opening
  const heard: ConnectionEvent[] = []
  connection.listen({ lists: true }, (event) => heard.push(event))
  server.push(said)
  await settle()
  expect(heard).toMatchObject([{ list: 'tools' }, { list: 'prompts' }])
  await connection.close()
})

describe('a GET stream is opened', () => {
  const stalling = () => new Response(byteSource([], 'stall').body, { headers: eventStreamType })

  test('only while somebody listens for what the server says', async () => {
    const parts = open(legacyServer({ GET: stalling }))
    const connection = await parts.opening
    connection.listen({ state: true, wire: 'bodies', authorization: true, resources: [] }, () => {})
    await connection.request('tools/call', { name: 'x' })
    await settle()
    expect(methodsSent(parts)).not.toContain('GET')
    const stops = [connection.listen({ lists: true }, () => {}), connection.listen({ log: 'error' }, () => {})]
    const { signal } = await arrival(parts, 'GET')
    stops[0]!()
    expect(signal.aborted).toBe(false)
    stops[1]!()
    expect(signal.aborted).toBe(true)
    stops[1]!()
    await connection.close()
    expect(methodsSent(parts).filter((method) => method === 'GET')).toHaveLength(1)
  })

  test('for onEvent', async () => {
    const parts = open(legacyServer({ GET: stalling }), { hooks: { onEvent: () => {} } })
    await (await parts.opening).close()
    expect((await arrival(parts, 'GET')).signal.aborted).toBe(true)
  })

  test('never of a modern server, nor after close()', async () => {
    const modern = open(modernServer(), { hooks: { onEvent: () => {} } })
    await (await modern.opening).close()
    const legacy = open(legacyServer({ GET: stalling }))
    const connection = await legacy.opening
    await connection.close()
    connection.listen({ lists: true }, () => {})
    await settle()
    for (const parts of [modern, legacy]) expect(methodsSent(parts)).not.toContain('GET')
  })
})

test('one request is like the other: credentials and headers go with POST, GET and DELETE', async () => {
  const config = {
    headers: { 'x-tenant': '7', cookie: 'node=1' },
    auth: { type: 'bearer', token: 't0ken' },
    credentials: 'include',
  } as const
  const parts = open(legacyServer({ GET: () => new Response(null, { status: 405 }) }), { config })
  const connection = await parts.opening
  connection.listen({ lists: true }, () => {})
  await arrival(parts, 'GET')
  await connection.request('tools/call', { name: 'x' })
  await connection.close()
  expect(new Set(parts.sent.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']))
  for (const { headers, init, method } of parts.sent) {
    const common = ['x-tenant', 'cookie', 'authorization'].map((name) => headers.get(name))
    expect(common, method).toEqual(['7', 'node=1', 'Bearer t0ken'])
    expect([init.credentials, init.redirect], method).toEqual(['include', 'manual'])
  }
  const after = parts.sent.slice(methodsSent(parts).indexOf('notifications/initialized'))
  for (const { headers, method } of after) {
    const session = ['mcp-session-id', 'mcp-protocol-version'].map((name) => headers.get(name))
    expect(session, method).toEqual(['session-1', '2025-11-25'])
  }
})
