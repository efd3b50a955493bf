import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { connectDemo } from './demo-client.js'
import { exchange, INITIALIZE } from './plain-exchange.js'
import { runDemo } from './running-demo.js'

async function ping(url: URL, sessionId: string): Promise<IncomingMessage> {
  const message = { jsonrpc: '2.0', id: 9, method: 'ping' }
  return (await exchange(url, 'POST', { 'Mcp-Session-Id': sessionId }, message)).response
}

async function openSession(url: URL): Promise<string> {
  const { response } = await exchange(url, 'POST', {}, INITIALIZE)
  expect(response.statusCode).toBe(200)
  await text(response)
  return String(response.headers['mcp-session-id'])
}

describe('modern', () => {
  it('is revision 2026-07-28, without a session', async () => {
    const { url, events } = await runDemo()
    const client = await connectDemo('modern', url)
    await client.callTool('echo', { message: 'hi' })
    expect(client.protocolVersion).toBe('2026-07-28')
    expect(client.sessionId).toBeUndefined()
    const requests = events.filter(({ type }) => type === 'request')
    expect(requests).toMatchObject([
      { era: 'modern', method: 'server/discover' },
      { era: 'modern', method: 'tools/call', name: 'echo' },
    ])
    expect(events.some(({ type }) => type === 'session')).toBe(false)
  })

  it('refuses answers to its questions that the client has changed', async () => {
    const { url } = await runDemo()
    const { response } = await exchange(
      url,
      'POST',
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'elicitation_steps' },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'elicitation_steps',
          arguments: {},
          requestState: 'v1.eyJwIjp7fX0.AAAA',
          inputResponses: {},
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          },
        },
      },
    )
    expect(JSON.parse(await text(response))).toMatchObject({ error: { code: -32602 } })
  })
})

describe('legacy', () => {
  it('is an earlier revision, with a session', async () => {
    const { url, events } = await runDemo()
    const client = await connectDemo('legacy', url)
    await client.callTool('echo', { message: 'hi' })
    expect(client.protocolVersion).toBe('2025-11-25')
    expect(client.sessionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(events).toContainEqual({ type: 'session', sessionId: client.sessionId, change: 'opened' })
    expect(events).toContainEqual(
      expect.objectContaining({ era: 'legacy', method: 'tools/call', name: 'echo', sessionId: client.sessionId }),
    )
    expect(events.every((event) => !('era' in event) || event.era === 'legacy')).toBe(true)
  })

  it('forgets a session at DELETE', async () => {
    const { url, events } = await runDemo()
    const client = await connectDemo('legacy', url)
    const sessionId = String(client.sessionId)
    await client.end()
    expect(events).toContainEqual({ type: 'session', sessionId, change: 'closed', reason: 'deleted' })
    const response = await ping(url, sessionId)
    expect(response.statusCode).toBe(404)
    expect(JSON.parse(await text(response))).toMatchObject({ error: { code: -32001 } })
  })

  it('serves two sessions side by side', async () => {
    const { url } = await runDemo()
    const [one, other] = await Promise.all([connectDemo('legacy', url), connectDemo('legacy', url)])
    expect(one.sessionId).not.toBe(other.sessionId)
    await one.end()
    expect((await other.callTool('echo', { message: 'mine' })).content).toEqual([{ type: 'text', text: 'mine' }])
  })

  it('opens a GET stream at once, and another as soon as the client has left the first', async () => {
    const { url, event } = await runDemo()
    const headers = { 'Mcp-Session-Id': await openSession(url) }
    const first = await exchange(url, 'GET', headers)
    expect(first.response.statusCode).toBe(200)
    expect(first.response.headers['content-type']).toBe('text/event-stream')
    expect((await exchange(url, 'GET', headers)).response.statusCode).toBe(409)

    first.sent.destroy()
    let status = 409
    while (status === 409) status = (await exchange(url, 'GET', headers)).response.statusCode ?? 0
    expect(status).toBe(200)
    await event({ type: 'request', httpMethod: 'GET', era: 'legacy' })
  })

  it('closes a session that is idle, but not one with an open stream', async () => {
    const { url, event, events } = await runDemo({ sessionIdleMs: 50 })
    const streaming = await openSession(url)
    const stream = await exchange(url, 'GET', { 'Mcp-Session-Id': streaming })
    await text(await ping(url, streaming))
    const idle = await openSession(url)
    await event({ type: 'session', sessionId: idle, reason: 'idle' })
    expect(events).not.toContainEqual(expect.objectContaining({ sessionId: streaming, change: 'closed' }))
    stream.sent.destroy()
    await event({ type: 'session', sessionId: streaming, reason: 'idle' })
  })

  it('holds a bounded number of sessions: the longest idle makes room, and without one the newcomer waits', async () => {
    const { url, events } = await runDemo({ maxSessions: 2 })
    const [first, second] = [await openSession(url), await openSession(url)]
    await text(await ping(url, first))
    const third = await openSession(url)
    expect(events).toContainEqual({ type: 'session', sessionId: second, change: 'closed', reason: 'replaced' })
    for (const sessionId of [first, third]) await exchange(url, 'GET', { 'Mcp-Session-Id': sessionId })
    const { response } = await exchange(url, 'POST', {}, INITIALIZE)
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('5')
  })

  it('answers without a session by an error that fits, and keeps nothing of it', async () => {
    const { url, events } = await runDemo()
    const statuses = []
    for (const [method, body] of [
      ['POST', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['POST', '{"jsonrpc":'],
      ['GET', undefined],
      ['DELETE', undefined],
      ['PUT', undefined],
    ] as const) {
      statuses.push((await exchange(url, method, {}, body)).response.statusCode)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 405])
    expect(events.some(({ type }) => type === 'session')).toBe(false)
  })
})
