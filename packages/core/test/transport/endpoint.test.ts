import { describe, expect, test } from 'vitest'
import { type EndpointRequest, nextExchange, send } from '../../src/transport/endpoint.js'
import { byteSource } from '../support/byte-source.js'
import { testEndpoint } from '../support/endpoint.js'
import { mcpRejection, rejection } from '../support/rejection.js'

const post = (more: Partial<EndpointRequest> = {}): EndpointRequest => ({
  exchange: nextExchange(),
  httpMethod: 'POST',
  headers: {},
  message: { jsonrpc: '2.0', id: 1, method: 'ping' },
  signal: new AbortController().signal,
  ...more,
})

test('the endpoint’s headers go along; the request’s own are stronger, whatever their case', async () => {
  const endpoint = testEndpoint(() => new Response(), {
    headers: async () => ({ authorization: 'Bearer x', 'content-type': 'text/plain', 'x-team': 'a' }),
  })
  await send(endpoint, post({ headers: { 'Content-Type': 'application/json' } }))
  expect(Object.fromEntries(endpoint.sent[0]!.headers)).toEqual({
    authorization: 'Bearer x',
    'content-type': 'application/json',
    'x-team': 'a',
  })
})

test('credentials are the endpoint’s, and redirects are shown', async () => {
  const endpoint = testEndpoint(() => new Response(), { credentials: 'include' })
  await send(endpoint, post())
  expect(endpoint.sent[0]!.init).toMatchObject({ credentials: 'include', redirect: 'manual', method: 'POST' })
})

test('fetch is called unbound: browsers refuse one that is a method', async () => {
  const endpoint = testEndpoint(() => new Response(), {
    async fetch(this: unknown) {
      expect(this).toBeUndefined()
      return new Response()
    },
  })
  await send(endpoint, post())
})

test('a request without a message has no body', async () => {
  const endpoint = testEndpoint(() => new Response())
  const { message: _, ...bare } = post({ httpMethod: 'DELETE' })
  await send(endpoint, bare)
  expect(endpoint.sent[0]!.init).not.toHaveProperty('body')
})

describe('a redirect is refused', () => {
  test.each([301, 302, 303, 307, 308])('%d', async (status) => {
    const source = byteSource(['x'], 'stall')
    const headers = { location: 'https://elsewhere.example/a?b' }
    const endpoint = testEndpoint(() => new Response(source.body, { status, headers }))
    expect(await mcpRejection(send(endpoint, post()))).toMatchObject({
      code: 'ERR_MCP_HTTP',
      data: { reason: 'redirect', status },
    })
    await source.cancelled
    expect(endpoint.sent).toHaveLength(1)
  })

  test('also where a browser hides it', async () => {
    const endpoint = testEndpoint(() => Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' }))
    expect(await mcpRejection(send(endpoint, post()))).toMatchObject({
      code: 'ERR_MCP_HTTP',
      data: { reason: 'redirect' },
    })
  })
})

test('parameters that JSON can’t hold are a configuration error, and nothing is sent', async () => {
  const endpoint = testEndpoint(() => new Response())
  const message = { id: 1, method: 'tools/call', params: { name: 'x', arguments: { big: 1n } } }
  const error = await mcpRejection(send(endpoint, post({ message })))
  expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'params', outcome: 'not-run' } })
  expect(error.message).toContain('tools/call')
  expect(endpoint.sent).toEqual([])
})

test('the endpoint’s query is in no message, though the runtime’s error names it', async () => {
  const url = 'https://server.example/mcp?key=s3cret'
  const cause = new TypeError(`error sending request for url (${url}): connection refused`)
  const error = await mcpRejection(
    send(
      testEndpoint(() => Promise.reject(cause), { url }),
      post(),
    ),
  )
  expect(error.message).toBe(
    'The network failed: error sending request for url (https://server.example/mcp?…): connection refused',
  )
})

test('an abort rejects with the signal’s reason', async () => {
  const abort = new AbortController()
  const endpoint = testEndpoint(() => new Promise(() => {}))
  const sending = rejection(send(endpoint, post({ signal: abort.signal })))
  while (endpoint.sent.length === 0) await new Promise(setImmediate)
  abort.abort('enough')
  expect(await sending).toBe('enough')
})

test('what fails to give the credentials comes through as it is', async () => {
  const reason = new Error('locked')
  const endpoint = testEndpoint(() => new Response(), { headers: () => Promise.reject(reason) })
  expect(await rejection(send(endpoint, post()))).toBe(reason)
})

test('onSent tells when fetch has the request, before there is a response', async () => {
  let calls = 0
  const endpoint = testEndpoint(() => {
    expect(calls).toBe(1)
    return new Response()
  })
  await send(endpoint, post({ onSent: () => calls++ }))
  expect(calls).toBe(1)
})

describe('wire events', () => {
  const secret = 's3cret'

  test('hold no header, and so no credential', async () => {
    const endpoint = testEndpoint(() => new Response(null, { headers: { 'set-cookie': secret, 'x-a': secret } }), {
      headers: async () => ({ authorization: `Bearer ${secret}` }),
      url: `https://server.example/mcp?key=${secret}`,
    })
    await send(endpoint, post())
    expect(endpoint.events).toMatchObject([
      { phase: 'request', method: 'ping', body: { method: 'ping' } },
      { phase: 'response', status: 200, contentType: '' },
    ])
    expect(JSON.stringify(endpoint.events)).not.toContain(secret)
  })

  test('are not made while nobody listens', async () => {
    const now = () => {
      throw new Error('asked for the time')
    }
    await send(
      testEndpoint(() => new Response(), { wire: () => undefined, now }),
      post(),
    )
  })
})

describe('a redirect that keeps method and body', () => {
  const to = (location: string, status = 307) => new Response(null, { status, headers: { location } })

  test.each([307, 308])('(%d) is followed within the origin, with all that was sent', async (status) => {
    const endpoint = testEndpoint(({ url }) => (url.endsWith('/mcp') ? to('/mcp/?a=1', status) : new Response('ok')), {
      headers: async () => ({ authorization: 'Bearer x' }),
    })
    const urls: string[] = []
    await send(endpoint, post({ onRedirect: (url) => urls.push(url) }))
    expect(urls).toEqual(['https://server.example/mcp/?a=1'])
    const [first, second] = endpoint.sent
    expect(second!.url).toBe('https://server.example/mcp/?a=1')
    expect(second).toMatchObject({ method: 'POST', body: first!.body })
    expect([...second!.headers]).toEqual([...first!.headers])
  })

  test('is followed three times, no more: a loop ends', async () => {
    const endpoint = testEndpoint(() => to('/mcp'))
    expect(await mcpRejection(send(endpoint, post()))).toMatchObject({ data: { reason: 'redirect', status: 307 } })
    expect(endpoint.sent).toHaveLength(4)
  })

  test.each([
    'https://other.example/mcp',
    'http://server.example/mcp',
    'https://server.example:8443/mcp',
    '//other.example/mcp',
    'https://user:s3cret@server.example/mcp',
    'javascript:alert(1)',
    'http://',
  ])('to %s is refused, and carries nothing there', async (location) => {
    const endpoint = testEndpoint(() => to(location))
    const error = await mcpRejection(send(endpoint, post()))
    expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'redirect' } })
    expect(error.message).not.toContain('s3cret')
    expect(endpoint.sent).toHaveLength(1)
  })
})

describe('credentials that are refused', () => {
  const refusing = (renew: () => Promise<boolean>) => {
    let token = 'old'
    const source = byteSource(['no'], 'stall')
    const endpoint = testEndpoint(
      ({ headers }) =>
        headers.get('authorization') === 'new' ? new Response('ok') : new Response(source.body, { status: 401 }),
      {
        headers: async () => ({ authorization: token }),
        async renew() {
          const isNew = await renew()
          if (isNew) token = 'new'
          return isNew
        },
      },
    )
    return { endpoint, source }
  }

  test('are renewed, and the request is sent again; nobody holds the refusal’s body meanwhile', async () => {
    const { endpoint, source } = refusing(async () => {
      await source.cancelled
      return true
    })
    expect((await send(endpoint, post())).status).toBe(200)
    expect(endpoint.sent.map(({ body }) => body)).toEqual([endpoint.sent[0]!.body, endpoint.sent[0]!.body])
  })

  test('are the answer where there are no others', async () => {
    const { endpoint } = refusing(async () => false)
    expect((await send(endpoint, post())).status).toBe(401)
    expect(endpoint.sent).toHaveLength(1)
  })

  test('are renewed once a request', async () => {
    let renewals = 0
    const endpoint = testEndpoint(() => new Response(null, { status: 401 }), {
      async renew() {
        renewals++
        return true
      },
    })
    expect((await send(endpoint, post())).status).toBe(401)
    expect([renewals, endpoint.sent.length]).toEqual([1, 2])
  })

  test('are not asked for to end a session: a person may be asked', async () => {
    const { endpoint } = refusing(() => Promise.reject(new Error('asked')))
    const { message: _, ...bare } = post({ httpMethod: 'DELETE' })
    expect((await send(endpoint, bare)).status).toBe(401)
  })

  test('are waited for no longer than the caller does', async () => {
    const abort = new AbortController()
    const { endpoint, source } = refusing(() => new Promise(() => {}))
    const sending = rejection(send(endpoint, post({ signal: abort.signal })))
    await source.cancelled
    abort.abort('enough')
    expect(await sending).toBe('enough')
  })
})
