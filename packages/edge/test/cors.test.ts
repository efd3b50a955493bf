import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eras, rpcRequest } from './support/json-rpc.js'
import { acknowledge, type RecordingUpstream, startRecordingUpstream } from './support/recording-upstream.js'
import { sendBytes } from './support/send-bytes.js'
import { origin, type RunningGateway, startGateway } from './support/start-gateway.js'

let upstream: RecordingUpstream
let gateway: RunningGateway

beforeAll(async () => {
  upstream = await startRecordingUpstream((request) => {
    const response = acknowledge(request)
    response.headers.set('mcp-session-id', 'session-1')
    response.headers.set('access-control-allow-origin', '*')
    return response
  })
  gateway = await startGateway({
    servers: { notes: { url: `${upstream.url}/mcp` }, dead: { url: 'http://127.0.0.1:1/mcp' } },
  })
})

afterAll(async () => {
  await gateway?.stop()
  await upstream?.close()
})

function preflight(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  })
}

const list = (response: Response, header: string) =>
  (response.headers.get(header) ?? '').split(',').map((item) => item.trim().toLowerCase())

const exposed = ['www-authenticate', 'mcp-session-id', 'mcp-protocol-version', 'retry-after']

describe('preflight', () => {
  test('CB-03 is answered with 204 before authentication and limits, wherever it goes, and reaches no upstream', async () => {
    const before = upstream.requests.length
    for (const path of ['/mcp', '/servers/notes/mcp', '/servers/none/mcp', '/elsewhere', '/mcp?url=x']) {
      const response = await preflight(path)
      expect(response.status, path).toBe(204)
      expect(response.headers.get('access-control-allow-origin'), path).toBe(origin)
      expect(list(response, 'access-control-allow-methods'), path).toEqual(['get', 'post', 'delete', 'options'])
      expect(Number(response.headers.get('access-control-max-age')), path).toBeGreaterThan(0)
    }
    expect(upstream.requests.length).toBe(before)
  })

  test.each(eras)('CB-02 allows every header that a client of the %s era sends', async (era) => {
    const sent = [
      ...Object.keys(rpcRequest(era, 'tools/call', { name: 'x' }).headers),
      'authorization',
      'mcp-session-id',
      'last-event-id',
    ]
    const response = await preflight('/mcp', { 'access-control-request-headers': sent.sort().join(',') })
    expect(list(response, 'access-control-allow-headers')).toEqual(expect.arrayContaining(sent))
  })

  test('CB-02 allows trace headers, and parameters of tools that are asked for by name', async () => {
    const asked = 'traceparent, tracestate, baggage, Mcp-Param-City, mcp-param-x_1'
    const response = await preflight('/mcp', { 'access-control-request-headers': asked })
    const wanted = ['traceparent', 'tracestate', 'baggage', 'mcp-param-city', 'mcp-param-x_1']
    expect(list(response, 'access-control-allow-headers')).toEqual(expect.arrayContaining(wanted))
    expect(list(response, 'vary')).toEqual(expect.arrayContaining(['origin', 'access-control-request-headers']))
  })

  test('reflects nothing else', async () => {
    const asked = 'x-admin, cookie, mcp-param-, mcp-param-a b, mcp-param-ä, xmcp-param-a, *'
    const response = await preflight('/mcp', {
      'access-control-request-headers': Buffer.from(asked).toString('latin1'),
    })
    const allowed = list(response, 'access-control-allow-headers')
    expect(allowed.filter((header) => /admin|cookie|param|\*/.test(header))).toEqual([])
  })

  test('of a foreign origin is refused without CORS headers', async () => {
    const response = await preflight('/mcp', { origin: 'https://evil.example' })
    expect(response.status).toBe(403)
    expect([...response.headers.keys()].filter((header) => header.startsWith('access-control-'))).toEqual([])
  })

  test('OPTIONS that is none wants credentials like any other request', async () => {
    const response = await fetch(`${gateway.url}/mcp`, { method: 'OPTIONS', headers: { origin } })
    expect(response.status).toBe(401)
  })
})

describe('responses', () => {
  test('CB-01 the session id that a server assigns can be read by the page', async () => {
    const { headers, ...request } = rpcRequest('legacy', 'initialize')
    const response = await gateway.fetch('/servers/notes/mcp', { ...request, headers: { ...headers, origin } })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toMatch(/^session-1\./)
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(list(response, 'access-control-expose-headers')).toEqual(exposed)
  })

  test('CB-04 the challenge of a 401 can be read by the page', async () => {
    for (const authorization of [undefined, 'Bearer wrong']) {
      const response = await fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: { origin, ...(authorization && { authorization }) },
      })
      expect(response.status).toBe(401)
      const error = authorization ? ', error="invalid_token"' : ''
      expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="https://gateway.example"${error}`)
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(list(response, 'access-control-expose-headers')).toEqual(exposed)
    }
  })

  const { headers, body } = rpcRequest('legacy', 'ping')
  test.each([
    [401, '/servers/notes/mcp', { authorization: 'none' }, body],
    [400, '/servers/notes/mcp?url=x', {}, body],
    [404, '/servers/none/mcp', {}, body],
    [404, '/elsewhere', {}, body],
    [404, '/servers/notes/mcp', { 'mcp-session-id': 'forged' }, body],
    [400, '/mcp', {}, 'no json'],
    [502, '/servers/dead/mcp', {}, body],
    [500, '/mcp', { authorization: 'Bearer explode' }, body],
  ])('an error %i of %s can be read by the page', async (status, path, more, sent) => {
    const response = await gateway.fetch(path, { method: 'POST', headers: { ...headers, origin, ...more }, body: sent })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(list(response, 'access-control-expose-headers')).toEqual(exposed)
    expect(list(response, 'vary')).toContain('origin')
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } })
  })

  test.each(['/mcp', '/servers/notes/mcp'])('an error 413 of %s can be read by the page', async (path) => {
    const length = 4 * 1024 * 1024 + 1
    const answer = await sendBytes(gateway, path, length, { origin, 'content-length': String(length) })
    expect(answer.status).toBe(413)
    expect(answer.headers['access-control-allow-origin']).toBe(origin)
    expect(answer.body.error?.data.code).toBe('ERR_GATEWAY_TOO_LARGE')
  })

  test('never allow credentials, and are nobody else’s to cache', async () => {
    const { headers, ...request } = rpcRequest('modern', 'tools/list')
    for (const path of ['/mcp', '/servers/notes/mcp', '/elsewhere']) {
      const response = await gateway.fetch(path, { ...request, headers: { ...headers, origin } })
      expect(response.headers.has('access-control-allow-credentials'), path).toBe(false)
      expect(response.headers.get('cache-control'), path).toBe('no-store')
    }
  })

  test('to a caller without an origin hold no CORS headers, but vary by it', async () => {
    const response = await gateway.fetch('/servers/notes/mcp', rpcRequest('modern', 'ping'))
    expect(response.status).toBe(200)
    expect(response.headers.has('access-control-allow-origin')).toBe(false)
    expect(list(response, 'vary')).toContain('origin')
  })
})
