import { silence, startScriptedServer } from '@x/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGateway } from '../src/index.js'
import { rpcRequest, versions } from './support/json-rpc.js'
import { sendAndLeave } from './support/leaving-caller.js'
import {
  acknowledge,
  type RecordedRequest,
  type RecordingUpstream,
  startRecordingUpstream,
} from './support/recording-upstream.js'
import { origin, type RunningGateway, secret, startGateway } from './support/start-gateway.js'

const path = '/servers/notes/mcp'
const post = rpcRequest('legacy', 'ping')

let answer: (request: RecordedRequest, signal: AbortSignal) => Response | Promise<Response>
let upstream: RecordingUpstream
let elsewhere: RecordingUpstream
let gateway: RunningGateway

beforeAll(async () => {
  upstream = await startRecordingUpstream((request, signal) => answer(request, signal))
  elsewhere = await startRecordingUpstream(acknowledge)
  const mute = { url: `${upstream.url}/mcp`, callTimeoutMs: 200 }
  gateway = await startGateway({
    servers: {
      notes: {
        url: `${upstream.url}/mcp`,
        auth: { type: 'bearer', token: 'of-the-gateway' },
        headers: { 'x-tenant': 'acme', 'mcp-tenant': 'acme' },
      },
      keyed: {
        url: `${upstream.url}/mcp`,
        auth: { type: 'api-key', header: 'X-Api-Key', value: 'key-of-the-gateway' },
      },
      slow: mute,
      dead: { url: 'http://127.0.0.1:1/mcp' },
    },
  })
})

beforeEach(() => {
  answer = acknowledge
  upstream.requests.length = 0
  elsewhere.requests.length = 0
})

afterAll(async () => {
  await gateway?.stop()
  await Promise.all([upstream, elsewhere].map((server) => server?.close()))
})

const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { data: { code: string; server?: string } } }).error.data

describe('the request', () => {
  test('arrives as it was sent, byte for byte, with its length', async () => {
    // Numbers that JSON.parse would round, white space, and escapes that JSON.stringify would not write.
    const body = '{"jsonrpc":"2.0", "id":9007199254740993,\n "method":"ping","params":{"a":1.0,"b":"\\u0041\\/é"}}'
    const response = await gateway.fetch(path, { ...post, body })
    expect(response.status).toBe(200)
    expect(upstream.requests[0]).toMatchObject({ method: 'POST', path: '/mcp', body })
    expect(upstream.requests[0]!.headers['content-length']).toBe(String(Buffer.byteLength(body)))
    expect(upstream.requests[0]!.headers['transfer-encoding']).toBeUndefined()
  })

  test('ED-122 carries what the protocol needs, and nothing of the caller’s own', async () => {
    const passed = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'last-event-id': '42',
      'mcp-protocol-version': versions.legacy,
      'mcp-method': 'ping',
      'mcp-name': 'x',
      'mcp-param-city': 'Oslo',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
      baggage: 'c=d',
    }
    const kept = {
      cookie: 'session=of-the-caller',
      origin,
      referer: `${origin}/chat`,
      'user-agent': 'Browser/1.0',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'evil.example',
      'x-real-ip': '192.0.2.1',
      forwarded: 'for=192.0.2.1',
      'cf-connecting-ip': '192.0.2.1',
      'cf-access-jwt-assertion': 'of-the-caller',
      'x-api-key': 'of-the-caller',
      'proxy-authorization': 'Basic of-the-caller',
      'x-tenant': 'other',
      'mcp-tenant': 'other',
    }
    await gateway.fetch(path, { ...post, headers: { ...passed, ...kept } })
    const { headers } = upstream.requests[0]!
    expect(headers).toMatchObject(passed)
    expect(headers).toMatchObject({ authorization: 'Bearer of-the-gateway', 'x-tenant': 'acme', 'mcp-tenant': 'acme' })
    // The last is Cloudflare's own; it names the Worker's zone.
    const own = [
      'authorization',
      'x-tenant',
      'mcp-tenant',
      'host',
      'content-length',
      'accept-encoding',
      'connection',
      'cf-worker',
    ]
    expect(Object.keys(headers).filter((name) => !own.includes(name) && !(name in passed))).toEqual([])
  })

  test('ED-122 carries an API key of the gateway’s in its header', async () => {
    await gateway.fetch('/servers/keyed/mcp', { ...post, headers: { ...post.headers, 'x-api-key': 'of-the-caller' } })
    expect(upstream.requests[0]!.headers).toMatchObject({ 'x-api-key': 'key-of-the-gateway' })
    expect(upstream.requests[0]!.headers.authorization).toBeUndefined()
  })

  test('may be a GET or a DELETE, without a body', async () => {
    for (const method of ['GET', 'DELETE']) {
      answer = () => new Response(null, { status: 405 })
      expect((await gateway.fetch(path, { method })).status).toBe(405)
      expect(upstream.requests.at(-1)).toMatchObject({ method, body: '' })
    }
  })

  test.each(['PUT', 'PATCH', 'HEAD'])('may be no %s', async (method) => {
    const response = await gateway.fetch(path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
    expect(upstream.requests).toEqual([])
  })
})

describe('the response', () => {
  test('ED-120 streams: each event arrives when the server sends it, marked for proxies not to collect', async () => {
    let send: (text: string) => void = () => {}
    let end = () => {}
    answer = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            send = (text) => controller.enqueue(new TextEncoder().encode(text))
            end = () => controller.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'public, max-age=60' } },
      )
    const response = await gateway.fetch(path, { ...post, headers: { ...post.headers, 'accept-encoding': 'gzip, br' } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(upstream.requests[0]!.headers['accept-encoding']).toBe('identity')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (const text of ['id: 1\ndata: {"one":1}\n\n', ': ping\n\n', 'data: {"two":2}\n\n']) {
      send(text)
      // Were anything collected on the way, this would wait for ever: nothing more is sent until it is here.
      expect((await reader.read()).value).toBe(text)
    }
    end()
    expect((await reader.read()).done).toBe(true)
  })

  test('is larger than any limit of the request', async () => {
    const bytes = 8 * 1024 * 1024
    answer = () => new Response(new Uint8Array(bytes), { headers: { 'content-type': 'application/json' } })
    expect((await (await gateway.fetch(path, post)).arrayBuffer()).byteLength).toBe(bytes)
  })

  test('ED-122 keeps status and protocol headers, and no cookie or other header of the server', async () => {
    answer = () =>
      new Response('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}', {
        status: 429,
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-11-25',
          'retry-after': '7',
          'set-cookie': 'tracking=1',
          server: 'notes/1.0',
          'x-internal-host': 'notes-7.internal',
          'access-control-allow-origin': '*',
          'access-control-allow-credentials': 'true',
          'www-authenticate': 'Bearer realm="notes"',
        },
      })
    const response = await gateway.fetch(path, { ...post, headers: { ...post.headers, origin } })
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject({ error: { message: 'busy' } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      'retry-after': '7',
      'access-control-allow-origin': origin,
    })
    const foreign = ['set-cookie', 'server', 'x-internal-host', 'access-control-allow-credentials', 'www-authenticate']
    for (const header of foreign) expect([header, response.headers.get(header)]).toEqual([header, null])
  })

  test.each([202, 204, 205])('TR-68 an answer %i to a notification passes, without a body', async (status) => {
    answer = () => new Response(null, { status })
    const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const response = await gateway.fetch(path, { ...post, body })
    expect([response.status, await response.text()]).toEqual([status, ''])
  })

  test.each([204, 205, 304])('TR-68 nor does a %i get one in Node, where that would throw', async (status) => {
    const node = createGateway({
      publicUrl: 'https://gateway.example',
      servers: { notes: { url: 'https://notes.example/mcp', fetch: async () => new Response(null, { status }) } },
      authenticate: () => ({ id: 'ada' }),
      origins: [],
      secret,
    })
    const response = await node.request(path, post)
    expect([response.status, response.body]).toEqual([status, null])
  })

  test('TR-68 so does a 304', async () => {
    answer = () => new Response(null, { status: 304 })
    const response = await gateway.fetch(path, { method: 'GET' })
    expect([response.status, await response.text()]).toEqual([304, ''])
  })

  test.each([
    [200, ''],
    [200, 'ok'],
    [202, 'accepted'],
  ])('TR-68 an answer %i %j to a notification passes as it is', async (status, text) => {
    answer = () => new Response(text, { status, headers: { 'content-type': 'text/plain' } })
    const response = await gateway.fetch(path, { ...post, body: '{"jsonrpc":"2.0","method":"notifications/x"}' })
    expect([response.status, await response.text()]).toEqual([status, text])
  })

  test.each([401, 403])('%i, which is about the gateway’s credentials, becomes 502', async (status) => {
    answer = () => new Response('go away, of-the-gateway', { status, headers: { 'www-authenticate': 'Bearer' } })
    const response = await gateway.fetch(path, post)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([502, null])
    const text = await response.clone().text()
    expect(text).not.toContain('of-the-gateway')
    expect(text).toContain("does not accept the gateway's credentials")
    expect(await codeOf(response)).toEqual({ code: 'ERR_GATEWAY_UPSTREAM', server: 'notes' })
  })

  test.each([301, 302, 303, 307, 308])('ED-115 a redirect %i is not followed, and becomes 502', async (status) => {
    answer = () => new Response(null, { status, headers: { location: `${elsewhere.url}/mcp` } })
    for (const init of [post, { method: 'GET' }]) {
      const response = await gateway.fetch(path, init)
      expect(response.status).toBe(502)
      expect(await response.clone().text()).not.toContain(elsewhere.url)
      expect(await codeOf(response)).toMatchObject({ code: 'ERR_GATEWAY_UPSTREAM', server: 'notes' })
    }
    expect(elsewhere.requests).toEqual([])
  })

  test('of a dead server is 502, of one that keeps silent 504', async () => {
    const dead = await gateway.fetch('/servers/dead/mcp', post)
    expect([dead.status, await codeOf(dead)]).toEqual([502, { code: 'ERR_GATEWAY_UPSTREAM', server: 'dead' }])
    answer = () => silence()
    const slow = await gateway.fetch('/servers/slow/mcp', post)
    expect([slow.status, await codeOf(slow)]).toEqual([504, { code: 'ERR_GATEWAY_TIMEOUT', server: 'slow' }])
  })
})

describe('a caller who leaves', () => {
  test('while the response streams', async () => {
    const left = new Promise<void>((resolve) => {
      answer = (_, signal) => {
        signal.addEventListener('abort', () => resolve())
        return new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(': hello\n\n')) }),
          { headers: { 'content-type': 'text/event-stream' } },
        )
      }
    })
    const { begun, leave } = sendAndLeave(gateway, path, post)
    await begun
    leave()
    await left
  })

  test('before the response begins', async () => {
    let arrived = () => {}
    const there = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const left = new Promise<void>((resolve) => {
      answer = (_, signal) => {
        signal.addEventListener('abort', () => resolve())
        arrived()
        return silence()
      }
    })
    const { leave } = sendAndLeave(gateway, path, post)
    await there
    leave()
    await left
  })
})

test('a scripted server is not needed to be polite: headers it repeats, and a type in capitals', async () => {
  const rude = await startScriptedServer(
    () =>
      new Response('data: {}\n\n', {
        headers: [
          ['content-type', 'TEXT/EVENT-STREAM'],
          ['retry-after', '1'],
          ['retry-after', '2'],
        ],
      }),
  )
  const own = await startGateway({ servers: { rude: { url: rude.url } } })
  try {
    const response = await own.fetch('/servers/rude/mcp', post)
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('retry-after')).toBe('1, 2')
  } finally {
    await own.stop()
    await rude.close()
  }
})
