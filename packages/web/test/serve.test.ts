import { getEventListeners } from 'node:events'
import { createTestServer } from '@x/core/testing'
import * as Comlink from 'comlink'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHost } from '../src/host.js'
import type { HostApi } from '../src/host-protocol.js'
import { serve } from '../src/serve.js'
import { deferred, rejection } from './mcp-fetch.js'
import { createPorts, servePorts } from './served-port.js'

const url = 'https://server.test/mcp'

afterEach(() => vi.unstubAllGlobals())

describe('where there is no page at the other end', () => {
  test('on a server, serving is refused', () => {
    expect(() => serve()).toThrow(expect.objectContaining({ code: 'ERR_MCP_HOST' }))
  })

  test('in a window, serving is refused: any frame could talk to it', () => {
    const listen = vi.fn()
    vi.stubGlobal('document', {})
    vi.stubGlobal('postMessage', () => {})
    vi.stubGlobal('addEventListener', listen)
    expect(() => serve()).toThrow('"@x/web/worker" is the script of a Web Worker')
    expect(listen).not.toHaveBeenCalled()
  })
})

describe('in a shared worker', () => {
  test('each page that connects is served, on a port of its own', async () => {
    const scope = new EventTarget()
    vi.stubGlobal('onconnect', null)
    vi.stubGlobal('addEventListener', scope.addEventListener.bind(scope))
    const { fetch } = createTestServer({ tools: [{ name: 'ok' }] })
    serve({ runtime: { fetch } })
    const { worker } = createPorts((port) => {
      scope.dispatchEvent(Object.assign(new Event('connect'), { ports: [port] }))
    })
    const clients = await Promise.all([createHost({ worker }).connect(url), createHost({ worker }).connect(url)])
    for (const client of clients) expect(await client.callTool('ok')).toMatchObject({ content: [] })
    await clients[0].close()
    expect(clients[1].state.status).toBe('ready')
  })
})

describe('a page that goes away', () => {
  test('takes its calls along', async () => {
    const called = deferred()
    const left = deferred()
    const hang = (_: object, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => left.resolve())
      called.resolve()
      return new Promise<string>(() => {})
    }
    const { worker, made } = servePorts(createTestServer({ tools: [{ name: 'hang', execute: hang }] }).fetch)
    const client = await createHost({ worker }).connect(url)
    void client.callTool('hang').catch(() => {})
    await called.promise
    made[0]!.page.close()
    await left.promise
  })

  test('takes what is connecting along', async () => {
    const asked = deferred<AbortSignal>()
    const { worker, made } = servePorts((_, init) => {
      asked.resolve(init!.signal!)
      return new Promise(() => {})
    })
    const connecting = rejection(createHost({ worker }).connect(url))
    const signal = await asked.promise
    const left = new Promise((resolve) => signal.addEventListener('abort', resolve))
    made[0]!.page.close()
    await left
    expect(await connecting).toMatchObject({ code: 'ERR_MCP_HOST' })
  })
})

test('a connection that is closed while it opens is given up', async () => {
  const asked = deferred<AbortSignal>()
  const { worker } = servePorts((_, init) => {
    asked.resolve(init!.signal!)
    return new Promise(() => {})
  })
  const api = Comlink.wrap<HostApi>(worker())
  const opening = api.open(1, { url }, undefined, [], false, 'on-demand')
  const signal = await asked.promise
  const left = new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(await api.close(1)).toEqual({ ok: true, value: undefined })
  await left
  expect(await opening).toMatchObject({ ok: false })
})

test('what nobody listens to any more is not sent', async () => {
  const { worker, made } = servePorts(createTestServer({ tools: [{ name: 'ok' }] }).fetch)
  const client = await createHost({ worker }).connect(url)
  const events: unknown[] = []
  const stop = client.listen({ wire: 'bodies' }, (event) => events.push(event))
  await client.callTool('ok')
  expect(events.length).toBeGreaterThan(0)
  stop()
  const heard = events.length
  const { page } = made[0]!
  const arrived: unknown[] = []
  page.addEventListener('message', ({ data }) => arrived.push(data))
  await client.callTool('ok')
  await client.callTool('ok')
  expect(arrived.filter((data) => (data as { x?: string }).x === 'event')).toEqual([])
  expect(events).toHaveLength(heard)
  expect(getEventListeners(page, 'message').length).toBeGreaterThan(0)
})

test('a page that asks for what is no more is answered, not left waiting', async () => {
  const { worker, made } = servePorts(createTestServer().fetch)
  const client = await createHost({ worker }).connect(url)
  const { page } = made[0]!
  await client.close()
  const answered = (message: object) =>
    new Promise<{ value?: unknown }>((resolve) => {
      page.addEventListener('message', ({ data }) => data.id === 'mine' && resolve(data), { once: false })
      page.postMessage({ id: 'mine', type: 'APPLY', ...message })
    })
  const raw = (value: unknown) => ({ type: 'RAW', value })
  const request = {
    path: ['request'],
    argumentList: [1, 2, 'tools/call', { name: 't' }, { wantsProgress: false }].map(raw),
  }
  expect(await answered(request)).toMatchObject({
    value: { ok: false, error: { code: 'ERR_MCP_DISCONNECTED', data: { tool: 't', outcome: 'not-run' } } },
  })
  expect(await answered({ path: ['close'], argumentList: [1].map(raw) })).toMatchObject({ value: { ok: true } })
})

describe('whoever holds the port', () => {
  const constructFunction = { id: 'evil', type: 'CONSTRUCT', path: ['open', 'constructor'], argumentList: [] }
  test.each([
    ['the constructor of a method', constructFunction],
    ['a method of a method', { ...constructFunction, type: 'APPLY', path: ['open', 'call'] }],
    ['what every object has', { ...constructFunction, type: 'APPLY', path: ['hasOwnProperty'] }],
    ['a value', { ...constructFunction, type: 'GET', path: ['hello'] }],
    ['a new method', { ...constructFunction, type: 'SET', path: ['hello'], value: { type: 'RAW', value: 1 } }],
    ['a port of its own', { ...constructFunction, type: 'ENDPOINT', path: [] }],
  ])('can call the methods, and reaches not %s', async (_what, message) => {
    const { port1, port2 } = new MessageChannel()
    serve({ port: port2 })
    const answered: unknown[] = []
    port1.addEventListener('message', ({ data }) => answered.push(data))
    port1.start()
    port1.postMessage(message)
    // In order: had the first been heard, its answer would come before this one's.
    const hello = await Comlink.wrap<HostApi>(port1 as Comlink.Endpoint).hello()
    expect(hello.protocol).toMatch(/^x-host/)
    expect(answered.filter((data) => (data as { id?: unknown }).id === 'evil')).toEqual([])
    port1.close()
  })
})
