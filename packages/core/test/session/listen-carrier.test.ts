// What a modern server says by itself comes by one stream, however many listen.
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import type { ConnectionEvent } from '../../src/connection.js'
import { capabilities, type ListenServer, listenServer, settle } from '../support/listen-server.js'
import { methodsSent, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

async function connect(server: ListenServer, more: Parameters<typeof open>[1] = {}) {
  const parts = open(server.answer, more)
  const client = createClient(await parts.opening)
  const heard: ConnectionEvent[] = []
  client.listen({}, (event) => heard.push(event))
  const pass = async (ms: number) => {
    parts.timers.advance(ms)
    await settle()
  }
  return { client, heard, pass, timers: parts.timers, sent: parts.sent, streams: server.streams }
}

const asked = ({ streams }: Pick<ListenServer, 'streams'>) => streams.map((stream) => stream.asked)
const openStreams = ({ streams }: Pick<ListenServer, 'streams'>) => streams.filter(({ left }) => !left)

describe('the stream', () => {
  test('is opened once for all who listen in one go, of what the server tells, and left with the last of them', async () => {
    const { client, streams } = await connect(listenServer())
    const stops = [
      client.on('list-changed', () => {}),
      client.on('list-changed', () => {}),
      client.listen({ resources: ['b:1', 'a:1'] }, () => {}),
      client.listen({ resources: ['a:1'], log: 'error' }, () => {}),
    ]
    await settle()
    expect(asked({ streams })).toEqual([
      { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a:1', 'b:1'] },
    ])
    for (const stop of stops) stop()
    await settle()
    expect(openStreams({ streams })).toEqual([])
    await client.close()
  })

  test('is not opened for log messages, nor for lists of which the server tells nothing', async () => {
    const { client, streams } = await connect(listenServer({}, { offers: { tools: {}, logging: {} } }))
    client.listen({ lists: true, log: 'debug', state: true, wire: 'bodies' }, () => {})
    await settle()
    expect(streams).toEqual([])
    await client.close()
  })

  test('is left by close(), and nothing waits any more', async () => {
    const { client, streams, timers } = await connect(listenServer())
    client.on('list-changed', () => {})
    await settle()
    await client.close()
    await settle()
    expect(openStreams({ streams })).toEqual([])
    expect(timers.pending()).toBe(0)
  })

  test('lasts as long as it likes: it has no deadline', async () => {
    const { client, streams, pass } = await connect(listenServer(), { config: { callTimeoutMs: 1_000 } })
    const lists: string[] = []
    client.on('list-changed', ({ list }) => lists.push(list))
    await settle()
    await pass(86_400_000)
    streams[0]!.tell('prompts/list_changed')
    await settle()
    expect([streams.length, lists]).toEqual([1, ['prompts']])
    await client.close()
  })

  test('may bring more than maxResponseBytes in all, not in one event', async () => {
    const { client, streams, heard } = await connect(listenServer(), { config: { maxResponseBytes: 1_000 } })
    let updates = 0
    client.listen({ resources: ['a:1'] }, ({ type }) => type === 'resource-updated' && updates++)
    await settle()
    for (let index = 0; index < 20; index++) streams[0]!.tell('resources/updated', { uri: 'a:1', pad: 'x'.repeat(100) })
    await settle()
    expect([updates, streams.length]).toEqual([20, 1])
    streams[0]!.tell('resources/updated', { uri: 'a:1', pad: 'x'.repeat(1_000) })
    await settle()
    expect(heard).toMatchObject([
      { finding: { code: 'subscription-refused', message: expect.stringMatching(/larger/) } },
    ])
    expect(openStreams({ streams: streams.slice(0, 1) })).toEqual([])
    await client.close()
  })
})

describe('another filter', () => {
  test('opens another stream; the one before is heard until that is acknowledged', async () => {
    const server = listenServer({}, { acknowledges: (filter) => ('promptsListChanged' in filter ? undefined : filter) })
    const { client, streams } = await connect(server)
    const uris: string[] = []
    client.listen({ resources: ['a:1'] }, (event) => event.type === 'resource-updated' && uris.push(event.uri))
    await settle()
    client.on('list-changed', () => {})
    await settle()
    expect(asked({ streams })).toEqual([
      { resourceSubscriptions: ['a:1'] },
      { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a:1'] },
    ])
    streams[0]!.tell('resources/updated', { uri: 'a:1' })
    await settle()
    expect([uris, streams[0]!.left]).toEqual([['a:1'], false])
    streams[1]!.acknowledge()
    await settle()
    expect([streams[0]!.left, streams[1]!.left]).toEqual([true, false])
    await client.close()
  })

  test('that changes back and forth costs no stream for each', async () => {
    const { client, streams } = await connect(listenServer())
    client.on('list-changed', () => {})
    await settle()
    for (let index = 0; index < 50; index++) client.listen({ resources: [`a:${index}`] }, () => {})()
    await settle()
    expect(streams).toHaveLength(1)
    await client.close()
  })
})

describe('a stream that is cut', () => {
  test('is opened again, ever more slowly while that is in vain, and what was missed is caught up', async () => {
    let isDown = false
    let vain = 0
    let tools: object[] = []
    const server = listenServer({ 'tools/list': (sent) => reply(sent, { tools }) })
    const { answer } = server
    server.answer = (sent) => {
      if (!isDown || sent.body?.method !== 'subscriptions/listen') return answer(sent)
      vain++
      return new Response(null, { status: 503 })
    }
    const { client, streams, pass, sent } = await connect(server)
    const lists: string[] = []
    client.on('list-changed', ({ list }) => lists.push(list))
    await client.listTools()
    await client.listPrompts()
    isDown = true
    tools = [{ name: 'new', inputSchema: { type: 'object' } }]
    streams[0]!.cut()
    await settle()
    for (let second = 0; second < 120; second++) await pass(1_000)
    expect(vain).toBeGreaterThan(4)
    expect(vain).toBeLessThan(12)
    isDown = false
    for (let second = 0; second < 40; second++) await pass(1_000)
    expect(streams).toHaveLength(2)
    // Of what is the same as before nobody is told.
    expect(lists).toEqual(['tools'])
    expect(methodsSent({ sent }).filter((method) => method === 'prompts/list')).toHaveLength(2)
    await client.close()
  })

  test('is opened again soon, however often it was, when it went well between', async () => {
    const { client, streams, pass } = await connect(listenServer())
    client.on('list-changed', () => {})
    await settle()
    for (let count = 2; count < 10; count++) {
      streams.at(-1)!.cut()
      await settle()
      await pass(1_250)
      expect(streams).toHaveLength(count)
    }
    await client.close()
  })

  test('is opened again at once on waking', async () => {
    let wake = () => {}
    const runtime = {
      wake(listener: () => void) {
        wake = listener
        return () => {}
      },
    }
    const { client, streams, timers } = await connect(listenServer(), { runtime })
    client.on('list-changed', () => {})
    await settle()
    streams[0]!.cut()
    await settle()
    expect(streams).toHaveLength(1)
    wake()
    await settle()
    expect(streams).toHaveLength(2)
    await client.close()
    await settle()
    expect(timers.pending()).toBe(0)
  })

  test('is not opened again when nobody listens any more', async () => {
    const { client, streams, pass, timers } = await connect(listenServer())
    const stop = client.on('list-changed', () => {})
    await settle()
    streams[0]!.cut()
    await settle()
    stop()
    await settle()
    expect(timers.pending()).toBe(0)
    await pass(600_000)
    expect(streams).toHaveLength(1)
    await client.close()
  })
})

describe('a stream that the server ends', () => {
  test('is asked for again after half a minute, later each time', async () => {
    const server = listenServer()
    const { client, streams, pass } = await connect(server)
    client.on('list-changed', () => {})
    await settle()
    const opened: number[] = []
    for (let second = 0; second < 600; second++) {
      const last = streams.at(-1)!
      if (opened.length < streams.length) {
        opened.push(second)
        last.end()
      }
      await pass(1_000)
    }
    expect(opened[1]).toBeGreaterThan(20)
    expect(opened.length).toBeGreaterThan(3)
    expect(opened.length).toBeLessThan(8)
    await client.close()
  })

  test('is asked for at once for something new', async () => {
    const { client, streams } = await connect(listenServer())
    client.on('list-changed', () => {})
    await settle()
    streams[0]!.end()
    await settle()
    const stop = await client.subscribeResource('a:1', () => {})
    expect(asked({ streams })[1]).toMatchObject({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })
    stop()
    await client.close()
  })
})

describe('a server that', () => {
  test('acknowledges less tells so by a finding, and is not asked again', async () => {
    const acknowledges = () => ({ toolsListChanged: true })
    const { client, heard, streams } = await connect(listenServer({}, { acknowledges }))
    client.listen({ lists: true, resources: ['a:1'] }, () => {})
    await settle()
    expect(heard).toMatchObject([
      { finding: { code: 'subscription-refused', message: expect.stringMatching(/promptsListChanged, a:1$/) } },
    ])
    await settle()
    expect(openStreams({ streams })).toHaveLength(1)
    await client.close()
  })

  test('knows no subscriptions is asked once', async () => {
    const { client, heard, sent, pass } = await connect(
      listenServer({
        'subscriptions/listen': (request) => rpcError(request, -32601, 'no', undefined, { status: 404 }),
      }),
    )
    client.on('list-changed', () => {})
    await settle()
    await pass(600_000)
    expect(methodsSent({ sent }).filter((method) => method === 'subscriptions/listen')).toHaveLength(1)
    expect(heard).toMatchObject([{ finding: { code: 'subscription-refused' } }])
    await client.close()
  })

  test('refuses one resource goes on telling of the others', async () => {
    const server = listenServer()
    const { answer } = server
    const refuse = (sent: Sent) => {
      const { notifications = {} } = (sent.body?.params ?? {}) as {
        notifications?: { resourceSubscriptions?: string[] }
      }
      return notifications.resourceSubscriptions?.includes('bad:1')
        ? rpcError(sent, -32602, 'Unknown resource', undefined, { status: 400 })
        : answer(sent)
    }
    const { client, streams } = await connect({ ...server, answer: refuse })
    client.on('list-changed', () => {})
    await settle()
    expect(await mcpRejection(client.subscribeResource('bad:1', () => {}))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32602 },
    })
    await client.subscribeResource('good:1', () => {})
    await settle()
    expect(openStreams({ streams }).map((stream) => stream.asked)).toMatchObject([
      { toolsListChanged: true, resourceSubscriptions: ['good:1'] },
    ])
    await client.close()
  })

  test('refuses to tell of less goes on telling of more', async () => {
    let refused = false
    const server = listenServer()
    const { answer } = server
    const refuse = (sent: Sent) =>
      refused && sent.body?.method === 'subscriptions/listen' ? new Response(null, { status: 403 }) : answer(sent)
    const { client, streams, sent } = await connect({ ...server, answer: refuse })
    client.on('list-changed', () => {})
    const stop = await client.subscribeResource('a:1', () => {})
    const before = methodsSent({ sent }).length
    refused = true
    stop()
    await settle()
    expect([methodsSent({ sent }).length - before, openStreams({ streams }).length]).toEqual([1, 1])
    await client.close()
  })

  test('never acknowledges is asked again, and what it says is heard', async () => {
    const { client, streams, heard, pass } = await connect(listenServer({}, { acknowledges: () => undefined }))
    const lists: string[] = []
    client.on('list-changed', ({ list }) => lists.push(list))
    await settle()
    streams[0]!.tell('tools/list_changed')
    await settle()
    expect(lists).toEqual(['tools'])
    await pass(30_000)
    expect(heard).toMatchObject([{ finding: { code: 'not-acknowledged' } }])
    expect(streams[0]!.left).toBe(true)
    await pass(2_000)
    expect(streams).toHaveLength(2)
    await client.close()
  })
})

describe('the log level', () => {
  const levels = (sent: Sent[]) =>
    sent
      .filter(({ body }) => body?.method === 'tools/call')
      .map(({ body }) => (body!.params as { _meta: Record<string, unknown> })._meta['io.modelcontextprotocol/logLevel'])

  test('that is the most verbose one goes with each request while somebody listens', async () => {
    const { client, sent } = await connect(listenServer({}, { offers: { ...capabilities, logging: {} } }))
    await client.callTool('x')
    const stops = [client.listen({ log: 'error' }, () => {}), client.listen({ log: 'info' }, () => {})]
    await client.callTool('x', {}, { meta: { own: 1 } })
    expect(sent.at(-1)!.body!.params!._meta).toMatchObject({ own: 1, 'io.modelcontextprotocol/logLevel': 'info' })
    stops[1]!()
    await client.callTool('x')
    stops[0]!()
    await client.callTool('x')
    expect(levels(sent)).toEqual([undefined, 'info', 'error', undefined])
    await client.close()
  })

  test('goes to no server that doesn’t log', async () => {
    const { client, sent } = await connect(listenServer())
    client.on('log', () => {})
    await client.callTool('x')
    expect(levels(sent)).toEqual([undefined])
    await client.close()
  })
})
