import { describe, expect, test } from 'vitest'
import type { ConnectOptions, ServerConfig } from '../../src/config.js'
import { createHost } from '../../src/in-process.js'
import type { Era } from '../../src/protocol.js'
import { createTestServer, RpcError, type TestServer, type TestServerOptions } from '../../src/testing/index.js'
import { deferred } from '../fake-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

const url = 'https://server.example/mcp'
const eras: Era[] = ['modern', 'legacy']
const text = (result: { content: { type: string; text?: string }[] }) => result.content[0]?.text

async function open(options: TestServerOptions, hooks?: ConnectOptions, config: Partial<ServerConfig> = {}) {
  const server = createTestServer(options)
  const timers = createTimers()
  const host = createHost({ fetch: server.fetch, now: timers.now, setTimer: timers.setTimer })
  return { server, timers, host, client: await host.connect({ url, ...config }, hooks) }
}

const echo = { name: 'echo', execute: ({ text }: { text?: unknown }) => String(text) }

describe.each(eras)('a %s test server', (era) => {
  const both = { protocolVersions: era } as const

  test('records what came, in order, and counts what ran', async () => {
    const { server, client } = await open(
      { ...both, tools: [echo] },
      {},
      { auth: { type: 'bearer', token: 'made-up' } },
    )
    await client.callTool('echo', { text: 'one' })
    await client.callTool('echo', { text: 'two' })
    await client.close()
    const calls = server.received.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => params?.arguments)).toEqual([{ text: 'one' }, { text: 'two' }])
    expect(calls[0]).toMatchObject({ era, httpMethod: 'POST', url, name: 'echo' })
    expect(calls[0]?.headers.authorization).toBe('Bearer made-up')
    expect(calls[0]?.session).toBe(era === 'legacy' ? 'session-1' : undefined)
    expect([server.runs('echo'), server.runs('other'), server.runs('constructor')]).toEqual([2, 0, 0])
    if (era === 'legacy') expect(server.received.at(-1)).toMatchObject({ method: 'DELETE', session: 'session-1' })
  })

  test('asks the person once, within one run, and again for the next question', async () => {
    const ask = (city: string) => ({
      message: `What of ${city}?`,
      requestedSchema: { type: 'object', properties: { answer: { type: 'string' } } },
    })
    const { server, client } = await open(
      {
        ...both,
        tools: [
          {
            name: 'ask',
            async execute(_, call) {
              const both = await Promise.all([call.elicit(ask('Oslo')), call.elicit(ask('Rome'))])
              const last = await call.elicit(ask('Paris'))
              return JSON.stringify([...both, last].map((answer) => 'content' in answer && answer.content?.answer))
            },
          },
        ],
      },
      { elicit: async ({ message }) => ({ action: 'accept', content: { answer: message } }) },
    )
    expect(text(await client.callTool('ask'))).toBe('["What of Oslo?","What of Rome?","What of Paris?"]')
    expect(server.runs('ask')).toBe(1)
    expect(server.received.filter(({ method }) => method === 'tools/call')).toHaveLength(era === 'modern' ? 3 : 1)
  })

  test('asks nothing of a client that has no hook', async () => {
    const execute: NonNullable<TestServerOptions['tools']>[number]['execute'] = async (_, call) =>
      call.ask('roots/list')
    const { client } = await open({ ...both, tools: [{ name: 'ask', execute }] })
    const outcome = client.callTool('ask')
    if (era === 'legacy') expect(await outcome).toMatchObject({ isError: true })
    else expect(await mcpRejection(outcome)).toMatchObject({ data: { rpcCode: -32021 } })
  })

  test('tells of progress, and of log messages that are wanted', async () => {
    const { client } = await open({
      ...both,
      tools: [
        {
          name: 'work',
          execute(_, call) {
            call.log('debug', 'small')
            call.log('error', { large: true }, 'worker')
            call.progress({ progress: 1, total: 2, message: 'half' })
          },
        },
      ],
    })
    const heard: unknown[] = []
    client.listen({ log: 'warning' }, (event) => void (event.type === 'log' && heard.push(event)))
    const seen: unknown[] = []
    await client.callTool('work', {}, { onProgress: (progress) => void seen.push(progress) })
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }])
    expect(heard).toEqual([{ type: 'log', level: 'error', logger: 'worker', data: { large: true } }])
  })

  test('says that a list has changed, and that a resource has', async () => {
    const { server, client } = await open({ ...both, tools: [echo], resources: [{ uri: 'test://a', content: 'a' }] })
    const changed = deferred()
    client.on('list-changed', ({ list }) => void (list === 'tools' && changed.resolve()))
    await server.heard()
    server.change({ tools: [{ name: 'new' }] })
    await changed.promise
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['new'])
    const updated = deferred<string>()
    await client.subscribeResource('test://a', ({ uri }) => updated.resolve(uri))
    server.notify.resourceUpdated('test://b')
    server.notify.resourceUpdated('test://a')
    expect(await updated.promise).toBe('test://a')
    await client.close()
  })

  test('cuts a reply: the tool ran, and is not called again', async () => {
    const { server, client } = await open({ ...both, tools: [echo] })
    server.failNext({ type: 'cut', afterBytes: 20 }, { method: 'tools/call', name: 'echo' })
    expect(await mcpRejection(client.callTool('echo', { text: 'x' }))).toMatchObject({
      code: 'ERR_MCP_OUTCOME_UNKNOWN',
      data: { outcome: 'unknown' },
    })
    expect([server.runs('echo'), server.faultsLeft]).toEqual([1, 0])
    expect(text(await client.callTool('echo', { text: 'again' }))).toBe('again')
  })

  test('cuts a reply after an event', async () => {
    const { server, client } = await open({
      ...both,
      tools: [
        {
          name: 'steps',
          execute(_, call) {
            call.progress({ progress: 1 })
            call.progress({ progress: 2 })
          },
        },
      ],
    })
    server.failNext({ type: 'cut', afterEvents: 1 }, { method: 'tools/call' })
    const seen: number[] = []
    const calling = client.callTool('steps', {}, { onProgress: ({ progress }) => void seen.push(progress) })
    expect(await mcpRejection(calling)).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    expect(seen).toEqual([1])
  })

  test.each([
    ['before the server has it', false, 0],
    ['after the tool ran', true, 1],
  ])('lets the network fail %s', async (_, ran, runs) => {
    const { server, client } = await open({ ...both, tools: [echo] })
    server.failNext({ type: 'network', ran }, { method: 'tools/call' })
    await mcpRejection(client.callTool('echo', { text: 'x' }))
    expect(server.runs('echo')).toBe(runs)
  })

  test('answers with a status: twice 429, waited out by the client’s own timers', async () => {
    const { server, client, timers } = await open({ ...both, tools: [echo] })
    const fault = { type: 'status', status: 429, headers: { 'retry-after': '3' } } as const
    server.failNext(fault, { method: 'tools/call', times: 2 })
    const calling = client.callTool('echo', { text: 'patient' })
    for (const nth of [1, 2]) {
      await server.arrival({ method: 'tools/call' }, nth)
      while (timers.asked.filter((ms) => ms === 3_000).length < nth) await new Promise(setImmediate)
      timers.advance(3_000)
    }
    expect(text(await calling)).toBe('patient')
    expect(server.runs('echo')).toBe(1)
  })

  test.each([
    [401, 'ERR_MCP_UNAUTHORIZED'],
    [404, 'ERR_MCP_HTTP'],
    [500, 'ERR_MCP_HTTP'],
  ])('answers with %d', async (status, code) => {
    const { server, client } = await open({ ...both, tools: [echo] })
    server.failNext({ type: 'status', status }, { method: 'tools/call', times: Number.POSITIVE_INFINITY })
    expect(await mcpRejection(client.callTool('echo', {}))).toMatchObject({ code })
    expect(server.runs('echo')).toBe(0)
  })

  test('answers with an error, and with what a tool throws as one', async () => {
    const refuse = () => {
      throw new RpcError(-32051, 'closed')
    }
    const { server, client } = await open({ ...both, tools: [echo, { name: 'refuse', execute: refuse }] })
    server.failNext({ type: 'error', code: -32050, message: 'not today' }, { method: 'tools/call' })
    expect(await mcpRejection(client.callTool('echo', {}))).toMatchObject({ data: { rpcCode: -32050 } })
    expect(await mcpRejection(client.callTool('refuse', {}))).toMatchObject({ data: { rpcCode: -32051 } })
    expect([server.runs('echo'), server.runs('refuse')]).toEqual([0, 1])
  })

  test.each([
    ['request', false, 0],
    ['reply', true, 1],
  ])('holds the %s until it is let go', async (_, ran, runsMeanwhile) => {
    const { server, client } = await open({ ...both, tools: [echo] })
    const held = deferred()
    server.failNext({ type: 'delay', until: held.promise, ran }, { method: 'tools/call' })
    let isDone = false
    const calling = client.callTool('echo', { text: 'late' }).then((result) => {
      isDone = true
      return result
    })
    await server.arrival({ method: 'tools/call' })
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect([isDone, server.runs('echo')]).toEqual([false, runsMeanwhile])
    held.resolve()
    expect(text(await calling)).toBe('late')
  })

  test('a call that is given up while it is held rejects with the caller’s reason', async () => {
    const { server, client } = await open({ ...both, tools: [echo] })
    server.failNext({ type: 'delay', until: new Promise(() => {}) }, { method: 'tools/call' })
    const abort = new AbortController()
    const calling = rejection(client.callTool('echo', {}, { signal: abort.signal }))
    await server.arrival({ method: 'tools/call' })
    abort.abort('enough')
    expect(await calling).toBe('enough')
  })

  test('lists a malformed tool, which is left out and reported', async () => {
    const { server, client } = await open({ ...both, tools: [echo] })
    const findings: string[] = []
    client.on('finding', ({ finding }) => void findings.push(finding.code))
    server.failNext({ type: 'malformed-tool' })
    expect((await client.listTools({ refresh: true })).map(({ name }) => name)).toEqual(['echo'])
    expect(findings).toHaveLength(1)
    await client.listTools({ refresh: true })
    expect(findings).toHaveLength(1)
  })

  test('takes back what has not struck', async () => {
    const { server, client } = await open({ ...both, tools: [echo] })
    const takeBack = server.failNext({ type: 'status', status: 500 }, { name: 'echo', times: 3 })
    await mcpRejection(client.callTool('echo', {}))
    expect(server.faultsLeft).toBe(2)
    takeBack()
    expect(server.faultsLeft).toBe(0)
    expect(text(await client.callTool('echo', { text: 'well' }))).toBe('well')
  })

  test('is unreachable once it is closed', async () => {
    const { server, client } = await open({ ...both, tools: [echo] })
    server.close()
    await mcpRejection(client.callTool('echo', {}))
    expect(server.runs('echo')).toBe(0)
    await client.close()
  })
})

test('an expired session is renewed, and the tool runs once', async () => {
  const { server, client } = await open({ protocolVersions: 'legacy', tools: [echo] })
  server.failNext({ type: 'expired-session' }, { method: 'tools/call' })
  expect(text(await client.callTool('echo', { text: 'still' }))).toBe('still')
  const calls = server.received.filter(({ method }) => method === 'tools/call')
  expect(calls.map(({ session }) => session)).toEqual(['session-1', 'session-2'])
  expect(server.runs('echo')).toBe(1)
})

test('lists have pages, and may be kept as long as the server says', async () => {
  const tools = ['a', 'b', 'c'].map((name) => ({ name }))
  const { server, client } = await open({ tools, pageSize: 2, ttlMs: 60_000 })
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  await client.listTools()
  expect(server.received.filter(({ method }) => method === 'tools/list')).toHaveLength(2)
})

test('arguments that a schema marks come in headers, which the server checks', async () => {
  const inputSchema = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } }
  const { server, client } = await open({ tools: [{ ...echo, inputSchema }] })
  await client.listTools()
  await client.callTool('echo', { city: 'Zürich' })
  expect(server.received.at(-1)?.headers['mcp-param-city']).toMatch(/^=\?base64\?/)
})

describe('what a client must not do is refused', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
  const post = (server: TestServer, change: { headers?: object; meta?: object; body?: string; method?: string }) =>
    server.fetch(url, {
      method: 'POST',
      headers: { ...headers, ...change.headers },
      body:
        change.body ??
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: change.method ?? 'tools/call',
          params: { name: 'echo', _meta: { ...meta, ...change.meta } },
        }),
    })

  test.each<[string, Parameters<typeof post>[1], number, number]>([
    ['a header that is not what the body says', { headers: { 'mcp-name': 'other' } }, 400, -32020],
    ['another revision', { meta: { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } }, 400, -32022],
    ['no capabilities', { meta: { 'io.modelcontextprotocol/clientCapabilities': null } }, 400, -32602],
    ['an unknown method', { method: 'tools/none', headers: { 'mcp-method': 'tools/none' } }, 404, -32601],
    ['no JSON', { body: '{' }, 400, -32600],
    ['a batch', { body: '[]' }, 400, -32600],
  ])('%s', async (_, change, status, code) => {
    const server = createTestServer({ tools: [echo] })
    const response = await post(server, change)
    expect([response.status, (await response.json()).error.code]).toEqual([status, code])
    expect(server.runs('echo')).toBe(0)
  })

  test('a session that is missing or unknown', async () => {
    const server = createTestServer({ tools: [echo] })
    const init = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }
    expect((await server.fetch(url, init)).status).toBe(400)
    expect((await server.fetch(url, { ...init, headers: { 'mcp-session-id': 'old' } })).status).toBe(404)
    expect((await server.fetch(new Request(url, init))).status).toBe(400)
  })

  test('options that make no server', () => {
    expect(() => createTestServer({ protocolVersions: [] })).toThrow(RangeError)
    expect(() => createTestServer({ pageSize: 0 })).toThrow(RangeError)
    expect(() => createTestServer().failNext({ type: 'status', status: 500 }, { times: 0 })).toThrow(RangeError)
  })
})
