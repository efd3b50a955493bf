import { describe, expect, test } from 'vitest'
import { checkUrl, createGuardedFetch } from '../../src/authorization/url-guard.js'
import { byteSource } from '../support/byte-source.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused, type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

const serverUrl = 'https://server.example/mcp'
const url = 'https://as.example/token'

describe('a URL that a server named', () => {
  const check = (named: unknown, server = serverUrl): string => {
    try {
      return checkUrl(named, server, 'token_endpoint').href
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_MCP_AUTHORIZATION' })
      return (error as { data: { reason: string } }).data.reason
    }
  }

  test.each([
    'https://as.example/token',
    'https://as.example:8443/token?tenant=a%20b',
    'https://server.example/token',
    'HTTPS://AS.EXAMPLE/',
    'https://as.example',
    'https://as.example:443/',
    'https://[2606:4700::1111]/token',
  ])('%s is taken', (named) => {
    expect(check(named)).toBe(new URL(named).href)
  })

  test.each([
    ['http://as.example/token', 'insecure'],
    ['http://server.example/token', 'insecure'],
    ['http://localhost:8080/token', 'insecure'],
    ['https://localhost:8080/token', 'private-address'],
    ['https://10.0.0.1/', 'private-address'],
    ['https://as.example:22/', 'port'],
    ['https://as.example:25/', 'port'],
    ['https://as.example:80/', 'port'],
    ['https://user@as.example/', 'user-info'],
    ['https://as.example/#', 'fragment'],
    ['https:as.example/token', 'malformed'],
    ['https:/as.example/token', 'malformed'],
    ['https:///as.example/token', 'malformed'],
    ['https://as.example\\@evil.example/', 'malformed'],
    ['https:\\\\as.example\\', 'malformed'],
    [' https://as.example/', 'malformed'],
    ['https://as.example/\n', 'malformed'],
    ['https://as.exam\tple/', 'malformed'],
    ['https://as.example/a b', 'malformed'],
    ['https://ás.example/', 'malformed'],
    ['/token', 'malformed'],
    ['', 'malformed'],
    [undefined, 'malformed'],
    [{ href: 'https://as.example/' }, 'malformed'],
  ])('%s is refused: %s', (named, reason) => {
    expect(check(named)).toBe(reason)
  })

  test('what a server on loopback or in an inner network names may lie there too, and nowhere else inside', () => {
    expect(check('http://127.0.0.1:9000/token', 'http://localhost:3000/mcp')).toBe('http://127.0.0.1:9000/token')
    expect(check('http://127.0.0.1:9000/token', 'https://10.0.0.1/mcp')).toBe('insecure')
    expect(check('https://10.0.0.2/token', 'https://10.0.0.1/mcp')).toBe('https://10.0.0.2/token')
    expect(check('https://login.corp/token', 'https://mcp.internal/')).toBe('https://login.corp/token')
    expect(check('http://10.0.0.1/token', 'http://10.0.0.1/mcp')).toBe('insecure')
    expect(check('https://10.0.0.1/', 'http://localhost:3000/mcp')).toBe('private-address')
    expect(check('https://169.254.169.254/', 'https://10.0.0.1/mcp')).toBe('private-address')
    expect(check('https://169.254.169.254/', 'https://169.254.1.1/mcp')).toBe('private-address')
    expect(check('https://metadata.google.internal/', 'https://mcp.internal/')).toBe('private-address')
    expect(check('https://as.example:993/', 'https://as.example:993/mcp')).toBe('https://as.example:993/')
  })

  test('what the app itself has configured may be named wherever it lies, and nothing beside it', () => {
    const configured = ['https://login.corp/realm', 'http://localhost:9000']
    const check = (named: string) => () => checkUrl(named, serverUrl, 'token_endpoint', configured)
    expect(check('https://login.corp/token')).not.toThrow()
    expect(check('http://localhost:9000/token')).not.toThrow()
    expect(check('http://login.corp/token')).toThrow(/is not https/)
    expect(check('https://vault.corp/token')).toThrow(/inner network/)
    expect(check('http://127.0.0.1:9000/token')).toThrow(/is not https/)
  })

  test('its error names what it is and where it leads, without secrets', () => {
    const check = () => checkUrl('http://u:s3cret@as.example/t?key=s3cret#s3cret', serverUrl, 'token_endpoint')
    expect(check).toThrow(/token_endpoint .*http:\/\/as\.example\/t /)
    expect(check).not.toThrow(/s3cret/)
    expect(() => checkUrl('javascript:alert("s3cret")', serverUrl, 'x')).not.toThrow(/alert/)
  })
})

describe('the guarded fetch', () => {
  function guarded(answer: (sent: Sent) => Response | Promise<Response>, own: object = {}) {
    const { fetch, sent } = scriptedFetch(answer)
    const timers = createTimers()
    return { fetch: createGuardedFetch({ fetch, serverUrl, setTimer: timers.setTimer, ...own }), sent, timers }
  }

  test('gives status, headers and text', async () => {
    const { fetch, timers } = guarded(() => new Response('grüße', { status: 201, headers: { 'x-a': 'b' } }))
    const response = await fetch(url)
    expect(response).toMatchObject({ url, status: 201, ok: true, text: 'grüße' })
    expect(response.headers.get('x-a')).toBe('b')
    expect(timers.pending()).toBe(0)
  })

  test('sends what it was given, no cookie, and no header of its own', async () => {
    const { fetch, sent } = guarded(() => new Response(null, { status: 204 }))
    await fetch(url)
    await fetch(url, { method: 'POST', headers: { accept: 'application/json' }, body: new URLSearchParams({ a: 'b' }) })
    expect(sent.map(({ method, headers }) => [method, [...headers]])).toEqual([
      ['GET', []],
      ['POST', [['accept', 'application/json']]],
    ])
    expect(String(sent[1]!.init.body)).toBe('a=b')
    for (const { init } of sent) expect(init).toMatchObject({ credentials: 'omit', redirect: 'manual' })
  })

  test('sends nothing to a URL that is refused', async () => {
    const { fetch, sent } = guarded(() => new Response())
    expect(await mcpRejection(fetch('https://169.254.169.254/latest'))).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { reason: 'private-address' },
    })
    expect(sent).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])('refuses a redirect (%i)', async (status) => {
    const { fetch, sent } = guarded(() => new Response(null, { status, headers: { location: 'https://as.example/b' } }))
    expect(await mcpRejection(fetch(url))).toMatchObject({ data: { reason: 'redirect' } })
    expect(sent).toHaveLength(1)
  })

  test('cuts a body that is too large while it streams', async () => {
    const chunks = (function* () {
      for (;;) yield new Uint8Array(1000)
    })()
    const source = byteSource(chunks)
    const { fetch } = guarded(() => new Response(source.body), { maxBytes: 10_000 })
    expect(await mcpRejection(fetch(url))).toMatchObject({ data: { reason: 'too-large' } })
    await source.cancelled
    expect(source.pulled()).toBe(11_000)
  })

  test('takes a body of just the limit', async () => {
    const { fetch } = guarded(() => new Response('x'.repeat(100)), { maxBytes: 100 })
    expect((await fetch(url)).text).toHaveLength(100)
  })

  test('ends a request that is not answered, and a body that stalls', async () => {
    const stalled = byteSource(['{'], 'stall')
    for (const answer of [() => new Promise<Response>(() => {}), () => new Response(stalled.body)]) {
      const { fetch, timers, sent } = guarded(answer, { timeoutMs: 2_000 })
      const failed = mcpRejection(fetch(url))
      await new Promise(setImmediate)
      timers.advance(2_000)
      expect(await failed).toMatchObject({ data: { reason: 'timeout' } })
      expect(sent[0]!.signal.aborted).toBe(true)
    }
    await stalled.cancelled
  })

  test('a network that fails is told apart, and its cause kept', async () => {
    const { fetch, timers } = guarded(() => Promise.reject(connectionRefused()))
    const error = await mcpRejection(fetch(url))
    expect(error).toMatchObject({ data: { reason: 'network' }, cause: { cause: { code: 'ECONNREFUSED' } } })
    expect(timers.pending()).toBe(0)
    const broken = guarded(() => new Response(byteSource(['{'], 'break').body))
    expect(await mcpRejection(broken.fetch(url))).toMatchObject({ data: { reason: 'network' } })
  })

  test('is aborted by its signal, before and during, with its reason', async () => {
    const reason = new Error('enough')
    const { fetch, sent } = guarded(() => new Promise<Response>(() => {}))
    expect(await rejection(fetch(url, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(sent).toEqual([])
    const abort = new AbortController()
    const failed = rejection(fetch(url, { signal: abort.signal }))
    abort.abort(reason)
    expect(await failed).toBe(reason)
  })

  test('a header that can’t be sent is not told', async () => {
    const { fetch, sent } = guarded(() => new Response())
    const error = await mcpRejection(fetch(url, { headers: { authorization: 'Basic s3crét☃' } }))
    expect(error).toMatchObject({ data: { reason: 'header' } })
    expect(`${error.message} ${String(error.cause)}`).not.toContain('s3cr')
    expect(sent).toEqual([])
  })
})
