import { type ContractServer, startContractServer } from '@x/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGateway } from '../src/index.js'
import { eras, rpc, rpcRequest } from './support/json-rpc.js'
import { acknowledge, type RecordingUpstream, startRecordingUpstream } from './support/recording-upstream.js'
import { type RunningGateway, startGateway } from './support/start-gateway.js'

/** An old one that deployed Workers still have, and that of the pinned runtime. */
const compatibilityDates = ['2024-09-01', '2026-04-20']

let server: ContractServer
let upstream: RecordingUpstream
let answer: () => Response = () => Response.json({})
let running: RunningGateway | undefined

beforeAll(async () => {
  server = await startContractServer()
  upstream = await startRecordingUpstream(() => answer())
})

beforeEach(() => server.control.reset())

afterEach(async () => {
  await running?.stop()
  running = undefined
})

afterAll(async () => {
  await server?.close()
  await upstream?.close()
})

async function start(setup: Partial<Parameters<typeof startGateway>[0]> = {}): Promise<RunningGateway> {
  const servers = { modern: { url: `${server.url}/modern/mcp` }, legacy: { url: `${server.url}/legacy/mcp` } }
  running = await startGateway({ servers, ...setup })
  return running
}

describe.each(compatibilityDates)('workerd of %s, without nodejs_compat', (compatibilityDate) => {
  test('ED-118 importing every entry and making a gateway at module scope does nothing that a Worker may not', async () => {
    const gateway = await start({ worker: 'imports', compatibilityDate })
    const { names, node } = (await (await gateway.fetch('/')).json()) as { names: string[]; node: string[] }
    expect(names).toEqual(expect.arrayContaining(['createGateway', 'connect', 'connectAll', 'McpError', 'toTools']))
    expect(node).toEqual(['undefined', 'undefined'])
    expect((await gateway.fetch('/mcp')).status).toBe(401)
    expect(gateway.log).toEqual([])
  })

  test.each(eras)('ED-116 requests to upstreams name no field that this date does not know: %s', async (era) => {
    const gateway = await start({ compatibilityDate })
    const { reply } = await rpc(gateway, '/mcp', era, 'tools/call', { name: `${era}__echo`, arguments: { text: 'x' } })
    expect(reply.result.content).toEqual([{ type: 'text', text: 'x' }])
    const passed = await rpc(gateway, `/servers/${era}/mcp`, era, era === 'legacy' ? 'initialize' : 'tools/list', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    })
    expect(passed.reply.result).toBeDefined()
    expect(gateway.log).toEqual([])
  })

  test('ED-115 a redirect is seen and refused, not followed and not thrown', async () => {
    answer = () => new Response(null, { status: 307, headers: { location: `${server.url}/modern/mcp` } })
    const gateway = await start({ compatibilityDate, servers: { moved: { url: upstream.url } } })
    const { reply } = await rpc(gateway, '/mcp', 'modern', 'tools/call', { name: 'moved__echo', arguments: {} })
    expect(reply.error).toMatchObject({ data: { code: 'ERR_MCP_HTTP', server: 'moved', outcome: 'not-run' } })
    expect(reply.error!.message).not.toContain(server.url)
    expect((await rpc(gateway, '/servers/moved/mcp', 'modern', 'tools/list')).status).toBe(502)
    expect(await server.control.log()).toEqual([])
  })

  test('ED-117 requests share one isolate and nothing else: side by side, and after one another', async () => {
    const gateway = await start({ compatibilityDate })
    // Two calls that can only end together, over one connection to each server at a time.
    const meet = () => rpc(gateway, '/mcp', 'modern', 'tools/call', { name: 'legacy__meet', arguments: { parties: 2 } })
    for (let round = 0; round < 3; round++) {
      const met = await Promise.all([meet(), meet()])
      expect(met.map(({ reply }) => reply.result?.content)).toEqual([1, 2].map(() => [{ type: 'text', text: 'met 2' }]))
    }
    const lists = await Promise.all([1, 2, 3].map(() => rpc(gateway, '/mcp', 'legacy', 'tools/list')))
    expect(new Set(lists.map(({ reply }) => reply.result.tools.length)).size).toBe(1)
    expect(gateway.log.join('')).not.toMatch(/different request|I\/O/)
  })
})

test('ED-116 a request to an upstream is made of method, headers, body, redirect mode and signal alone', async () => {
  const fields = new Set<string>()
  const gateway = createGateway({
    publicUrl: 'https://gateway.example',
    servers: {
      notes: {
        url: 'https://notes.example/mcp',
        async fetch(_, init = {}) {
          for (const field of Object.keys(init)) fields.add(field)
          return acknowledge({
            method: '',
            path: '',
            headers: {},
            body: new TextDecoder().decode(init.body as Uint8Array),
          })
        },
      },
    },
    authenticate: () => ({ id: 'ada' }),
    origins: [],
    secret: 'a secret of the tests, long enough to sign',
  })
  for (const init of [rpcRequest('modern', 'ping'), { method: 'GET' }, { method: 'DELETE' }])
    expect((await gateway.request('/servers/notes/mcp', init)).ok).toBe(true)
  expect([...fields].sort()).toEqual(['body', 'headers', 'method', 'redirect', 'signal'])
})

describe('mounted in an app that compresses', () => {
  const headers = { 'accept-encoding': 'gzip', accept: 'application/json, text/event-stream' }
  const mounted = () =>
    start({
      worker: 'compressed',
      servers: { notes: { url: upstream.url }, modern: { url: `${server.url}/modern/mcp` } },
    })

  test('ED-120 events arrive one by one, uncompressed', async () => {
    let send: (text: string) => void = () => {}
    answer = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            send = (text) => controller.enqueue(new TextEncoder().encode(text))
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    const gateway = await mounted()
    // That it does compress: without this the test could not fail.
    const large = await gateway.fetch('/large', { headers })
    expect(large.headers.get('content-encoding')).toBe('gzip')
    const response = await gateway.fetch('/tools/servers/notes/mcp', { ...rpcRequest('legacy', 'ping'), headers })
    expect(response.headers.get('content-encoding')).toBeNull()
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (const text of ['data: {"one":1}\n\n', 'data: {"two":2}\n\n']) {
      send(text)
      expect((await reader.read()).value).toBe(text)
    }
    await reader.cancel()
  })

  test.each(eras)('ED-120 a call shows a sign of life before its result: %s', async (era) => {
    const gateway = await mounted()
    const request = rpcRequest(era, 'tools/call', { name: 'modern__meet', arguments: { parties: 2 } })
    const call = () =>
      gateway.fetch('/tools/mcp', { ...request, headers: { ...request.headers, 'accept-encoding': 'gzip' } })
    const response = await call()
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(response.headers.get('content-encoding')).toBeNull()
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    // The call can't end yet: its other party is called now.
    expect((await reader.read()).value).toBe(': connected\n\n')
    await (await call()).text()
    let rest = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value
    expect(rest).toContain('met 2')
  })

  test('what is not below its path is the app’s, what is below is the gateway’s', async () => {
    const gateway = await mounted()
    const plain = { 'accept-encoding': 'identity' }
    expect(await (await gateway.fetch('/elsewhere', { headers: plain })).text()).toBe('the app says: not found')
    const { reply } = await rpc(gateway, '/tools/servers/none/mcp', 'legacy', 'ping', {}, plain)
    expect(reply.error?.data).toMatchObject({ code: 'ERR_GATEWAY_NOT_FOUND' })
  })
})
