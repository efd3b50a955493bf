import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHost } from '../src/host.js'
import { deferred, rejection } from './mcp-fetch.js'
import { fakePorts, servePorts } from './served-port.js'
import { createTestHost, echo, url } from './test-host.js'

describe('what is given', () => {
  test('must be plain data: what is not is named by its path, with what the call was about', async () => {
    const { host, server } = createTestHost({ echo })
    const wrong = { url, headers: { a: (() => 'b') as unknown as string } }
    expect(await rejection(host.connect(wrong))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key: 'headers.a', server: url },
    })
    const client = await host.connect(url)
    const args = { list: [1, () => {}] } as unknown as { list: number[] }
    expect(await rejection(client.callTool('echo', args))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key: 'params.arguments.list.1', server: url, tool: 'echo', outcome: 'not-run' },
    })
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover'])
  })

  test('may be a framework’s proxy', async () => {
    const { host, server } = createTestHost({ echo })
    const client = await host.connect(new Proxy({ url, headers: new Proxy({ 'x-a': 'b' }, {}) }, {}))
    const { content } = await client.callTool('echo', new Proxy({ list: new Proxy([1, 2], {}) }, {}))
    expect(content).toEqual([{ type: 'text', text: '{"list":[1,2]}' }])
    expect(server.requests[1]?.headers.get('x-a')).toBe('b')
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover', 'tools/call'])
  })

  test('is not changed', async () => {
    const { host } = createTestHost()
    const config = Object.freeze({ url, headers: Object.freeze({ a: 'b' }) })
    await host.connect(config, Object.freeze({ onEvent: () => {} }))
  })

  describe('as a URL', () => {
    afterEach(() => vi.unstubAllGlobals())
    const opened = async (given: string) => {
      const urls: string[] = []
      const ports = fakePorts({
        open: async (_connection, config) => {
          urls.push(config.url)
          return { ok: true, value: { status: 'ready' } }
        },
      })
      await createHost({ worker: ports.worker }).open({ url: given })
      return urls[0]
    }

    test('may be relative to the page', async () => {
      vi.stubGlobal('location', new URL('https://app.test/chat/room?x=1#y'))
      expect(await opened('/mcp')).toBe('https://app.test/mcp')
      expect(await opened('mcp?a=1')).toBe('https://app.test/chat/mcp?a=1')
      expect(await opened('//other.test/mcp')).toBe('https://other.test/mcp')
      expect(await opened('http://other.test/mcp')).toBe('http://other.test/mcp')
    })

    test('follows the document’s base, as fetch does', async () => {
      vi.stubGlobal('location', new URL('https://app.test/chat/'))
      vi.stubGlobal('document', { baseURI: 'https://cdn.test/base/', addEventListener() {} })
      expect(await opened('mcp')).toBe('https://cdn.test/base/mcp')
    })

    test('is not the page itself where it is empty', async () => {
      vi.stubGlobal('location', new URL('https://app.test/'))
      expect(await opened('')).toBe('')
    })

    test('that is none is a ConfigError', async () => {
      const { host } = createTestHost()
      for (const wrong of ['', '/mcp', 'not a url', 'ftp://a/b', undefined as unknown as string])
        expect(await rejection(host.connect({ url: wrong }))).toMatchObject({ code: 'ERR_MCP_CONFIG' })
    })
  })
})

describe('closing the host', () => {
  test('closes its connections, then the worker; the next connection starts another', async () => {
    const { host, ports } = createTestHost({ echo })
    const clients = [await host.connect(url), await host.connect(url)]
    const ended = new Promise((resolve) => ports.made[0]!.worker.addEventListener('close', resolve))
    await host.close()
    await ended
    for (const client of clients) {
      expect(client.state).toEqual({ status: 'closed', server: expect.anything() })
      expect(await rejection(client.callTool('echo'))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    }
    const next = await host.connect(url)
    await next.callTool('echo')
    expect(ports.made).toHaveLength(2)
    await host.close()
    expect(next.state.status).toBe('closed')
  })

  test('ends what is connecting', async () => {
    const asked = deferred<AbortSignal>()
    const ports = servePorts((_, init) => {
      asked.resolve(init!.signal!)
      return new Promise(() => {})
    })
    const host = createHost({ worker: ports.worker })
    const connecting = rejection(host.connect(url))
    const signal = await asked.promise
    const left = new Promise((resolve) => signal.addEventListener('abort', resolve))
    await host.close()
    expect(await connecting).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: url } })
    await left
  })

  test('does not wait for ever for a worker that hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const asked = deferred()
      const ports = fakePorts({
        open: async () => ({ ok: true, value: { status: 'ready' } }),
        close: () => {
          asked.resolve()
          return new Promise(() => {})
        },
      })
      const host = createHost({ worker: ports.worker })
      const client = await host.connect(url)
      const closing = host.close()
      await asked.promise
      await vi.advanceTimersByTimeAsync(5_000)
      await closing
      expect(client.state.status).toBe('closed')
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that never started a worker does nothing', async () => {
    const worker = vi.fn()
    const host = createHost({ worker })
    await host.close()
    await host.signOut()
    expect(worker).not.toHaveBeenCalled()
  })
})
