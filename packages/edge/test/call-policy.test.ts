import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eras, rpcRequest } from './support/json-rpc.js'
import { acknowledge, type RecordingUpstream, startRecordingUpstream } from './support/recording-upstream.js'
import { type RunningGateway, startGateway, tokens } from './support/start-gateway.js'

let upstream: RecordingUpstream
let gateway: RunningGateway

beforeAll(async () => {
  upstream = await startRecordingUpstream((request) =>
    request.body.startsWith('[') ? Response.json([]) : acknowledge(request),
  )
  const url = `${upstream.url}/mcp`
  gateway = await startGateway({
    servers: {
      denying: { url, tools: { deny: ['wipe'] } },
      allowing: { url, tools: { allow: ['read', 'grüße'] } },
      asking: { url },
      closed: { url },
    },
    forbidden: ['bob asking tools/call wipe', 'bob asking resources/read *', '* closed * *'],
  })
})

beforeEach(() => {
  upstream.requests.length = 0
})

afterAll(async () => {
  await gateway?.stop()
  await upstream?.close()
})

async function send(server: string, body: string, headers: Record<string, string> = {}) {
  const response = await gateway.fetch(`/servers/${server}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const answer = (await response.json()) as { id?: unknown; error?: { data: { code: string } } }
  return {
    status: response.status,
    id: answer.id,
    code: answer.error?.data.code,
    reached: upstream.requests.map((request) => request.body),
  }
}

const call = (name: unknown, id: unknown = 7) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { name: 'wipe', Name: 'x', method: 'y' } },
  })
const bob = { authorization: `Bearer ${tokens.bob}` }
const denied = { status: 403, code: 'ERR_GATEWAY_DENIED', reached: [] }
const ambiguous = { status: 400, code: 'ERR_GATEWAY_BODY', reached: [] }

describe('a call that is allowed', () => {
  test.each([
    ['denying', 'read'],
    ['allowing', 'read'],
    ['asking', 'wipe'],
  ])('of %s: %s', async (server, tool) => {
    expect(await send(server, call(tool))).toEqual({ status: 200, id: 7, code: undefined, reached: [call(tool)] })
  })

  test('is still passed on byte for byte', async () => {
    const body = '{"id":9007199254740993,"jsonrpc":"2.0","method":"tools\\/call", "params":{"name":"re\\u0061d"}}'
    expect(await send('allowing', body)).toMatchObject({ status: 200, reached: [body] })
  })

  test.each(eras)('as a client sends it, with its headers: %s', async (era) => {
    for (const name of ['read', 'grüße']) {
      const { headers, body } = rpcRequest(era, 'tools/call', { name })
      const encoded = name === 'read' ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
      const { status } = await send('allowing', body, {
        ...headers,
        ...(headers['mcp-name'] && { 'mcp-name': encoded }),
      })
      expect(status).toBe(200)
    }
  })

  test('in a batch', async () => {
    const batch = `[${call('read', 1)},${call('read', 2)}]`
    expect(await send('allowing', batch)).toMatchObject({ status: 200, reached: [batch] })
  })

  test('other methods, notifications and replies are no calls', async () => {
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b","name":"wipe"}}',
      '{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"Method":"x"}}}',
    ])
      expect(await send('denying', body)).toMatchObject({ status: 200 })
  })
})

describe('a call that is not allowed is refused with its id, and does not reach the server', () => {
  test.each([
    ['denying', 'wipe'],
    ['allowing', 'wipe'],
    ['allowing', ''],
    ['allowing', 'READ'],
    ['allowing', ' read'],
  ])('by the configuration of %s: %j', async (server, tool) => {
    expect(await send(server, call(tool))).toEqual({ ...denied, id: 7 })
  })

  test('by authorize, for this caller', async () => {
    expect(await send('asking', call('wipe'), bob)).toEqual({ ...denied, id: 7 })
    const read = '{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"a:b"}}'
    expect(await send('asking', read, bob)).toEqual({ ...denied, id: 'r' })
    expect((await send('asking', call('read'), bob)).status).toBe(200)
  })

  test('by authorize, for a whole server: streams, ends of sessions and replies too', async () => {
    expect(await send('closed', '{"jsonrpc":"2.0","id":1,"method":"initialize"}')).toEqual({ ...denied, id: 1 })
    expect(await send('closed', '{"jsonrpc":"2.0","id":1,"result":{}}')).toEqual({ ...denied, id: 1 })
    for (const method of ['GET', 'DELETE']) {
      const response = await gateway.fetch('/servers/closed/mcp', { method })
      expect([method, response.status]).toEqual([method, 403])
    }
    expect(upstream.requests).toEqual([])
  })

  test('anywhere in a batch', async () => {
    expect(await send('denying', `[${call('read')},${call('wipe', 8)}]`)).toEqual({ ...denied, id: 8 })
  })
})

describe('a message that two parsers may read in two ways is refused', () => {
  const params = '"params":{"name":"wipe"}'
  test.each([
    ['method twice', `{"id":1,"method":"tools/call","method":"ping",${params}}`],
    ['method twice, once escaped', `{"id":1,"method":"tools/call","\\u006dethod":"ping",${params}}`],
    ['params twice', `{"id":1,"method":"tools/call",${params},"params":{"name":"read"}}`],
    ['name twice', '{"id":1,"method":"tools/call","params":{"name":"wipe","name":"read"}}'],
    [
      'a name twice after strings that look like JSON',
      '{"id":"{\\"","method":"tools/call","params":{"name":"wipe","a":["}","]"],"name":"read"}}',
    ],
    ['Method', `{"id":1,"Method":"tools/call",${params}}`],
    ['Method beside method', `{"id":1,"Method":"tools/call","method":"ping",${params}}`],
    ['params in another letter', `{"id":1,"method":"tools/call","paramſ":{"name":"wipe"},"params":{"name":"read"}}`],
    ['Name', '{"id":1,"method":"tools/call","params":{"Name":"wipe","name":"read"}}'],
    ['a method that is no string', `{"id":1,"method":["tools/call"],${params}}`],
    ['a name that is no string', '{"id":1,"method":"tools/call","params":{"name":["wipe"]}}'],
    ['no name', '{"id":1,"method":"tools/call"}'],
    ['params that are no object', '{"id":1,"method":"tools/call","params":["wipe"]}'],
    ['a batch in a batch', `[[${call('wipe')}]]`],
    ['no message', '"tools/call"'],
    ['nothing', 'null'],
  ])('%s', async (_, body) => {
    expect(await send('denying', body)).toMatchObject(ambiguous)
  })

  test.each([
    ['mcp-method', 'ping'],
    ['mcp-name', 'wipe'],
    ['mcp-name', `=?base64?${btoa('wipe')}?=`],
    ['mcp-name', '=?base64?***?='],
  ])('a header that says otherwise: %s: %s', async (header, value) => {
    expect(await send('denying', call('read'), { [header]: value })).toMatchObject(ambiguous)
  })

  test.each([
    ['no JSON', '{"method":'],
    ['a byte order mark', `\ufeff${call('wipe')}`],
    ['nothing at all', ''],
  ])('%s', async (_, body) => {
    expect(await send('denying', body)).toMatchObject({ status: 400, code: 'ERR_GATEWAY_JSON', reached: [] })
  })

  test('bytes that are no UTF-8', async () => {
    const bytes = Buffer.from(call('wip\xff'), 'latin1')
    const response = await gateway.fetch('/servers/denying/mcp', { method: 'POST', body: bytes })
    expect([response.status, upstream.requests]).toEqual([400, []])
  })

  test('arguments may hold what they like, once', async () => {
    expect((await send('denying', call('read'))).status).toBe(200)
    upstream.requests.length = 0
    const repeated = '{"id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":{"b":1,"b":2}}}}'
    expect(await send('denying', repeated)).toMatchObject(ambiguous)
  })
})
