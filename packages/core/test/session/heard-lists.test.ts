// What is known of a list lasts only while a change would be heard of.
import { expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { encode, eventStreamType } from '../support/byte-source.js'
import { listenServer, settle } from '../support/listen-server.js'
import { legacyServer, methodsSent, reply, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

/** A legacy server whose calls add a tool, and which tells so on its event stream, to whoever is there to hear. */
function growing({ listChanged = true, ids = false } = {}) {
  const tools = ['first']
  const streams: ReadableStreamDefaultController<Uint8Array>[] = []
  let events = 0
  const push = (text: string) => streams.at(-1)?.enqueue(encode(ids ? `id: ${++events}\n${text}` : text))
  const answer = legacyServer({
    initialize: (sent) =>
      reply(
        sent,
        {
          protocolVersion: '2025-11-25',
          capabilities: { tools: listChanged ? { listChanged } : {} },
          serverInfo,
        },
        { headers: { 'mcp-session-id': 's' } },
      ),
    GET() {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void streams.push(controller) })
      push('data:\n\n')
      return new Response(body, { headers: eventStreamType })
    },
    'tools/list': (sent) => reply(sent, { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call'(sent: Sent) {
      tools.push(String(sent.body?.params?.name))
      push(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`)
      return reply(sent, { content: [] })
    },
  })
  return { answer, cut: () => streams.at(-1)!.error(new TypeError('terminated')), streams }
}

async function connect(server: ReturnType<typeof growing>) {
  const parts = open(server.answer)
  const client = createClient(await parts.opening)
  const names = async () => (await client.listTools()).map(({ name }) => name)
  const asked = () => methodsSent(parts).filter((method) => method === 'tools/list').length
  const pass = async (ms: number) => {
    parts.timers.advance(ms)
    await settle()
  }
  return { client, names, asked, pass }
}

test('a list that its server says may change is read again where nobody listens', async () => {
  const { client, names } = await connect(growing())
  expect(await names()).toEqual(['first'])
  await client.callTool('second')
  expect(await names()).toEqual(['first', 'second'])
})

test('a list that its server does not say to change is kept', async () => {
  const { names, asked } = await connect(growing({ listChanged: false }))
  await names()
  await names()
  expect(asked()).toBe(1)
})

test('while the server is heard it is kept, until the server says that it changed', async () => {
  const { client, names, asked } = await connect(growing())
  const changes: string[] = []
  client.on('list-changed', ({ list }) => changes.push(list))
  await settle()
  await names()
  await names()
  expect(asked()).toBe(1)
  await client.callTool('second')
  await settle()
  expect(changes).toEqual(['tools'])
  expect(await names()).toEqual(['first', 'second'])
  expect(asked()).toBe(2)
  await client.close()
})

test.each([
  ['what came meanwhile is not sent again: read anew', false, 2],
  ['what came meanwhile is sent again: kept', true, 1],
])('once the stream was cut and is there again, and %s', async (_what, ids, expected) => {
  const server = growing({ ids })
  const { client, names, asked, pass } = await connect(server)
  client.on('list-changed', () => {})
  await settle()
  await names()
  server.cut()
  await settle()
  await pass(2_000)
  expect(server.streams).toHaveLength(2)
  await names()
  expect(asked()).toBe(expected)
  await client.close()
})

test('while the stream is away it is read anew', async () => {
  const server = growing()
  const { client, names, asked } = await connect(server)
  client.on('list-changed', () => {})
  await settle()
  await names()
  server.cut()
  await settle()
  await names()
  expect(asked()).toBe(2)
  await client.close()
})

test('a change between the reading and the first hearing is told', async () => {
  const { client, names } = await connect(growing())
  await names()
  const changes: string[] = []
  client.on('list-changed', ({ list }) => changes.push(list))
  // Overtakes the stream, which is not open yet.
  await client.callTool('second')
  await settle()
  expect(changes).toEqual(['tools'])
  expect(await names()).toEqual(['first', 'second'])
  await client.close()
})

test('so it is by a modern server', async () => {
  const tools = ['first']
  const parts = open(
    listenServer({
      'tools/list': (sent) =>
        reply(sent, { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })), ttlMs: 0 }),
      'tools/call'(sent) {
        tools.push('second')
        return reply(sent, { content: [] })
      },
    }).answer,
  )
  const client = createClient(await parts.opening)
  await client.listTools()
  const changes: string[] = []
  client.on('list-changed', ({ list }) => changes.push(list))
  await client.callTool('grow')
  await settle()
  expect(changes).toEqual(['tools'])
  await client.close()
})

test('a change while the stream was away is told to those who listen', async () => {
  const tools = ['first']
  const streams: ReadableStreamDefaultController<Uint8Array>[] = []
  const server = growing()
  const { opening, timers } = open((sent) => {
    if (sent.method === 'GET') {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void streams.push(controller) })
      return new Response(body, { headers: eventStreamType })
    }
    if (sent.body?.method !== 'tools/list') return server.answer(sent)
    return reply(sent, { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) })
  })
  const connection = await opening
  const events: string[] = []
  connection.listen({ lists: true }, (event) => events.push(event.type))
  await settle()
  await connection.request('tools/list', {})
  timers.advance(60_000)
  await settle()
  streams.at(-1)!.error(new TypeError('terminated'))
  await settle()
  tools.push('second')
  timers.advance(2_000)
  await settle()
  timers.advance(2_000)
  await settle()
  expect(streams).toHaveLength(2)
  expect(events).toEqual(['list-changed'])
  await connection.close()
})
