import { describe, expect, test } from 'vitest'
import { contentTypeError, essence, redirectError, statusError } from '../../src/transport/http-error.js'

/** Any moment. */
const now = Date.UTC(2026, 2, 1)
const html = { 'content-type': 'text/html; charset=utf-8' }

test.each([
  ['application/json; charset=utf-8', 'application/json'],
  ['Text/Event-Stream', 'text/event-stream'],
  ['application/json ; x=";"', 'application/json'],
  [undefined, ''],
])('the media type of %s is %j', (type, expected) => {
  expect(essence(new Response(null, type ? { headers: { 'content-type': type } } : {}))).toBe(expected)
})

describe('a status', () => {
  test.each([
    [400, {}, 'status'],
    [400, html, 'html'],
    [403, {}, 'forbidden'],
    [403, html, 'forbidden'],
    [404, html, 'not-found'],
    [405, {}, 'method-not-allowed'],
    [410, {}, 'status'],
    [429, {}, 'rate-limited'],
    [500, html, 'server-error'],
    [503, {}, 'unavailable'],
  ])('%d with %j is the reason %s', (status, headers: Record<string, string>, reason) => {
    const error = statusError(new Response(null, { status, headers }), now)
    expect(error).toMatchObject({ name: 'HttpError', code: 'ERR_MCP_HTTP', data: { status, reason } })
    expect(error.message).toContain(`HTTP ${status}`)
  })

  test.each([429, 503])('%d tells how long to wait, where the server does', (status) => {
    const error = statusError(new Response(null, { status, headers: { 'retry-after': '7' } }), now)
    expect(error.data).toMatchObject({ status, retryAfterMs: 7_000 })
    expect(statusError(new Response(null, { status }), now).data).not.toHaveProperty('retryAfterMs')
  })

  test('403 wants more to be granted, where it says so', () => {
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
    expect(statusError(new Response(null, { status: 403, headers }), now)).toMatchObject({
      code: 'ERR_MCP_UNAUTHORIZED',
      data: { status: 403, reason: 'insufficient_scope' },
    })
  })

  test('401 wants credentials', () => {
    const error = statusError(new Response(null, { status: 401, headers: html }), now)
    expect(error).toMatchObject({ name: 'UnauthorizedError', code: 'ERR_MCP_UNAUTHORIZED', data: { status: 401 } })
  })
})

describe('a redirect', () => {
  const at = 'https://server.example/mcp'
  const to = (location: string) => redirectError(new Response(null, { status: 302, headers: { location } }), at)

  test('tells where it leads, by the origin alone: the rest may hold a secret', () => {
    const error = to('https://login.example/start?token=s3cret')
    expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'redirect', status: 302 } })
    expect(error.message).toContain('https://login.example;')
    expect(error.message).not.toContain('s3cret')
  })

  test('may be relative, or lead nowhere', () => {
    expect(to('/mcp/').message).toContain('to https://server.example;')
    expect(to('http://').message).toContain('redirects this URL;')
    expect(redirectError(new Response(null, { status: 307 }), at).data).toEqual({ reason: 'redirect', status: 307 })
  })

  test('is hidden by a browser, with its status', () => {
    const opaque = Object.defineProperties(Response.error(), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    })
    expect(redirectError(opaque, at).data).toEqual({ reason: 'redirect' })
  })
})

test('a success of a wrong type names the type', () => {
  expect(contentTypeError('text/html')).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'html' } })
  expect(contentTypeError('image/png').message).toContain('image/png instead of application/json')
  expect(contentTypeError('').message).toContain('no content type instead')
})
