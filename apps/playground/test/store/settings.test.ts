import { describe, expect, test } from 'vitest'
import {
  emptySettings,
  initialSettings,
  readBytes,
  rememberedUrl,
  type Settings,
  shareLink,
  toServerConfig,
} from '../../src/store/settings.js'

const page = 'https://play.example/app/?old=1#part'
const settings = (change: Partial<Settings>): Settings => ({
  ...emptySettings,
  url: 'https://mcp.example/mcp',
  ...change,
})

describe('the settings to begin with', () => {
  test('are the demo server of the page’s own origin', () => {
    expect(initialSettings('', undefined, page).url).toBe('https://play.example/demo/mcp')
  })

  test('are the last URL, unless a link names another', () => {
    expect(initialSettings('', 'https://last.example/mcp', page).url).toBe('https://last.example/mcp')
    expect(initialSettings('?url=https://linked.example/mcp', 'https://last.example/mcp', page).url).toBe(
      'https://linked.example/mcp',
    )
  })

  test('take no credentials from a link', () => {
    const read = initialSettings('?url=https://a.example/&token=secret&auth=bearer&headerValue=secret', undefined, page)
    expect(read).toEqual({ ...emptySettings, url: 'https://a.example/' })
  })
})

describe('a link to a connection', () => {
  test('fills in the same server again', () => {
    const link = shareLink(settings({ maxResponseBytes: '1 MB' }), page, 'echo')
    expect(link).toMatch(/^https:\/\/play\.example\/app\/\?/)
    const search = new URL(link).search
    expect(new URLSearchParams(search).get('tool')).toBe('echo')
    expect(initialSettings(search, undefined, page)).toEqual(settings({ maxResponseBytes: '1 MB' }))
  })

  test('holds no credentials', () => {
    const link = shareLink(settings({ auth: 'bearer', token: 's3cret', headerValue: 's3cret' }), page)
    expect(link).not.toContain('s3cret')
  })
})

test('what is remembered of a URL is nothing that may be a secret', () => {
  expect(rememberedUrl('https://user:pass@mcp.example/mcp?api_key=secret#secret')).toBe('https://mcp.example/mcp')
  expect(rememberedUrl('javascript:alert(1)')).toBeUndefined()
  expect(rememberedUrl('not a URL')).toBeUndefined()
})

describe('the configuration', () => {
  test('has only what was filled in', () => {
    expect(toServerConfig(settings({}), page)).toEqual({ config: { url: 'https://mcp.example/mcp' } })
  })

  test('takes a relative URL as the page’s own', () => {
    expect(toServerConfig(settings({ url: ' /demo/mcp ' }), page).config?.url).toBe('https://play.example/demo/mcp')
  })

  test('carries a token, a key and a limit', () => {
    expect(toServerConfig(settings({ auth: 'bearer', token: ' abc\n' }), page).config?.auth).toEqual({
      type: 'bearer',
      token: 'abc',
    })
    expect(
      toServerConfig(settings({ auth: 'api-key', header: 'X-Key', headerValue: 'abc' }), page).config?.auth,
    ).toEqual({
      type: 'api-key',
      header: 'X-Key',
      value: 'abc',
    })
    expect(toServerConfig(settings({ maxResponseBytes: '1 MB' }), page).config?.maxResponseBytes).toBe(1_000_000)
  })

  test.each([
    [{ url: '' }, 'url'],
    [{ url: 'http://' }, 'url'],
    [{ url: 'ftp://mcp.example' }, 'url'],
    [{ auth: 'bearer' }, 'token'],
    [{ auth: 'api-key', header: ' ', headerValue: 'a' }, 'header'],
    [{ auth: 'api-key' }, 'headerValue'],
    [{ maxResponseBytes: '-1' }, 'maxResponseBytes'],
  ] as [Partial<Settings>, keyof Settings][])('of %o is refused, with a word at the field %s', (change, field) => {
    const { config, problems } = toServerConfig(settings(change), page)
    expect(config).toBeUndefined()
    expect(Object.keys(problems ?? {})).toEqual([field])
  })
})

test.each([
  ['', undefined],
  ['1048576', 1_048_576],
  ['1 MB', 1_000_000],
  ['1mib', 1_048_576],
  ['0.5 KiB', 512],
  ['0', 'invalid'],
  ['0.3', 'invalid'],
  ['many', 'invalid'],
  ['1 PB', 'invalid'],
  ['9007199254740993', 'invalid'],
])('%j is a number of bytes: %s', (text, bytes) => {
  expect(readBytes(text)).toBe(bytes)
})
