// Earlier revisions: each resource is asked for by a request, once for all who listen, and again on each new session.
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import type { ConnectionEvent } from '../../src/connection.js'
import { settle } from '../support/listen-server.js'
import { methodsSent, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'
import { sessionServer } from '../support/session-server.js'

failOnUnhandled()

type Own = Parameters<typeof sessionServer>[0]

const ok = (sent: Sent) => reply(sent, {})
const updated = (uri: string) =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })}\n\n`

/** A server whose tool `touch` tells of updates on its own answer's stream. */
async function connect(own: Own = {}) {
  const touch = ({ body }: Sent) => {
    const { uri } = body!.params!.arguments as { uri: string }
    const result = { jsonrpc: '2.0', id: body!.id, result: { content: [] } }
    return new Response(`${updated(uri)}data: ${JSON.stringify(result)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const server = sessionServer(
    {
      'resources/subscribe': ok,
      'resources/unsubscribe': ok,
      'logging/setLevel': ok,
      'tools/call': touch,
      ...own,
    },
    undefined,
    { tools: {}, resources: { subscribe: true }, logging: {} },
  )
  const parts = open(server.answer)
  const client = createClient(await parts.opening)
  const heard: ConnectionEvent[] = []
  client.listen({}, (event) => heard.push(event))
  return {
    client,
    server,
    heard,
    sent: parts.sent,
    timers: parts.timers,
    touch: (uri: string) => client.callTool('touch', { uri }),
  }
}

const about = (sent: Sent[], what: string) =>
  sent.flatMap(({ body }) =>
    body?.method?.startsWith(`${what}/`)
      ? [`${body.method.slice(what.length + 1)} ${body.params!.uri ?? body.params!.level}`]
      : [],
  )

describe('a resource', () => {
  test('is subscribed to once for all who want it, and unsubscribed with the last of them', async () => {
    const { client, sent, touch } = await connect()
    const first: string[] = []
    const second: string[] = []
    const stopFirst = await client.subscribeResource('a:1', ({ uri }) => first.push(uri))
    const stopSecond = await client.subscribeResource('a:1', ({ uri }) => second.push(uri))
    const stopThird = client.listen({ resources: ['a:1'] }, () => {})
    await touch('a:1')
    stopFirst()
    stopFirst()
    await touch('a:1')
    stopSecond()
    await settle()
    expect(about(sent, 'resources')).toEqual(['subscribe a:1'])
    stopThird()
    await settle()
    expect(about(sent, 'resources')).toEqual(['subscribe a:1', 'unsubscribe a:1'])
    expect([first, second]).toEqual([['a:1'], ['a:1', 'a:1']])
    await client.close()
  })

  test('is told of by what lies below it too, and by nothing else', async () => {
    const { client, touch } = await connect()
    const uris: string[] = []
    await client.subscribeResource('file:///a', ({ uri }) => uris.push(uri))
    for (const uri of ['file:///a', 'file:///a/b', 'file:///ab', 'file:///']) await touch(uri)
    expect(uris).toEqual(['file:///a', 'file:///a/b'])
    await client.close()
  })

  test('that is refused rejects with the server’s error, and is asked for again by the next who wants it', async () => {
    let refused = true
    const { client, sent, heard } = await connect({
      'resources/subscribe': (request) => (refused ? rpcError(request, -32002, 'No such resource') : ok(request)),
    })
    expect(await mcpRejection(client.subscribeResource('a:1', () => {}))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32002, method: 'resources/subscribe' },
    })
    expect(heard).toMatchObject([{ finding: { code: 'subscription-refused' } }])
    refused = false
    await client.subscribeResource('a:1', () => {})
    expect(about(sent, 'resources')).toEqual(['subscribe a:1', 'subscribe a:1'])
    await client.close()
  })

  test('whose subscribing fails for now is subscribed to later, for who listens', async () => {
    let isDown = true
    const { client, sent, timers } = await connect({
      'resources/subscribe': (request) => (isDown ? Promise.reject(connectionRefused()) : ok(request)),
    })
    client.listen({ resources: ['a:1'] }, () => {})
    expect(await mcpRejection(client.subscribeResource('a:1', () => {}))).toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
    })
    isDown = false
    timers.advance(2_000)
    await client.subscribeResource('a:1', () => {})
    expect(about(sent, 'resources')).toEqual(['subscribe a:1', 'subscribe a:1'])
    await client.close()
    expect(timers.pending()).toBe(0)
  })

  test('whose subscribing is aborted is wanted no more', async () => {
    let answer = () => {}
    const { client, sent } = await connect({
      'resources/subscribe': (request) =>
        new Promise((resolve) => {
          answer = () => resolve(ok(request))
        }),
    })
    const abort = new AbortController()
    const subscribing = rejection(client.subscribeResource('a:1', () => {}, { signal: abort.signal }))
    await settle()
    abort.abort('enough')
    expect(await subscribing).toBe('enough')
    answer()
    await settle()
    expect(about(sent, 'resources')).toEqual(['subscribe a:1', 'unsubscribe a:1'])
    await client.close()
  })

  test('is subscribed to again by a new session, and the log level set', async () => {
    const { client, server, sent } = await connect()
    const uris: string[] = []
    await client.subscribeResource('a:1', ({ uri }) => uris.push(uri))
    client.on('log', () => {})
    server.forget()
    await client.listPrompts()
    await settle()
    expect(server.sessions).toBe(2)
    expect(about(sent, 'resources')).toEqual(['subscribe a:1', 'subscribe a:1'])
    expect(about(sent, 'logging')).toEqual(['setLevel debug', 'setLevel debug'])
    await client.close()
  })

  test('whose subscribing finds the session lost is subscribed to by the new one', async () => {
    const { client, server, sent } = await connect()
    server.forget()
    await client.subscribeResource('a:1', () => {})
    expect(server.sessions).toBe(2)
    const by = sent.filter(({ body }) => body?.method === 'resources/subscribe')
    expect(by.map(({ headers }) => headers.get('mcp-session-id'))).toEqual(['session-1', 'session-2'])
    await client.close()
  })
})

describe('the log level', () => {
  test('is set when the most verbose one that is wanted changes, and not when nobody listens', async () => {
    const { client, sent } = await connect()
    await client.callTool('touch', { uri: 'a:1' })
    const stops = [client.listen({ log: 'error' }, () => {}), client.listen({ log: 'critical' }, () => {})]
    await settle()
    client.on('log', () => {})()
    await settle()
    client.on('list-changed', () => {})()
    for (const stop of stops) stop()
    await settle()
    expect(about(sent, 'logging')).toEqual(['setLevel error', 'setLevel debug', 'setLevel error', 'setLevel critical'])
    await client.close()
  })

  test('is not set where the server does not log; one that refuses it is a finding', async () => {
    const refusing = await connect({ 'logging/setLevel': (sent) => rpcError(sent, -32602, 'no such level') })
    refusing.client.on('log', () => {})
    await settle()
    expect(refusing.heard).toMatchObject([{ finding: { code: 'log-level-refused' } }])
    await refusing.client.close()
    const mute = open(sessionServer().answer)
    const connection = await mute.opening
    connection.listen({ log: 'debug' }, () => {})
    await settle()
    expect(methodsSent(mute)).not.toContain('logging/setLevel')
    await connection.close()
  })
})
