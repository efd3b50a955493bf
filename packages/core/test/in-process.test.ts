import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHost } from '../src/in-process.js'
import { arrival, legacyServer, methodsSent, modernServer } from './support/mcp-server.js'
import { failOnUnhandled } from './support/no-unhandled.js'
import { mcpRejection, rejection } from './support/rejection.js'
import { type Sent, scriptedFetch } from './support/scripted-fetch.js'
import { createTimers } from './support/timers.js'

failOnUnhandled()
afterEach(() => {
  vi.useRealTimers()
})

const url = 'https://server.example/mcp'

function hostOf(answer: (sent: Sent) => Response | Promise<Response>) {
  const { fetch, sent } = scriptedFetch(answer)
  const timers = createTimers()
  return { host: createHost({ fetch, setTimer: timers.setTimer }), sent, timers }
}

describe('a host', () => {
  test('names its connections as it is told, else by their URL', async () => {
    const { host } = hostOf(() => new Response(null, { status: 500 }))
    expect((await mcpRejection(host.open({ url }, {}, 'search'))).data.server).toBe('search')
    expect((await mcpRejection(host.connect(url))).data.server).toBe(url)
  })

  test('that is closed closes its connections, each with its session', async () => {
    const parts = hostOf(legacyServer())
    const clients = await Promise.all([parts.host.connect(url), parts.host.connect(url)])
    await parts.host.close()
    expect(clients.map(({ state }) => state.status)).toEqual(['closed', 'closed'])
    expect(methodsSent(parts).filter((method) => method === 'DELETE')).toHaveLength(2)
  })

  test('that is closed ends what still connects', async () => {
    const parts = hostOf(modernServer({ 'server/discover': () => new Promise<never>(() => {}) }))
    const connecting = mcpRejection(parts.host.connect(url))
    await arrival(parts, 'server/discover')
    await parts.host.close()
    expect(await connecting).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: url } })
    expect(parts.timers.pending()).toBe(0)
  })

  test('hands the caller’s signal down, with the very reason', async () => {
    const abort = new AbortController()
    const reason = { why: 'left' }
    const parts = hostOf(modernServer({ 'server/discover': () => new Promise<never>(() => {}) }))
    const connecting = rejection(parts.host.connect(url, { signal: abort.signal }))
    await arrival(parts, 'server/discover')
    abort.abort(reason)
    expect(await connecting).toBe(reason)
    const early = hostOf(modernServer())
    expect(await rejection(early.host.connect(url, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(early.sent).toEqual([])
  })

  test('closes a connection whose signal fires later', async () => {
    const abort = new AbortController()
    const { host } = hostOf(modernServer())
    const client = await host.connect(url, { signal: abort.signal })
    abort.abort(new Error('left'))
    expect(client.state).toMatchObject({ status: 'closed', error: { message: 'left' } })
  })

  test('keeps no listener on the caller’s signal, once the connection is closed or has failed', async () => {
    const { signal } = new AbortController()
    const client = await hostOf(legacyServer()).host.connect(url, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await client.close()
    await mcpRejection(hostOf(() => new Response(null, { status: 500 })).host.connect(url, { signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('refuses a wrong configuration without a request', async () => {
    const { host, sent } = hostOf(modernServer())
    expect(await mcpRejection(host.connect('/relative'))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key: 'url' },
    })
    expect(await mcpRejection(host.connect({ url, auth: { type: 'bearer' } }))).toMatchObject({ data: { key: 'auth' } })
    expect(sent).toEqual([])
  })
})

test('its own timers take limits that setTimeout does not: it would fire at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const parts = scriptedFetch(modernServer({ 'tools/call': () => new Promise<never>(() => {}) }))
  const host = createHost({ fetch: parts.fetch })
  const client = await host.connect({ url, callTimeoutMs: 2 ** 31 })
  const calling = rejection(client.callTool('x'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(client.state.status).toBe('ready')
  let settled = false
  void calling.then(() => {
    settled = true
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(settled).toBe(false)
  await host.close()
  await calling
})
