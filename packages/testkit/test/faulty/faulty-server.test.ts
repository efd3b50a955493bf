import { afterEach, describe, expect, test } from 'vitest'
import { keys, responseLength } from '../../src/faulty/expected-outcome.js'
import type { Fault, FaultScript, ReplyForm } from '../../src/faulty/fault-script.js'
import type { FaultyControl } from '../../src/faulty/faulty-control.js'
import { createFaultyFetch } from '../../src/faulty/faulty-fetch.js'
import { startFaultyServer } from '../../src/faulty/faulty-server.js'

interface Running {
  url: string
  fetch: typeof fetch
  control: FaultyControl
  close(): Promise<void>
}

const places: [string, () => Promise<Running>][] = [
  ['over sockets', async () => ({ ...(await startFaultyServer()), fetch: globalThis.fetch })],
  ['in process', async () => ({ url: 'http://faulty.example', ...createFaultyFetch(), close: async () => {} })],
]

const script = (form: ReplyForm, fault: Fault, offset: number, era: FaultScript['era'] = 'modern') =>
  ({ era, form, fault, offset }) satisfies FaultScript
const whole = (form: ReplyForm) => responseLength(script(form, 'cut', 0))

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

describe.each(places)('the faulty server %s', (_place, start) => {
  async function begin(scripts: Record<string, FaultScript>): Promise<Running> {
    running = await start()
    await running.control.begin(scripts)
    return running
  }

  const post = ({ fetch, url }: Running, message: object, init: RequestInit = {}, era = 'modern') =>
    fetch(`${url}/${era}/mcp`, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }), ...init })

  const call = (server: Running, key: string = keys.call, init?: RequestInit, era?: string) => {
    const params = { name: 'run', arguments: { key }, _meta: { progressToken: 1 } }
    return post(server, { method: 'tools/call', params }, init, era)
  }

  test('counts executions by key, whether the reply arrives or not', async () => {
    const server = await begin({ [keys.call]: script('json', 'cut', 0) })
    const lost = call(server).catch((error) => error)
    await server.control.struck(keys.call)
    await server.control.release(keys.call)
    expect(await lost).toBeInstanceOf(TypeError)
    await (await call(server, 'other')).text()
    await (await call(server, 'other')).text()
    expect(await server.control.report()).toEqual({
      executions: { call: 1, other: 2 },
      open: 0,
      log: ['POST tools/call "call"', 'POST tools/call "other"', 'POST tools/call "other"'],
    })
  })

  test('cuts a body where it is told to', async () => {
    const server = await begin({ [keys.call]: script('sse', 'cut', whole('sse') - 5) })
    const { body } = await call(server)
    let text = ''
    const reading = (async () => {
      for await (const chunk of body!) text += Buffer.from(chunk).toString()
    })().catch((error) => error)
    await server.control.struck(keys.call)
    await server.control.release(keys.call)
    expect(await reading).toBeInstanceOf(TypeError)
    expect(text).toContain('"result"')
    expect((await server.control.report()).open).toBe(0)
  })

  test('garbles one byte of a body', async () => {
    const server = await begin({ [keys.call]: script('json', 'garble', whole('json') - 1) })
    const reading = call(server).then((response) => response.text())
    await server.control.struck(keys.call)
    await server.control.release(keys.call)
    expect(await reading).toMatch(/\]\}\0$/)
  })

  test('stalls until the client leaves', async () => {
    const server = await begin({ [keys.call]: script('json', 'stall', 5) })
    const abort = new AbortController()
    const stalled = call(server, keys.call, { signal: abort.signal }).catch((error) => error)
    await server.control.struck(keys.call)
    await server.control.release(keys.call)
    expect((await server.control.report()).open).toBe(1)
    abort.abort(new Error('enough'))
    expect(await stalled).toMatchObject({ message: 'enough' })
    await expect.poll(async () => (await server.control.report()).open).toBe(0)
  })

  test('loses its sessions when it restarts, and listens again', async () => {
    const server = await begin({ [keys.call]: script('json', 'restart', 5, 'legacy') })
    const opened = await post(server, { method: 'initialize', params: {} }, {}, 'legacy')
    await opened.text()
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
    const lost = call(server, keys.call, { headers }, 'legacy').catch((error) => error)
    await server.control.struck(keys.call)
    await server.control.release(keys.call)
    expect(await lost).toBeInstanceOf(TypeError)
    const refused = await call(server, keys.call, { headers }, 'legacy')
    expect(refused.status).toBe(404)
    await refused.text()
    expect(await server.control.report()).toMatchObject({ executions: { call: 1 }, open: 0 })
  })

  test('goes on with a legacy stream after an event', async () => {
    const server = await begin({})
    const opened = await post(server, { method: 'initialize', params: {} }, {}, 'legacy')
    await opened.text()
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
    await server.control.begin({ [keys.call]: { era: 'legacy', form: 'sse-ids', fault: 'none', offset: 0 } })
    const all = await (await call(server, keys.call, { headers }, 'legacy')).text()
    const ids = [...all.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!)
    const after = (id: string) =>
      server.fetch(`${server.url}/legacy/mcp`, { headers: { ...headers, 'last-event-id': id } })
    expect(ids).toHaveLength(3)
    expect(await (await after(ids[1]!)).text()).toBe(all.slice(all.lastIndexOf('event: message')))
    expect((await after(ids[2]!)).status).toBe(204)
  })
})
