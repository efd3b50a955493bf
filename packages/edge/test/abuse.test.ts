import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rpcRequest } from './support/json-rpc.js'
import { acknowledge, type RecordingUpstream, startRecordingUpstream } from './support/recording-upstream.js'
import { sendBytes, sendRaw } from './support/send-bytes.js'
import { origin, type RunningGateway, startGateway, tokens } from './support/start-gateway.js'

let upstream: RecordingUpstream
let other: RecordingUpstream
let gateway: RunningGateway

beforeAll(async () => {
  upstream = await startRecordingUpstream((request) => {
    const response = acknowledge(request)
    if (request.body.includes('"initialize"')) response.headers.set('mcp-session-id', 'session-of-ada')
    return response
  })
  // What no configuration names.
  other = await startRecordingUpstream(acknowledge)
  gateway = await startGateway({ servers: { notes: { url: `${upstream.url}/mcp` } } })
})

beforeEach(() => {
  upstream.requests.length = 0
  other.requests.length = 0
})

afterAll(async () => {
  await gateway?.stop()
  await upstream?.close()
  await other?.close()
})

const endpoints = ['/mcp', '/servers/notes/mcp']
const call = rpcRequest('modern', 'tools/call', { name: 'notes__read' })

/** What came of it, with all that reached a server. */
async function outcome(sent: Promise<Response>) {
  const response = await sent
  const { error } = (await response.json()) as { error: { data: { code: string } } }
  return { status: response.status, code: error.data.code, reached: [...upstream.requests, ...other.requests] }
}

describe('abuse is refused, and nothing reaches an upstream', () => {
  test.each(endpoints)('the same request with credentials does reach it: %s', async (path) => {
    await gateway.fetch(path, call).then((response) => response.text())
    expect(upstream.requests.length).toBeGreaterThan(0)
  })

  test.each(endpoints)('no credentials: %s', async (path) => {
    expect(await outcome(fetch(gateway.url + path, call))).toEqual({
      status: 401,
      code: 'ERR_GATEWAY_UNAUTHENTICATED',
      reached: [],
    })
  })

  test.each(endpoints)('wrong credentials: %s', async (path) => {
    for (const authorization of [
      'Bearer wrong',
      `Basic ${btoa('ada:ada')}`,
      `bearer${tokens.ada}`,
      'Bearer ',
      'Bearer toString',
    ])
      expect(await outcome(gateway.fetch(path, { ...call, headers: { ...call.headers, authorization } }))).toEqual({
        status: 401,
        code: 'ERR_GATEWAY_UNAUTHENTICATED',
        reached: [],
      })
  })

  test.each(endpoints)('a function that fails to authenticate, whose words are not told: %s', async (path) => {
    const sent = gateway.fetch(path, { ...call, headers: { ...call.headers, authorization: 'Bearer explode' } })
    const text = await (await sent).clone().text()
    expect(text).not.toContain('db.internal')
    expect(await outcome(sent)).toEqual({ status: 500, code: 'ERR_GATEWAY_INTERNAL', reached: [] })
  })

  test.each(endpoints)('a foreign origin: %s', async (path) => {
    const foreign = [
      'https://evil.example',
      'null',
      `${origin}.evil.example`,
      origin.replace('https', 'http'),
      `${origin}:8443`,
    ]
    for (const each of foreign) {
      const sent = gateway.fetch(path, { ...call, headers: { ...call.headers, origin: each } })
      expect([...(await sent).headers.keys()].filter((header) => header.startsWith('access-control-'))).toEqual([])
      expect(await outcome(sent), each).toEqual({ status: 403, code: 'ERR_GATEWAY_ORIGIN', reached: [] })
    }
  })

  test.each([
    'none',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'NOTES',
    'notes%00',
    '%6eotes%2f',
    'notes;x',
  ])('an unknown server name: %s', async (name) => {
    const sent = gateway.fetch(`/servers/${name}/mcp`, call)
    expect(await outcome(sent)).toEqual({ status: 404, code: 'ERR_GATEWAY_NOT_FOUND', reached: [] })
  })

  test('an attempt to name a URL', async () => {
    const target = `${other.url}/mcp`
    const encoded = encodeURIComponent(target)
    for (const [path, status] of [
      [`/mcp?url=${encoded}`, 400],
      [`/servers/notes/mcp?url=${encoded}`, 400],
      [`/servers/notes/mcp?target=${encoded}`, 400],
      [`/servers/${encoded}/mcp`, 404],
      [`/servers/${target}`, 404],
      [`/servers/notes%2F..%2F..%2Fmcp/mcp`, 404],
      [`/servers/notes/mcp/${encoded}`, 404],
      [`/servers/notes/${target}`, 404],
      [`/${target}`, 404],
      [`//${new URL(other.url).host}/mcp`, 404],
      ['/servers//mcp', 404],
      ['/servers/../../etc/passwd', 404],
      ['/servers/notes/..%2fmcp', 404],
      ['/mcp/', 404],
    ] as const) {
      const { status: got, reached } = await outcome(gateway.fetch(path, call))
      expect([path, got, reached]).toEqual([path, status, []])
    }
  })

  test('a request line that names a URL, and headers that name a host', async () => {
    const { host } = new URL(other.url)
    const ask = (line: string) =>
      sendRaw(gateway, `${line}\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.ada}\r\nConnection: close\r\n\r\n`)
    expect(await ask('GET /secret HTTP/1.1')).toMatch(/^HTTP\/1\.1 404 /)
    expect(await ask('GET /servers/none/mcp HTTP/1.1')).toMatch(/^HTTP\/1\.1 404 /)
    // These the runtime refuses by itself.
    expect(await ask(`GET http://${host}/secret HTTP/1.1`)).toMatch(/^HTTP\/1\.1 [45]\d\d /)
    expect(await ask(`CONNECT ${host} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 [45]\d\d /)

    const headers = { 'x-forwarded-host': host, forwarded: `host=${host}`, 'x-original-url': other.url }
    const answer = await gateway.fetch('/servers/none/mcp', { headers })
    expect(await answer.text()).toContain('https://gateway.example/mcp')
    expect([...upstream.requests, ...other.requests]).toEqual([])
  })

  test.each(endpoints)('a body of 50 MB whose length is declared: %s', async (path) => {
    const { status, body } = await sendBytes(gateway, path, 50_000_000, { 'content-length': String(50_000_000) })
    expect([status, body.error?.data.code]).toEqual([413, 'ERR_GATEWAY_TOO_LARGE'])
    expect(upstream.requests).toEqual([])
  })

  test.each(endpoints)('a body that is declared larger than anyone would send is not waited for: %s', async (path) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${tokens.ada}\r\n`
    const status = await sendRaw(gateway, `${head}Content-Length: 1000000000\r\n\r\n{`)
    expect(status).toMatch(/^HTTP\/1\.1 413 /)
    expect(upstream.requests).toEqual([])
  })

  test.each(endpoints)('a body of 50 MB whose length is not declared: %s', async (path) => {
    const { status, body } = await sendBytes(gateway, path, 50_000_000, { 'transfer-encoding': 'chunked' })
    expect([status, body.error?.data.code]).toEqual([413, 'ERR_GATEWAY_TOO_LARGE'])
    expect(upstream.requests).toEqual([])
  })

  test.each(endpoints)('a body that would have to be unpacked: %s', async (path) => {
    const sent = gateway.fetch(path, { ...call, headers: { ...call.headers, 'content-encoding': 'gzip' } })
    expect(await outcome(sent)).toEqual({ status: 415, code: 'ERR_GATEWAY_BODY', reached: [] })
  })

  test("another caller's session id", async () => {
    const path = '/servers/notes/mcp'
    const opened = await gateway.fetch(path, rpcRequest('legacy', 'initialize'))
    const session = opened.headers.get('mcp-session-id')!
    const { headers, ...request } = rpcRequest('legacy', 'tools/list')
    const own = await gateway.fetch(path, { ...request, headers: { ...headers, 'mcp-session-id': session } })
    expect(own.status).toBe(200)
    expect(upstream.requests.at(-1)?.headers['mcp-session-id']).toBe('session-of-ada')

    upstream.requests.length = 0
    const bobs = { ...headers, authorization: `Bearer ${tokens.bob}`, 'mcp-session-id': session }
    for (const init of [{ ...request }, { method: 'GET' }, { method: 'DELETE' }]) {
      const { status, code, reached } = await outcome(gateway.fetch(path, { ...init, headers: bobs }))
      expect([init.method, status, code, reached]).toEqual([init.method, 404, 'ERR_GATEWAY_SESSION', []])
    }
    // The upstream's own id, as Bob may have seen it elsewhere.
    const raw = gateway.fetch(path, { ...request, headers: { ...bobs, 'mcp-session-id': 'session-of-ada' } })
    expect(await outcome(raw)).toMatchObject({ status: 404, reached: [] })
  })
})
