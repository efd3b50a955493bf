import { once } from 'node:events'
import { Worker as Thread } from 'node:worker_threads'
import type { ConnectionEvent, McpError } from '@x/core'
import * as Comlink from 'comlink'
import { build } from 'esbuild'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHost } from '../src/host.js'
import { type HostApi, hostProtocol } from '../src/host-protocol.js'
import { createMcpFetch, rejection } from './mcp-fetch.js'
import { createPorts, fakePorts, servePorts } from './served-port.js'

const url = 'https://server.test/mcp'

/** A worker as a page has it, of which the test decides what it does. */
class FakeWorker extends EventTarget {
  readonly sent: unknown[] = []
  terminated = 0
  postMessage(message: unknown): void {
    this.sent.push(message)
    this.onMessage?.(message)
  }
  terminate(): void {
    this.terminated++
  }
  onMessage?: (message: unknown) => void
  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  fail(message?: string): void {
    this.dispatchEvent(Object.assign(new Event('error'), { message }))
  }
  /** Serves this to the page. */
  serve(api: Partial<HostApi>): void {
    const listeners = new Set<(event: Event) => void>()
    this.onMessage = (data) => {
      for (const listener of listeners) listener(new MessageEvent('message', { data: structuredClone(data) }))
    }
    Comlink.expose(
      { hello: async () => ({ protocol: hostProtocol }), ...api },
      {
        postMessage: (data) => this.say(data),
        addEventListener: (type, listener) => type === 'message' && listeners.add(listener as (event: Event) => void),
        removeEventListener: () => {},
      },
    )
  }
}
const asWorker = (worker: FakeWorker) => worker as unknown as Worker

function hostError(phase: string) {
  return expect.objectContaining({ code: 'ERR_MCP_HOST', name: 'HostError', data: expect.objectContaining({ phase }) })
}

describe('a worker that', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('never answers is given up after 20 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { worker } = createPorts(() => {})
    const host = createHost({ worker })
    const pending = [rejection(host.connect(url)), rejection(host.connect(url))]
    await vi.advanceTimersByTimeAsync(19_999)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    const errors = await Promise.all(pending)
    expect(errors).toEqual([hostError('load'), hostError('load')])
    expect(errors[0]).not.toBe(errors[1])
    expect(errors[0]!.message).toContain('import "@x/web/worker"')
    expect(errors[0]).toMatchObject({ data: { server: url } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('starts leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { worker } = fakePorts({ open: async () => ({ ok: true, value: { status: 'ready' } }) })
    await createHost({ worker }).connect(url)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['fails to load', undefined, 'check its URL, and worker-src'],
    ['throws while it loads', 'Uncaught Error: no zod', 'Uncaught Error: no zod'],
  ])('%s', async (_, message, said) => {
    const worker = new FakeWorker()
    const connecting = rejection(createHost({ worker: () => asWorker(worker) }).connect(url))
    await vi.waitFor(() => expect(worker.sent).not.toEqual([]))
    worker.fail(message)
    const error = await connecting
    expect(error).toEqual(hostError('load'))
    expect(error.message).toContain(said)
    expect(worker.terminated).toBe(1)
  })

  test.each<[what: string, protocol: unknown, said: string]>([
    ['comes from another release', { protocol: 'x-host/0' }, 'another release (x-host/0, not x-host/1)'],
    ['answers with nothing', undefined, 'another release (undefined'],
    ['answers with garbage', 'hello?', 'another release (undefined'],
  ])('%s', async (_, hello, said) => {
    const open = vi.fn()
    const { worker } = fakePorts({ hello: async () => hello as never, open })
    const error = await rejection(createHost({ worker }).connect(url))
    expect(error).toEqual(hostError('start'))
    expect(error.message).toContain(said)
    expect(open).not.toHaveBeenCalled()
  })

  test('serves something else by comlink', async () => {
    const { worker } = createPorts((port) => Comlink.expose({ sum: (a: number, b: number) => a + b }, port))
    const error = await rejection(createHost({ worker }).connect(url))
    expect(error).toEqual(hostError('start'))
    expect(error.message).toContain('must import "@x/web/worker"')
    expect(error.cause).toMatchObject({ name: 'TypeError' })
  })

  test('sends garbage is not disturbed by it', async () => {
    const { worker, made } = servePorts(createMcpFetch().fetch)
    const client = await createHost({ worker }).connect(url)
    const garbage = [
      null,
      0,
      'text',
      [],
      {},
      { x: null },
      { x: 'later' },
      { x: 'state', connection: -1, state: null },
      { x: 'progress', connection: 'a', call: 1 },
      { x: 'hook', connection: 9e9, hook: 1, name: 'token' },
      { x: 'event' },
      { id: 'unknown', type: 'RAW', value: 1 },
      { id: {} },
    ]
    for (const message of garbage) made[0]!.worker.postMessage(message)
    await client.listTools()
    expect(client.state.status).toBe('ready')
  })

  test('can’t be made', async () => {
    const blocked = new DOMException('blocked by CSP', 'SecurityError')
    const throwing = () => {
      throw blocked
    }
    const error = await rejection(createHost({ worker: throwing }).connect(url))
    expect(error).toEqual(hostError('load'))
    expect(error.message).toContain('blocked by CSP')
    expect(error.cause).toBe(blocked)
    const nothing = (() => undefined) as unknown as () => Worker
    expect(await rejection(createHost({ worker: nothing }).connect(url))).toEqual(hostError('load'))
  })

  test('sends what can’t be read is dead', async () => {
    const worker = new FakeWorker()
    worker.serve({ open: async () => ({ ok: true, value: { status: 'ready' } }) })
    const client = await createHost({ worker: () => asWorker(worker) }).connect(url)
    worker.dispatchEvent(new Event('messageerror'))
    expect(client.state).toMatchObject({ status: 'closed', error: { code: 'ERR_MCP_HOST', data: { phase: 'run' } } })
  })
})

describe('a worker that dies under its connections', () => {
  const hanging = () => new Promise<never>(() => {})

  async function connectTwo(restart?: boolean) {
    const workers: FakeWorker[] = []
    const make = () => {
      const worker = new FakeWorker()
      workers.push(worker)
      worker.serve({
        open: async () => ({ ok: true, value: { status: 'ready' } }),
        listen: () => {},
        cancel: () => {},
        request: hanging,
        authorize: hanging,
        close: hanging,
      })
      return asWorker(worker)
    }
    const host = createHost({ worker: make, ...(restart !== undefined && { restart }) })
    const events: ConnectionEvent[] = []
    const first = await host.connect(url, { onEvent: (event) => events.push(event) })
    const second = await host.open({ url }, {}, 'second')
    return { host, workers, first, second, events }
  }

  test('rejects all that is pending, each with an error of its own', async () => {
    const { workers, first, second } = await connectTwo()
    const { signal } = new AbortController()
    const pending = [
      first.callTool('a', {}, { signal, onProgress: () => {} }),
      first.listTools(),
      first.authorize(),
      second.request('tools/call', { name: 'b' }),
    ].map(rejection<McpError>)
    await vi.waitFor(() => expect(workers[0]!.sent).toHaveLength(7))
    workers[0]!.fail('Uncaught RangeError: out of memory')
    const errors = await Promise.all(pending)
    expect(errors).toEqual(pending.map(() => hostError('run')))
    expect(errors.map(({ data }) => data)).toEqual([
      { phase: 'run', server: url, method: 'tools/call', tool: 'a', outcome: 'unknown' },
      { phase: 'run', server: url, method: 'tools/list' },
      { phase: 'run', server: url, method: 'authorize' },
      { phase: 'run', server: 'second', method: 'tools/call', tool: 'b', outcome: 'unknown' },
    ])
    expect(errors[0]!.message).toContain('out of memory')
    expect(workers[0]!.terminated).toBe(1)
  })

  test('closes its connections with the error, and tells everyone', async () => {
    const { workers, first, second, events } = await connectTwo()
    const heard: ConnectionEvent[] = []
    second.listen({ state: true }, (event) => heard.push(event))
    workers[0]!.fail('x')
    for (const { state } of [first, second])
      expect(state).toMatchObject({ status: 'closed', error: { name: 'HostError', code: 'ERR_MCP_HOST' } })
    expect(heard).toEqual([{ type: 'state', state: second.state }])
    expect(events.at(-1)).toEqual({ type: 'state', state: first.state })
    workers[0]!.fail('again')
    expect(heard).toHaveLength(1)
  })

  test('later calls on them say so, and that no tool ran', async () => {
    const { workers, first } = await connectTwo()
    workers[0]!.fail('x')
    expect(await rejection(first.callTool('a'))).toMatchObject({
      code: 'ERR_MCP_HOST',
      data: { phase: 'run', server: url, tool: 'a', outcome: 'not-run' },
    })
    const sent = workers[0]!.sent.length
    first.listen({ state: true }, () => {})()
    await first.close()
    expect(await rejection(first.listTools())).toMatchObject({ code: 'ERR_MCP_HOST' })
    expect(workers[0]!.sent).toHaveLength(sent)
  })

  test('a connection that was closed before stays merely closed', async () => {
    const { workers, first } = await connectTwo()
    const closing = first.close()
    await vi.waitFor(() => expect(workers[0]!.sent).toHaveLength(4))
    workers[0]!.fail('x')
    await closing
    expect(first.state).toEqual({ status: 'closed' })
    expect(await rejection(first.callTool('a'))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  })

  test('the next connection starts a new worker', async () => {
    const { host, workers, first } = await connectTwo()
    workers[0]!.fail('x')
    const next = await host.connect(url)
    expect(next.state.status).toBe('ready')
    expect(workers).toHaveLength(2)
    expect(first.state.status).toBe('closed')
    await host.connect(url)
    expect(workers).toHaveLength(2)
    // The old one's end is over and done with.
    workers[0]!.fail('again')
    expect(next.state.status).toBe('ready')
  })

  test('with restart: false, the next connection rejects', async () => {
    const { host, workers } = await connectTwo(false)
    workers[0]!.fail('x')
    expect(await rejection(host.connect(url))).toEqual(hostError('run'))
    expect(await rejection(host.connect(url))).toEqual(hostError('run'))
    expect(workers).toHaveLength(1)
  })

  test('with restart: false, so it does after a worker that did not load', async () => {
    const worker = vi.fn(() => {
      throw new Error('no')
    })
    const host = createHost({ worker, restart: false })
    for (let count = 0; count < 2; count++) expect(await rejection(host.connect(url))).toEqual(hostError('load'))
    expect(worker).toHaveBeenCalledOnce()
    await host.close()
  })

  test('a worker that did not load is tried again', async () => {
    const { worker } = fakePorts({ open: async () => ({ ok: true, value: { status: 'ready' } }) })
    const failing = vi.fn(worker).mockImplementationOnce(() => {
      throw new Error('not yet')
    })
    const host = createHost({ worker: failing })
    expect(await rejection(host.connect(url))).toEqual(hostError('load'))
    await host.connect(url)
    expect(failing).toHaveBeenCalledTimes(2)
  })

  test('while a host closes, what was opened meanwhile on a new one stays', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { host, workers } = await connectTwo()
    const closing = host.close()
    await vi.waitFor(() => expect(workers[0]!.sent).toHaveLength(5))
    const next = await host.connect(url)
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
    expect(workers.map(({ terminated }) => terminated)).toEqual([1, 0])
    expect(next.state.status).toBe('ready')
    await host.connect(url)
    expect(workers).toHaveLength(2)
  })
})

describe('a thread', () => {
  let script: string
  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { parentPort } from 'node:worker_threads'
          import { serve } from './src/serve.js'
          import { createMcpFetch } from './test/mcp-fetch.js'
          const hang = () => { parentPort.postMessage('called'); return new Promise(() => {}) }
          const crash = () => { setTimeout(() => { throw new RangeError('out of luck') }); return hang() }
          parentPort.on('message', (port) => serve({ port, runtime: createMcpFetch({ hang, crash }) }))
          parentPort.postMessage('up')`,
        resolveDir: new URL('..', import.meta.url).pathname,
      },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      external: ['node:worker_threads'],
    })
    script = outputFiles[0]!.text
  })

  async function startThread() {
    const thread = new Thread(new URL(`data:text/javascript,${encodeURIComponent(script)}`), { stderr: true })
    onTestFinished(async () => void (await thread.terminate()))
    await once(thread, 'message')
    const worker = () => {
      const { port1, port2 } = new MessageChannel()
      thread.postMessage(port2, [port2 as never])
      return port1
    }
    return { thread, worker }
  }

  test.each<[how: string, tool: string, kill: (thread: Thread) => unknown]>([
    ['is terminated', 'hang', (thread) => thread.terminate()],
    // Node ends a thread that throws, and passes the error to whoever made it.
    ['throws', 'crash', () => {}],
  ])('that %s in a call is found out, and another takes over', async (_, tool, kill) => {
    const { thread, worker } = await startThread()
    thread.on('error', () => {})
    const workers = [worker, (await startThread()).worker]
    const host = createHost({ worker: () => workers.shift()!() })
    const client = await host.connect(url)
    const called = once(thread, 'message')
    const call = rejection(client.callTool(tool))
    await called
    kill(thread)
    expect(await call).toMatchObject({
      code: 'ERR_MCP_HOST',
      data: { phase: 'run', server: url, tool, outcome: 'unknown' },
    })
    expect(client.state.error?.code).toBe('ERR_MCP_HOST')
    const again = await host.connect(url)
    await again.listTools()
    await host.close()
  })
})
