import { getEventListeners } from 'node:events'
import v8 from 'node:v8'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { createHost } from '../src/host.js'
import { createMcpFetch, progressTool, rejection } from './mcp-fetch.js'
import { servePorts } from './served-port.js'

const url = 'https://server.test/mcp'

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

/** Bytes in use once everything that can go has gone; some goes only in a later turn. */
async function heapUsed(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(setImmediate)
    collect()
  }
  return process.memoryUsage().heapUsed
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

function createTestHost() {
  const server = createMcpFetch({ steps: progressTool, ok: () => ({ content: [{ type: 'text', text: 'ok' }] }) })
  const ports = servePorts(async (...args) => {
    // The record of what was asked would be the leak.
    server.requests.length = 0
    return server.fetch(...args)
  })
  return { host: createHost({ worker: ports.worker }), ports }
}

test('ten thousand calls leave nothing behind, on either side', { timeout: 60_000 }, async () => {
  const { host, ports } = createTestHost()
  const client = await host.connect(url)
  const { signal } = new AbortController()
  const ends = [ports.made[0]!.page, ports.made[0]!.worker]
  const listeners = () => ends.map((port) => getEventListeners(port, 'message').length)

  async function callMany(count: number): Promise<void> {
    for (let done = 0; done < count; done += 50) {
      const calls = Array.from({ length: 50 }, (_, index) => {
        if (index % 10 > 0) return client.callTool('ok', { index }, { signal, onProgress: () => {} })
        if (index % 20 > 0) return client.callTool('steps', { steps: 2 }, { onProgress: () => {} })
        return rejection(client.callTool('ok', {}, { timeoutMs: -1 }))
      })
      await Promise.all(calls)
    }
  }
  await callMany(2_000)
  const before = { listeners: listeners(), timers: timers(), heap: await heapUsed() }
  await callMany(10_000)
  expect(listeners()).toEqual(before.listeners)
  expect(timers()).toBe(before.timers)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  // A hundred bytes for each call would be one megabyte.
  expect((await heapUsed()) - before.heap).toBeLessThan(1_000_000)
})

test('a thousand connections leave nothing behind, whoever forgot to unsubscribe', { timeout: 60_000 }, async () => {
  const { host } = createTestHost()
  const abort = new AbortController()

  async function connectMany(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      const client = await host.connect(url, { signal: abort.signal, onEvent: () => {} })
      for (const type of ['state', 'log', 'wire', 'list-changed'] as const) client.on(type, () => {})
      await client.callTool('ok')
      await client.close()
    }
  }
  await connectMany(200)
  const before = { timers: timers(), heap: await heapUsed() }
  await connectMany(1_000)
  expect(timers()).toBe(before.timers)
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0)
  // The engine's client alone is dozens of kilobytes for each connection.
  expect((await heapUsed()) - before.heap).toBeLessThan(2_000_000)
})
