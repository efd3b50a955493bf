import { describe, expect, test } from 'vitest'
import { endpointName, protocolVersions, resolveConfig, type ServerConfig, toServerConfig } from '../src/config.js'
import { McpError } from '../src/errors.js'

const url = 'https://server.example/mcp'

/** The error that a configuration is refused with. */
function refusal(config: unknown, name?: string): McpError {
  try {
    resolveConfig(config as ServerConfig, name)
  } catch (error) {
    if (McpError.is(error)) return error
    throw error
  }
  throw new Error('it was accepted')
}

test('defaults are filled in, and everything else is kept', () => {
  expect(resolveConfig({ url, trusted: true })).toEqual({
    url,
    name: url,
    trusted: true,
    headers: {},
    connectTimeoutMs: 30_000,
    callTimeoutMs: 300_000,
    maxResponseBytes: 33_554_432,
    tasks: { optional: false, pollIntervalMs: 1_000, timeoutMs: 120_000, maxPolls: 120 },
  })
  expect(resolveConfig({ url, tasks: { maxPolls: 5 } }).tasks).toMatchObject({ maxPolls: 5, timeoutMs: 120_000 })
})

test('null is no limit for calls, and no default replaces it', () => {
  expect(resolveConfig({ url, callTimeoutMs: null }).callTimeoutMs).toBeNull()
})

test('a URL alone is a configuration', () => {
  expect([toServerConfig(url), toServerConfig(new URL(url)), toServerConfig({ url })]).toEqual([
    { url },
    { url },
    { url },
  ])
})

describe('the name', () => {
  test('is the given one, else the URL without its query, which may hold a secret', () => {
    expect(resolveConfig({ url }, 'search').name).toBe('search')
    expect(resolveConfig({ url: `${url}?key=s3cret#part` })).toMatchObject({
      name: `${url}?…`,
      url: `${url}?key=s3cret#part`,
    })
    expect(endpointName('http://127.0.0.1:80')).toBe('http://127.0.0.1/')
  })
})

describe('refused, by its key', () => {
  test.each<[string, unknown]>([
    ['url', { url: '/mcp' }],
    ['url', { url: '' }],
    ['url', {}],
    ['url', { url: 'ftp://server.example/' }],
    ['url', { url: 'javascript:alert(1)' }],
    ['url', { url: 'https://user:s3cret@server.example/' }],
    ...['connectTimeoutMs', 'callTimeoutMs', 'maxResponseBytes'].flatMap((key): [string, unknown][] =>
      [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 53].map((value) => [key, { url, [key]: value }]),
    ),
    ...['pollIntervalMs', 'timeoutMs', 'maxPolls'].flatMap((key): [string, unknown][] =>
      [0, -1, 1.5, null, '5'].map((value) => [`tasks.${key}`, { url, tasks: { [key]: value } }]),
    ),
    ['connectTimeoutMs', { url, connectTimeoutMs: null }],
    ['maxResponseBytes', { url, maxResponseBytes: null }],
    ['transport', { url, transport: 'websocket' }],
    ['transport', { url, transport: 'sse', protocolVersion: '2026-07-28' }],
    ['protocolVersion', { url, protocolVersion: 'latest' }],
    ['protocolVersion', { url, protocolVersion: '2025-01-01' }],
    ['credentials', { url, credentials: true }],
    ['meta', { url, meta: { 'io.modelcontextprotocol/clientInfo': {} } }],
    ['headers', { url, headers: { 'x y': '1' } }],
    ['headers', { url, headers: { '': '1' } }],
    ['headers', { url, headers: { 'x:': '1' } }],
    ['x-a', { url, headers: { 'x-a': 5 } }],
    ['x-a', { url, headers: { 'x-a': null } }],
    ['auth', { url, auth: { type: 'api-key', header: 'x\ny', value: 'v' } }],
    ['auth', { url, auth: { type: 'api-key', value: 'v' } }],
    ['auth', { url, auth: { type: 'api-key', header: 'x-key', value: ' ' } }],
    ['x-key', { url, auth: { type: 'api-key', header: 'x-key', value: 'a\nb' } }],
    ['x-key', { url, auth: { type: 'api-key', header: 'x-key' } }],
  ])('%s: %j', (key, config) => {
    expect(refusal(config)).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key } })
  })

  test('and by the server', () => {
    expect(refusal({ url, transport: 'x' }).data.server).toBe(url)
    expect(refusal({ url, transport: 'x' }, 'search').data.server).toBe('search')
    expect(refusal({ url: 'nowhere' }, 'search').data.server).toBe('search')
  })
})

describe('a header’s value', () => {
  const secret = 's3cret'

  // RFC 9110 5.5: visible ASCII, space and tab. The last three String.trim() takes away and HTTP does not.
  test.each([
    `${secret}\r\nx: y`,
    `${secret}\n${secret}`,
    `${secret}\u0000`,
    `${secret}é`,
    `${secret}世`,
    `${secret}\u007f`,
    `${secret}\u000b`,
    `${secret}\u2028`,
    `\u00a0${secret}`,
  ])('%j is refused by the header’s name, and is in no error', (value) => {
    for (const config of [
      { url, headers: { 'x-token': value } },
      { url, auth: { type: 'api-key', header: 'x-token', value } },
    ]) {
      const error = refusal(config)
      expect(error.data.key).toBe('x-token')
      expect(error.message).toContain('"x-token"')
      expect(error.message + JSON.stringify(error.data)).not.toContain(secret)
    }
  })

  test('loses what HTTP would strip, so that a pasted line end does no harm', () => {
    expect(resolveConfig({ url, headers: { 'x-a': ' a b\t\r\n', 'x-b': '' } }).headers).toEqual({
      'x-a': 'a b',
      'x-b': '',
    })
    expect(resolveConfig({ url, auth: { type: 'api-key', header: 'X-Key', value: 'k\n' } }).auth).toEqual({
      type: 'api-key',
      header: 'x-key',
      value: 'k',
    })
  })

  test('is there once, whatever the name’s case: two would be joined by a comma', () => {
    expect(resolveConfig({ url, headers: { 'X-A': '1', 'x-a': '2' } }).headers).toEqual({ 'x-a': '2' })
  })
})

test('every revision of the client can be configured', () => {
  for (const protocolVersion of ['auto', ...protocolVersions] as const)
    expect(resolveConfig({ url, protocolVersion }).protocolVersion).toBe(protocolVersion)
})

test.each<[string, unknown]>([
  ['Headers', new Headers({ 'X-Team': 'a', authorization: 'b' })],
  [
    'pairs',
    [
      ['X-Team', 'a'],
      ['authorization', 'b'],
    ],
  ],
  ['an object', { 'X-Team': 'a', authorization: 'b' }],
])('headers given as %s are the same, and plain data', (_form, headers) => {
  const given = { url, headers: headers as Record<string, string> }
  const expected = { 'x-team': 'a', authorization: 'b' }
  expect(resolveConfig(given).headers).toEqual(expected)
  const plain = toServerConfig(given)
  expect(resolveConfig(structuredClone(plain)).headers).toEqual(expected)
})

test('HTTP+SSE may be configured, with the revisions that have it', () => {
  expect(resolveConfig({ url, transport: 'sse' }).transport).toBe('sse')
  expect(resolveConfig({ url, transport: 'sse', protocolVersion: '2024-11-05' }).transport).toBe('sse')
})
