import { ConfigError, connect } from '@x/edge'
import { describe, expect, it } from 'vitest'
import { createGatewayListener } from '../../gateway/gateway-listener.js'
import { exchange, INITIALIZE } from '../demo/plain-exchange.js'
import { runGateway, token } from './running-gateway.js'

const authorization = `Bearer ${token}`

describe('who may call', () => {
  it.each([
    [403, 'a rebound DNS name', { host: 'rebound.example.com' }],
    [403, 'a loopback name with another port', { host: '127.0.0.1:1' }],
    [403, 'a loopback name without a port', { host: 'localhost' }],
    [403, 'a foreign page', { origin: 'https://evil.example.com' }],
    [403, 'another page of this machine', { origin: 'http://127.0.0.1:1' }],
    [403, 'an opaque origin', { origin: 'null' }],
    [401, 'a caller with another token', { authorization: 'Bearer wrong' }],
    [401, 'a caller with more than the token', { authorization: `${authorization}x` }],
    [401, 'a caller without a token', { authorization: '' }],
  ])('answers %i to %s, and nothing reaches the server', async (status, _who, headers) => {
    const { url, demo } = await runGateway()
    for (const [method, path, body] of [
      ['GET', '/servers', undefined],
      ['POST', '/servers/demo/mcp', INITIALIZE],
      ['POST', '/mcp', INITIALIZE],
    ] as const) {
      const { response } = await exchange(url(path), method, { authorization, ...headers }, body)
      expect(response.statusCode).toBe(status)
      expect(response.headers['access-control-allow-origin']).toBeUndefined()
      response.resume()
    }
    expect(demo.events).toEqual([])
  })

  it('refuses the preflight of a foreign page', async () => {
    const { url } = await runGateway()
    const headers = { origin: 'http://127.0.0.1:1', 'access-control-request-method': 'POST' }
    const { response } = await exchange(url('/servers/demo/mcp'), 'OPTIONS', headers)
    expect(response.statusCode).toBe(403)
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(['localhost', '127.0.0.1', '[::1]'])('serves the page of its own port at %s', async (hostname) => {
    const { url } = await runGateway()
    const host = `${hostname}:${url('/').port}`
    const headers = { host, origin: `http://${host}`, authorization }
    const { response } = await exchange(url('/servers/demo/mcp'), 'POST', headers, INITIALIZE)
    expect(response.statusCode).toBe(200)
  })
})

describe('what is served', () => {
  it('lists names and titles, and nothing else of the servers', async () => {
    const config = { url: 'http://127.0.0.1:9/mcp?key=s3cret', headers: { authorization: 's3cret' } }
    const { url } = await runGateway({ notes: { title: 'Notes', config } })
    const answer = await fetch(url('/servers'), { headers: { authorization } })
    expect(await answer.json()).toEqual({
      servers: [
        { name: 'demo', title: 'A demo' },
        { name: 'notes', title: 'Notes' },
      ],
    })
  })

  it.each(['nope', '__proto__', 'http:%2F%2F127.0.0.1'])('there is no server %s', async (name) => {
    const { url, demo } = await runGateway()
    const { response } = await exchange(url(`/servers/${name}/mcp`), 'POST', { authorization }, INITIALIZE)
    expect(response.statusCode).toBe(404)
    expect(demo.events).toEqual([])
  })

  it.each(['2026-07-28', '2025-11-25'] as const)('passes %s through, progress as it comes', async (protocolVersion) => {
    const { url, demo } = await runGateway()
    const auth = { type: 'bearer', token } as const
    const client = await connect({ url: url('/servers/demo/mcp').href, auth, protocolVersion })
    const seen: number[] = []
    const result = await client.callTool(
      'progress',
      { steps: 3, delayMs: 1 },
      { onProgress: ({ progress }) => seen.push(progress) },
    )
    expect(result.content).toMatchObject([{ type: 'text', text: expect.stringContaining('3 steps') }])
    expect(seen).toEqual([1, 2, 3])
    await client.close()
    expect(demo.events.filter(({ type }) => type === 'refused' || type === 'error')).toEqual([])
  })

  it('tells the server when a caller leaves', async () => {
    const { url, demo, report } = await runGateway()
    const auth = { type: 'bearer', token } as const
    const client = await connect({ url: url('/servers/demo/mcp').href, auth })
    const controller = new AbortController()
    const call = client.callTool('slow', { ms: 60_000 }, { signal: controller.signal }).catch((error) => error)
    await demo.event({ type: 'tool', tool: 'slow', phase: 'started' })
    controller.abort(new Error('enough'))
    expect(await call).toMatchObject({ message: 'enough' })
    await demo.event({ type: 'tool', tool: 'slow', phase: 'cancelled' })
    await client.close()
    expect(report).toEqual([])
  })

  it('reports a server that does not answer in a line without its secrets', async () => {
    const config = { url: 'http://127.0.0.1:9/mcp?key=s3cret', headers: { authorization: 's3cret' } }
    const { url, report } = await runGateway({ notes: { title: 'Notes', config } })
    const { response } = await exchange(url('/servers/notes/mcp'), 'POST', { authorization }, INITIALIZE)
    expect(response.statusCode).toBe(502)
    expect(report).toEqual([expect.stringMatching(/^Gateway: the server "notes" failed: .+$/)])
    expect(report.join()).not.toContain('s3cret')
  })
})

it('a server that the gateway does not take is told at once', () => {
  const config = { url: 'http://127.0.0.1:9/mcp' }
  expect(() => createGatewayListener({ token, servers: { 'a b': { title: 'A', config } } })).toThrow(ConfigError)
})
