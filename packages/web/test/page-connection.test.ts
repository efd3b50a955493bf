import { getEventListeners } from 'node:events'
import { type ConnectionEvent, DeniedError, type McpConnection, type Progress } from '@x/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHost } from '../src/host.js'
import { createHang, createMcpFetch, deferred, progressTool, rejection } from './mcp-fetch.js'
import { delivered, fakePorts, type ServedPorts, servePorts, watchPosts } from './served-port.js'
import { createTestHost, echo, url } from './test-host.js'

describe('calls', () => {
  test('cross with their arguments, and results with their bytes', async () => {
    const { host, ports } = createTestHost({
      echo,
      image: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'AQID' }] }),
    })
    const client = await host.connect(url)
    expect(client.state).toMatchObject({ status: 'ready', server: { name: 'fetched', era: 'modern' } })
    const args = { text: 'ü 𝕏 \u0000', list: [1, null], deep: { a: { b: true } } }
    expect((await client.callTool('echo', args)).content).toEqual([{ type: 'text', text: JSON.stringify(args) }])

    const posted = watchPosts(ports)
    const { content } = await client.callTool('image')
    expect(content).toEqual([{ type: 'image', mimeType: 'image/png', data: Uint8Array.of(1, 2, 3) }])
    // Handed over, not copied: the worker's buffer is empty now.
    const [sent] = posted.flatMap((message) => message.value?.value?.content ?? [])
    expect(sent?.data?.byteLength).toBe(0)
    expect(sent?.data?.buffer.byteLength).toBe(0)
  })

  test('at once get each its own answer', async () => {
    const { host } = createTestHost({ echo })
    const client = await host.connect(url)
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    const results = await Promise.all(numbers.map((n) => client.callTool('echo', { n })))
    expect(results.map(({ content }) => content)).toEqual(numbers.map((n) => [{ type: 'text', text: `{"n":${n}}` }]))
  })

  test('on two connections of one worker are kept apart', async () => {
    const { host, ports } = createTestHost({ echo })
    const [left, right] = await Promise.all([
      host.connect({ url, headers: { 'x-side': 'left' } }),
      host.connect({ url, headers: { 'x-side': 'right' } }),
    ])
    await left.close()
    expect([left.state.status, right.state.status]).toEqual(['closed', 'ready'])
    await right.callTool('echo', {})
    expect(await rejection(left.callTool('echo', {}))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(ports.made).toHaveLength(1)
  })

  test('of two hosts over one worker are kept apart', async () => {
    const { fetch } = createMcpFetch({ echo })
    const ports = servePorts(fetch)
    const port = ports.worker()
    const [one, two] = [createHost({ worker: () => port }), createHost({ worker: () => port })]
    const clients = [await one.connect(url), await two.connect(url)]
    for (const [n, client] of clients.entries())
      expect((await client.callTool('echo', { n })).content).toEqual([{ type: 'text', text: `{"n":${n}}` }])
  })

  test('fail with class, code and data', async () => {
    const { host } = createTestHost({
      refuse: ({ id }) => Response.json({ jsonrpc: '2.0', id, error: { code: -32050, message: 'no', data: [1] } }),
    })
    const client = await host.open({ url }, {}, 'mine')
    const error = await rejection(client.request('tools/call', { name: 'refuse' }))
    expect(error.constructor.name).toBe('JsonRpcError')
    expect(error).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { server: 'mine', method: 'tools/call', tool: 'refuse', rpcCode: -32050, rpcData: [1], outcome: 'unknown' },
    })
  })

  test('after close() are refused at once, without asking the worker', async () => {
    const { host, server } = createTestHost({ echo })
    const client = await host.connect(url)
    const closing = client.close()
    expect(client.state.status).toBe('closed')
    const error = await rejection(client.callTool('echo', {}))
    expect(error).toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
      data: { server: url, tool: 'echo', method: 'tools/call', outcome: 'not-run' },
    })
    expect(await rejection(client.authorize())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await closing
    await client.close()
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover'])
  })

  test('that cross with the connection’s end are refused in the same way', async () => {
    const ports = fakePorts({
      open: async () => ({ ok: true, value: { status: 'ready' } }),
      request: async () => ({
        ok: false,
        error: { name: 'DisconnectedError', code: 'ERR_MCP_DISCONNECTED', message: 'm' },
      }),
    })
    const client = await createHost({ worker: ports.worker }).open({ url }, {}, 'mine')
    const error = await rejection(client.request('tools/call', { name: 't' }))
    expect(error).toMatchObject({ data: { server: 'mine', tool: 't', method: 'tools/call', outcome: 'not-run' } })
  })
})

describe('an abort', () => {
  test('rejects with the very reason, at once, and reaches the server', async () => {
    const { run, called } = createHang()
    const { host } = createTestHost({ hang: run, echo })
    const client = await host.connect(url)
    const abort = new AbortController()
    const reason = { why: 'enough', at: () => {} }
    const call = rejection(client.callTool('hang', {}, { signal: abort.signal }))
    const { signal } = await called
    const left = new Promise((resolve) => signal.addEventListener('abort', resolve))
    abort.abort(reason)
    expect(await call).toBe(reason)
    await left
    await client.callTool('echo', {})
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  test('with a reason of ours leaves that as it is', async () => {
    const { run, called } = createHang()
    const { host } = createTestHost({ hang: run })
    const client = await host.connect(url)
    const reason = new DeniedError('the app says no')
    const abort = new AbortController()
    const call = rejection(client.callTool('hang', {}, { signal: abort.signal }))
    await called
    abort.abort(reason)
    expect(await call).toBe(reason)
    expect(reason.data).toEqual({})
  })

  test('before the call sends nothing', async () => {
    const { host, server } = createTestHost({ echo })
    const client = await host.connect(url)
    const reason = new Error('never mind')
    expect(await rejection(client.callTool('echo', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    await client.listTools()
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover', 'tools/list'])
  })

  test('in the tick of the call runs no tool', async () => {
    const { host, server } = createTestHost({ echo })
    const client = await host.connect(url)
    const abort = new AbortController()
    const call = rejection(client.callTool('echo', {}, { signal: abort.signal }))
    abort.abort()
    await call
    await client.listTools()
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover', 'tools/list'])
  })

  test('while it connects rejects with the very reason and opens nothing', async () => {
    const opened = deferred()
    const ports = servePorts(() => {
      opened.resolve()
      return new Promise(() => {})
    })
    const host = createHost({ worker: ports.worker })
    const abort = new AbortController()
    const states: ConnectionEvent[] = []
    const connecting = rejection(host.connect(url, { signal: abort.signal, onEvent: (event) => states.push(event) }))
    await opened.promise
    const reason = { why: 'slow' }
    abort.abort(reason)
    expect(await connecting).toBe(reason)
    expect(states).toMatchObject([{ type: 'state', state: { status: 'closed' } }])
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  test('of the connection closes it at once, with its calls', async () => {
    const { run, called } = createHang()
    const { host } = createTestHost({ hang: run })
    const abort = new AbortController()
    const client = await host.connect(url, { signal: abort.signal })
    const call = rejection(client.callTool('hang'))
    const { signal } = await called
    const left = new Promise((resolve) => signal.addEventListener('abort', resolve))
    abort.abort(new RangeError('enough'))
    expect(client.state).toMatchObject({ status: 'closed', error: { name: 'RangeError', message: 'enough' } })
    expect(await rejection(client.callTool('hang'))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(await call).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    await left
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  test('is not waited for any more once the connection is closed', async () => {
    const { host } = createTestHost()
    const { signal } = new AbortController()
    const client = await host.connect(url, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await client.close()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('events', () => {
  test('of progress come in order and before the result', async () => {
    const { host } = createTestHost({ steps: progressTool })
    const client = await host.connect(url)
    const heard: (Progress | string)[] = []
    await client.callTool('steps', { steps: 5 }, { onProgress: (progress) => heard.push(progress) })
    heard.push('result')
    expect(heard).toEqual([...[1, 2, 3, 4, 5].map((progress) => ({ progress, total: 5 })), 'result'])
  })

  test('of state are told to every listener and to onEvent, with the state already there', async () => {
    const { host } = createTestHost()
    const heard: string[] = []
    let port: McpConnection | undefined
    port = await host.open(
      { url },
      {
        onEvent: (event) => event.type === 'state' && heard.push(`hook ${event.state.status} ${port?.state.status}`),
      },
    )
    port.listen({ state: true }, (event) => heard.push(`${event.type} ${port?.state.status}`))
    port.listen({ lists: true }, (event) => heard.push(`unwanted ${event.type}`))
    const [before] = [port.state]
    await port.close()
    expect(heard).toEqual(['hook ready undefined', 'hook closed closed', 'state closed'])
    expect(port.state).not.toBe(before)
    expect(port.state.server?.name).toBe('fetched')
  })

  test('of the wire come as asked for, until unsubscribed', async () => {
    const { host } = createTestHost({ echo })
    const client = await host.connect(url)
    const heard: (string | undefined)[] = []
    const ended = deferred()
    const stop = client.listen({ wire: 'headers' }, (event) => {
      if (event.type === 'wire') heard.push(event.phase)
      if (event.type === 'wire' && event.phase === 'end') ended.resolve()
    })
    await client.callTool('echo', {})
    await ended.promise
    expect(heard).toEqual(['request', 'response', 'message', 'end'])
    stop()
    stop()
    await client.callTool('echo', {})
    await client.listTools()
    expect(heard).toHaveLength(4)
  })

  test('a filter may be a framework’s proxy', async () => {
    const { host } = createTestHost({ echo })
    const client = await host.connect(url)
    const heard = deferred()
    client.listen(new Proxy({ wire: 'headers' as const }, {}), () => heard.resolve())
    await client.callTool('echo', {})
    await heard.promise
  })

  describe('whose listener throws', () => {
    afterEach(() => vi.restoreAllMocks())

    test('are heard by the others, and the fault is reported', async () => {
      const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
      const { host } = createTestHost({ steps: progressTool })
      const fault = new Error('the view broke')
      const throwing = () => {
        throw fault
      }
      const client = await host.connect(url, { onEvent: throwing })
      const heard = vi.fn()
      client.listen({ state: true }, throwing)
      client.listen({ state: true }, heard)
      await client.callTool('steps', { steps: 2 }, { onProgress: throwing })
      await client.close()
      expect(client.state.status).toBe('closed')
      expect(heard).toHaveBeenCalledOnce()
      // Two states for the hook, two steps, one state for the listener.
      expect(reported.mock.calls).toEqual([[fault], [fault], [fault], [fault], [fault]])
    })
  })
})

describe('hooks', () => {
  test('token is called in the page’s realm, with the server’s name, and its token is sent', async () => {
    const { host, server } = createTestHost({ echo })
    const asked: unknown[] = []
    const hooks = {
      secret: 'from the page',
      async token(context: unknown) {
        asked.push(context)
        return this.secret.replaceAll(' ', '-')
      },
    }
    const connection = await host.open({ url, auth: { type: 'bearer' } }, hooks, 'mine')
    await connection.request('tools/call', { name: 'echo' })
    expect(asked).toEqual([{ server: 'mine', reason: 'first' }])
    expect(server.requests.map(({ headers }) => headers.get('authorization'))).toEqual(
      server.requests.map(() => 'Bearer from-the-page'),
    )
  })

  test('without a name, the server is its URL', async () => {
    const { host } = createTestHost()
    const token = vi.fn(async () => 't')
    await host.connect({ url: `${url}?key=secret`, auth: { type: 'bearer' } }, { token })
    expect(token).toHaveBeenCalledWith({ server: `${url}?…`, reason: 'first' })
  })

  test('that reject make connect reject, with what they said', async () => {
    const { host, server } = createTestHost()
    const token = vi.fn(async () => {
      throw new RangeError('signed out')
    })
    const error = await rejection(host.connect({ url, auth: { type: 'bearer' } }, { token }))
    expect(`${error.message} ${(error.cause as Error | undefined)?.message}`).toContain('signed out')
    expect(server.requests).toEqual([])
    expect(token).toHaveBeenCalledOnce()
  })

  test('that give what can’t cross make connect reject, instead of waiting', async () => {
    const { host } = createTestHost()
    const token = async () => (() => 'a function') as unknown as string
    const error = await rejection(host.connect({ url, auth: { type: 'bearer' } }, { token }))
    expect(`${error.message} ${(error.cause as Error | undefined)?.message}`).toContain('"token"')
  })

  test('other functions among the options stay on the page', async () => {
    const hooks: string[][] = []
    const ports = fakePorts({
      open: async (_connection, _config, _name, names) => {
        hooks.push(names)
        return { ok: true, value: { status: 'ready' } }
      },
      request: async () => ({ ok: true, value: { tools: [] } }),
      listen: () => {},
    })
    const host = createHost({ worker: ports.worker })
    const token = async () => 't'
    await host.connectAll({ a: url }, { filter: () => true, token, onEvent: () => {} })
    await host.connectAll({ a: url }, { filter: () => true })
    expect(hooks).toEqual([['token'], []])
  })
})

test('what the worker tells while it ends a session is heard', async () => {
  let listener = 0
  const ports: ServedPorts = fakePorts({
    open: async () => ({ ok: true, value: { status: 'ready' } }),
    listen: (_, number) => {
      listener = number
    },
    close: async (connection) => {
      const { worker } = ports.made[0]!
      const event = { type: 'wire', phase: 'request', exchange: 1, httpMethod: 'DELETE', at: 0 }
      worker.postMessage({ x: 'state', connection, state: { status: 'closed' } })
      worker.postMessage({ x: 'event', connection, listener, event })
      return { ok: true, value: undefined }
    },
  })
  const client = await createHost({ worker: ports.worker }).connect(url)
  const heard: string[] = []
  client.listen({ wire: 'headers', state: true }, ({ type }) => heard.push(type))
  await client.close()
  expect(heard).toEqual(['state', 'wire'])
})

test('a connection that ended in the worker is closed, and hears nothing more', async () => {
  let connection = 0
  const ports = fakePorts({
    open: async (number) => {
      connection = number
      return { ok: true, value: { status: 'ready' } }
    },
    listen: () => {},
  })
  const heard: string[] = []
  const onEvent = (event: ConnectionEvent) => heard.push(event.type === 'state' ? event.state.status : event.type)
  const client = await createHost({ worker: ports.worker }).connect(url, { onEvent })
  const closed = new Promise<void>((resolve) => client.on('state', () => resolve()))
  const { worker } = ports.made[0]!
  worker.postMessage({ x: 'state', connection, state: { status: 'closed', error: { name: 'E', message: 'gone' } } })
  await closed
  expect(client.state).toEqual({ status: 'closed', error: { name: 'E', message: 'gone' } })
  worker.postMessage({ x: 'connection-event', connection, event: { type: 'list-changed', list: 'tools' } })
  worker.postMessage({ x: 'state', connection, state: { status: 'ready' } })
  expect(await rejection(client.listTools())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  await delivered(ports)
  expect(heard).toEqual(['ready', 'closed'])
  expect(client.state.status).toBe('closed')
})
