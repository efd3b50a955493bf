import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHost } from '../src/in-process.js'
import { createTestServer, type TestServerOptions } from '../src/testing/index.js'
import { failOnUnhandled } from './support/no-unhandled.js'
import { mcpRejection, rejection } from './support/rejection.js'
import { createTimers } from './support/timers.js'

failOnUnhandled()
afterEach(() => {
  vi.useRealTimers()
})

const url = 'https://server.example/mcp'

function hostOf(options: TestServerOptions = {}) {
  const server = createTestServer(options)
  const timers = createTimers()
  return { host: createHost({ fetch: server.fetch, setTimer: timers.setTimer }), server, timers }
}

/** One whose server never answers the first request. */
function hangingHost() {
  const parts = hostOf()
  parts.server.failNext({ type: 'delay', until: new Promise(() => {}) })
  return parts
}

/** One whose server answers nothing but 500. */
function brokenHost() {
  const parts = hostOf()
  parts.server.failNext({ type: 'status', status: 500 }, { times: Number.POSITIVE_INFINITY })
  return parts
}

describe('a host', () => {
  test('names its connections as it is told, else by their URL', async () => {
    const { host } = brokenHost()
    expect((await mcpRejection(host.open({ url }, {}, 'search'))).data.server).toBe('search')
    expect((await mcpRejection(host.connect(url))).data.server).toBe(url)
  })

  test('that is closed closes its connections, each with its session', async () => {
    const parts = hostOf({ protocolVersions: 'legacy' })
    const clients = await Promise.all([parts.host.connect(url), parts.host.connect(url)])
    await parts.host.close()
    expect(clients.map(({ state }) => state.status)).toEqual(['closed', 'closed'])
    const ended = parts.server.received.filter(({ method }) => method === 'DELETE')
    expect(ended.map(({ session }) => session)).toEqual(['session-1', 'session-2'])
  })

  test('that is closed ends what still connects', async () => {
    const parts = hangingHost()
    const connecting = mcpRejection(parts.host.connect(url))
    await parts.server.arrival({ method: 'server/discover' })
    await parts.host.close()
    expect(await connecting).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: url } })
    expect(parts.timers.pending()).toBe(0)
  })

  test('hands the caller’s signal down, with the very reason', async () => {
    const abort = new AbortController()
    const reason = { why: 'left' }
    const parts = hangingHost()
    const connecting = rejection(parts.host.connect(url, { signal: abort.signal }))
    await parts.server.arrival({ method: 'server/discover' })
    abort.abort(reason)
    expect(await connecting).toBe(reason)
    const early = hostOf()
    expect(await rejection(early.host.connect(url, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(early.server.received).toEqual([])
  })

  test('closes a connection whose signal fires later', async () => {
    const abort = new AbortController()
    const { host } = hostOf()
    const client = await host.connect(url, { signal: abort.signal })
    abort.abort(new Error('left'))
    expect(client.state).toMatchObject({ status: 'closed', error: { message: 'left' } })
  })

  test('keeps no listener on the caller’s signal, once the connection is closed or has failed', async () => {
    const { signal } = new AbortController()
    const client = await hostOf({ protocolVersions: 'legacy' }).host.connect(url, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await client.close()
    await mcpRejection(brokenHost().host.connect(url, { signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('refuses a wrong configuration without a request', async () => {
    const { host, server } = hostOf()
    expect(await mcpRejection(host.connect('/relative'))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key: 'url' },
    })
    expect(await mcpRejection(host.connect({ url, auth: { type: 'bearer' } }))).toMatchObject({ data: { key: 'auth' } })
    expect(server.received).toEqual([])
  })
})

test('its own timers take limits that setTimeout does not: it would fire at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { fetch } = createTestServer({ tools: [{ name: 'x', execute: () => new Promise(() => {}) }] })
  const host = createHost({ fetch })
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
