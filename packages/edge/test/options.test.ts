import { describe, expect, test, vi } from 'vitest'
import { ConfigError, createGateway, type GatewayEvent, type GatewayOptions } from '../src/index.js'
import { rpcRequest } from './support/json-rpc.js'
import { createToolHandler } from './support/tool-server.js'

const good: GatewayOptions = {
  publicUrl: 'https://gateway.example',
  servers: { notes: { url: 'https://notes.example/mcp' } },
  authenticate: async () => ({ id: 'ada' }),
  origins: ['https://chat.example'],
  secret: 'a secret of the tests, long enough to sign',
}

const withNotes = (more: object) => ({ servers: { notes: { url: 'https://notes.example/mcp', ...more } } })

const notes = createToolHandler([{ name: 'read', inputSchema: { type: 'object' } }], () => ({ content: [] }))

function rejected(options: object): ConfigError {
  try {
    createGateway({ ...good, ...options })
  } catch (error) {
    if (error instanceof ConfigError) return error
  }
  throw new Error('these options were taken')
}

describe('options', () => {
  test('good ones are taken', () => {
    expect(() => createGateway(good)).not.toThrow()
    expect(() => createGateway({ ...good, origins: [] })).not.toThrow()
  })

  test.each([
    '*',
    'null',
    '',
    'chat.example',
    'https://chat.example/',
    'https://chat.example/app',
    'https://Chat.example',
    'https://chat.example:443',
    'https://*.example',
    'https://a.example,https://b.example',
  ])('the origin %j is none', (origin) => {
    expect(rejected({ origins: [origin] }).data.key).toBe('origins')
  })

  test.each(['https://chat.example', 'http://localhost:5173', 'http://[::1]:8080', 'capacitor://localhost'])(
    'the origin %s is one',
    (origin) => {
      expect(() => createGateway({ ...good, origins: [origin] })).not.toThrow()
    },
  )

  test.each(['', '-a', '_a', 'a/b', 'a b', 'a.b', '..', '__proto__', 'ä', 'a%2fb'])(
    'the server name %j is none',
    (name) => {
      const servers = Object.fromEntries([[name, { url: 'https://notes.example/mcp' }]])
      expect(rejected({ servers }).data.key).toBe('servers')
    },
  )

  test.each([
    ['publicUrl', { publicUrl: '/gateway' }],
    ['publicUrl', { publicUrl: 'ftp://gateway.example' }],
    ['publicUrl', { publicUrl: 'https://gateway.example/?a=b' }],
    ['secret', { secret: 'too short to be a secret' }],
    ['secret', { secret: undefined }],
    ['authenticate', { authenticate: undefined }],
    ['origins', { origins: 'https://chat.example' }],
    ['servers', { servers: undefined }],
    ['onFailure', { onFailure: 'ajar' }],
    ['limits.maxRequestBytes', { limits: { maxRequestBytes: 0 } }],
    ['limits.callTimeoutMs', { limits: { callTimeoutMs: 1.5 } }],
    ['limits.settleMs', { limits: { settleMs: '3' } }],
    ['url', withNotes({ url: '/mcp' })],
    ['url', withNotes({ url: 'file:///etc/passwd' })],
    ['url', withNotes({ url: 'https://user:hunter2@notes.example/mcp' })],
    ['auth', withNotes({ auth: { type: 'oauth' } })],
    ['auth', withNotes({ auth: { type: 'bearer' } })],
    ['auth', withNotes({ auth: { type: 'bearer', token: 'hunter2 hunter3' } })],
    ['auth', withNotes({ auth: { type: 'api-key', header: 'x-key', value: 'hunter2\r\nhost: evil' } })],
    ['headers', withNotes({ headers: { 'bad name': 'hunter2' } })],
    ['headers', withNotes({ headers: { 'x-key': 'hunter2 ☃' } })],
  ])('wrong: %s of %j', (key, options) => {
    const error = rejected(options)
    expect(error.data.key).toBe(key)
    expect(error.message).not.toMatch(/hunter2|too short to be/)
  })

  test('those of a function are asked for with the env of each request, and answered with 500 where they are wrong', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const seen: unknown[] = []
    const gateway = createGateway<{ SECRET: string }>((env) => {
      seen.push(env.SECRET)
      return { ...good, secret: env.SECRET }
    })
    const response = await gateway.request('/mcp', {}, { SECRET: 'hunter2' })
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('hunter2')])
    expect(String(log.mock.calls)).toContain('secret')
    log.mockRestore()
    expect((await gateway.request('/nothing', {}, { SECRET: good.secret })).status).toBe(404)
    expect(seen).toEqual(['hunter2', good.secret])
  })
})

describe('events', () => {
  test('tell what was refused, to whom, and what failed', async () => {
    const events: unknown[] = []
    const failure = new Error('no database')
    const gateway = createGateway({
      ...good,
      authenticate(request) {
        if (request.headers.has('x-fail')) throw failure
        return request.headers.has('authorization') ? { id: 'ada' } : undefined
      },
      onEvent: (event) => void events.push(event),
    })
    await gateway.request('/mcp')
    await gateway.request('/servers/none/mcp', { headers: { authorization: 'x' } })
    await gateway.request('/mcp', { headers: { 'x-fail': '1' } })
    expect(events).toEqual([
      { type: 'refused', status: 401, code: 'ERR_GATEWAY_UNAUTHENTICATED' },
      { type: 'refused', status: 404, code: 'ERR_GATEWAY_NOT_FOUND', caller: 'ada' },
      { type: 'failed', in: 'authenticate', error: failure },
      { type: 'refused', status: 500, code: 'ERR_GATEWAY_INTERNAL' },
    ])
  })

  test('tell of a failed upstream, and of a call that was refused at /mcp', async () => {
    const events: GatewayEvent[] = []
    const gateway = createGateway({
      ...good,
      servers: {
        dead: { url: 'https://dead.example/mcp', fetch: () => Promise.reject(new TypeError('no route')) },
        notes: { url: 'https://notes.example/mcp', fetch: (input, init) => notes.fetch(new Request(input, init)) },
      },
      authenticate: () => ({ id: 'ada' }),
      authorize: (_, { method }) => method !== 'tools/call',
      onEvent: (event) => void events.push(event),
    })
    const call = async (name: string) => {
      const response = await gateway.request('/mcp', rpcRequest('modern', 'tools/call', { name, arguments: {} }))
      await response.text()
    }
    await call('dead__read')
    await call('notes__read')
    await call('notes__none')
    expect(events).toEqual([
      { type: 'failed', in: 'upstream', server: 'dead', error: expect.objectContaining({ code: 'ERR_MCP_CONNECT' }) },
      { type: 'refused', status: 403, code: 'ERR_GATEWAY_DENIED', caller: 'ada', server: 'notes' },
    ])
  })

  test('a log that throws harms no request', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const onEvent = () => {
      throw new Error('the log is full')
    }
    const gateway = createGateway({ ...good, authenticate: () => undefined, onEvent })
    expect((await gateway.request('/mcp')).status).toBe(401)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })

  test('without a listener failures are written to the console, refusals are not', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const failure = new Error('no database')
    const gateway = createGateway({
      ...good,
      authenticate(request) {
        if (request.headers.has('x-fail')) throw failure
        return undefined
      },
    })
    await gateway.request('/mcp')
    expect(log).not.toHaveBeenCalled()
    await gateway.request('/mcp', { headers: { 'x-fail': '1' } })
    expect(log.mock.calls.flat()).toContain(failure)
    log.mockRestore()
  })

  test('a caller without an id is nobody', async () => {
    const events: unknown[] = []
    for (const caller of [{ id: '' }, {}]) {
      const gateway = createGateway({
        ...good,
        authenticate: () => caller as never,
        onEvent: (event) => void events.push(event),
      })
      expect((await gateway.request('/mcp')).status).toBe(500)
    }
    expect(events).toHaveLength(4)
  })
})
