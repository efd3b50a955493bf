// What a server says by itself crosses from the worker to the page that wants to hear it.
import { expect, test } from 'vitest'
import { createHost } from '../src/host.js'
import { deferred, rejection } from './mcp-fetch.js'
import { delivered, servePorts } from './served-port.js'
import { url } from './test-host.js'

interface Listening {
  asked: { resourceSubscriptions?: string[] }
  tell(method: string, params: object): void
  /** Resolves when the client has let go of the stream. */
  left: Promise<void>
}

/** A modern server that has a resource whose updates it tells of, and none other. */
function resourceServer() {
  const streams: Listening[] = []
  const requests: string[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const { id, method, params } = JSON.parse(String(init?.body))
    requests.push(method)
    const result = (more: object) =>
      Response.json({
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...more },
      })
    if (method === 'server/discover')
      return result({ supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true }, tools: {} } })
    if (method === 'tools/list') return result({ tools: [], ttlMs: 3_600_000 })
    const asked: Listening['asked'] = params.notifications
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
    const left = deferred()
    init!.signal!.addEventListener('abort', () => left.resolve())
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start(given) {
        controller = given
      },
    })
    const tell = (name: string, more: object) => {
      const message = { jsonrpc: '2.0', method: `notifications/${name}`, params: { ...more, _meta } }
      controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`))
    }
    streams.push({ asked, tell, left: left.promise })
    const known = asked.resourceSubscriptions?.filter((uri) => uri === 'note:1') ?? []
    tell('subscriptions/acknowledged', { notifications: { resourceSubscriptions: known } })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const ports = servePorts(fetch)
  return { streams, requests, ports, host: createHost({ worker: ports.worker }) }
}

test('subscribeResource hears an update through the worker, and ends', async () => {
  const { host, streams, ports } = resourceServer()
  const client = await host.connect(url)
  const updates: string[] = []
  let heard = deferred()
  const stop = await client.subscribeResource('note:1', ({ uri }) => {
    updates.push(uri)
    heard.resolve()
  })
  expect(streams.map(({ asked }) => asked)).toEqual([{ resourceSubscriptions: ['note:1'] }])
  for (const count of [1, 2]) {
    streams[0]!.tell('resources/updated', { uri: 'note:1' })
    await heard.promise
    heard = deferred()
    expect(updates).toHaveLength(count)
  }
  stop()
  await streams[0]!.left
  await delivered(ports)
  expect(updates).toEqual(['note:1', 'note:1'])
  await client.close()
})

test('subscribeResource rejects in the page with what the server does not offer', async () => {
  const { host, streams } = resourceServer()
  const client = await host.connect(url)
  expect(await rejection(client.subscribeResource('note:2', () => {}))).toMatchObject({
    code: 'ERR_MCP_JSONRPC',
    data: { method: 'resources/subscribe', server: url },
  })
  await streams[0]!.left
  await client.close()
})

test('a list is kept by the worker, and asked for anew with refresh', async () => {
  const { host, requests } = resourceServer()
  const client = await host.connect(url)
  const asked = () => requests.filter((method) => method === 'tools/list').length
  await client.listTools()
  await client.listTools()
  expect(asked()).toBe(1)
  await client.listTools({ refresh: true })
  expect(asked()).toBe(2)
  await client.close()
})
