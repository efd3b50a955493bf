import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { registerServer, type ServerMap, toServerMap } from '../../src/declarative/index.js'
import { createFakeServer } from '../fake-server.js'
import { thrown } from '../fake-set.js'

describe('a map of servers', () => {
  test('has URLs that mean the same under one key', () => {
    const map: ServerMap = new Map()
    registerServer(map, 'HTTPS://Weather.example:443/mcp')
    expect([...map]).toEqual([['https://weather.example/mcp', 'https://weather.example/mcp']])
    expect(thrown(() => registerServer(map, 'https://weather.example/mcp')).message).toContain(
      'there is a server'.slice(6),
    )
  })

  test('takes names and URLs, and what they stand for', () => {
    const map: ServerMap = new Map()
    const client = createClient(createFakeServer().connection)
    registerServer(map, 'stdio://Files', { command: 'files' })
    registerServer(map, 'stdio://open', client)
    registerServer(map, 'https://a.example/mcp', { url: 'https://elsewhere.example/mcp' })
    expect(Object.fromEntries(map)).toEqual({
      'stdio://Files': { command: 'files' },
      'stdio://open': client,
      'https://a.example/mcp': { url: 'https://elsewhere.example/mcp' },
    })
  })

  test.each(['files', '', 'stdio://', 'stdio:// x', 'ftp://a.example', 'file:///etc', 'https://'])(
    'refuses %j',
    (key) => {
      expect(thrown(() => registerServer(new Map(), key, { command: 'a' })).code).toBe('ERR_MCP_CONFIG')
    },
  )

  test('refuses a name that stands for nothing, and tells no query of a URL', () => {
    expect(thrown(() => registerServer(new Map(), 'stdio://files')).message).toContain('"stdio://files" needs a server')
    const map: ServerMap = new Map()
    registerServer(map, 'https://a.example/mcp?key=SECRET')
    const error = thrown(() => registerServer(map, 'https://a.example/mcp?key=SECRET'))
    expect(JSON.stringify([error.message, error.data])).not.toContain('SECRET')
  })

  test.each([
    ['wss://me:SECRET@a.example/mcp?key=SECRET', '…@a.example/mcp?…'],
    ['https//me:SECRET@a.example/mcp#SECRET', '…@a.example/mcp?…'],
    ['https://me:SECRET@a example/mcp', '…@a example/mcp'],
  ])('tells neither password nor query of what was to be a URL: %s', (key, told) => {
    const error = thrown(() => registerServer(new Map(), key, { command: 'a' }))
    expect(JSON.stringify([error.message, error.data])).not.toContain('SECRET')
    expect(error.data.key).toBe(told)
  })

  test('is made of the servers of a file', () => {
    const client = createClient(createFakeServer().connection)
    const servers = {
      files: { command: 'files' },
      weather: { url: 'https://weather.example/mcp' },
      open: client,
      text: 'https://text.example/mcp',
    }
    expect([...toServerMap(servers)]).toEqual([
      ['stdio://files', { command: 'files' }],
      ['https://weather.example/mcp', { url: 'https://weather.example/mcp' }],
      ['stdio://open', client],
      ['https://text.example/mcp', 'https://text.example/mcp'],
    ])
  })

  test('does not guess whose credentials are meant where two servers have one URL', () => {
    const two = {
      mine: { url: 'https://a.example/mcp' },
      yours: { url: 'https://A.example/mcp', headers: { 'X-Key': 'SECRET' } },
    }
    const error = thrown(() => toServerMap(two))
    expect(error.message).toBe('There is a server "https://a.example/mcp" already')
  })
})
