// What an injected fetch can't show: how Node's own one, real connections and compression behave.
import { cutAfter, type RequestHandler, type ScriptedServer, stallAfter, startScriptedServer } from '@x/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { exchange } from '../../src/transport/exchange.js'
import { createStreamableHttp } from '../../src/transport/streamable-http.js'
import { byteSource, eventStreamType, jsonType } from '../support/byte-source.js'
import { type TestEndpoint, testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'

failOnUnhandled()

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function serve(handler: RequestHandler, maxResponseBytes = 1_000_000): Promise<TestEndpoint> {
  server = await startScriptedServer(handler)
  return testEndpoint(() => new Response(), { url: `${server.url}/mcp`, fetch, maxResponseBytes })
}

const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }

function begin(endpoint: TestEndpoint, abort = new AbortController()): Promise<void> {
  return exchange(endpoint, { message: request, headers: {}, abort, onMessage() {} })
}

/** A promise and what settles it. */
function signalled<Value = void>() {
  let settle = (_value: Value) => {}
  const promise = new Promise<Value>((resolve) => {
    settle = resolve
  })
  return { promise, settle }
}

describe('an abort reaches the server', () => {
  test('while it has not answered', async () => {
    const arrived = signalled()
    const left = signalled()
    const endpoint = await serve(({ signal }) => {
      signal.addEventListener('abort', () => left.settle())
      arrived.settle()
      return new Promise(() => {})
    })
    const abort = new AbortController()
    const call = rejection(begin(endpoint, abort))
    await arrived.promise
    abort.abort('enough')
    expect(await call).toBe('enough')
    await left.promise
  })

  test('while it streams', async () => {
    const left = signalled()
    const endpoint = await serve(() => stallAfter([': open\n\n'], { headers: eventStreamType }, left.settle))
    const responded = signalled()
    endpoint.wire = () => (event) => event.phase === 'response' && responded.settle()
    const abort = new AbortController()
    const call = rejection(begin(endpoint, abort))
    await responded.promise
    abort.abort('enough')
    expect(await call).toBe('enough')
    await left.promise
  })
})

describe('a reply past the size limit is cut while it streams', () => {
  const limit = 100_000
  const whole = 64 * 1024 * 1024
  const piece = new Uint8Array(64 * 1024).fill(' '.charCodeAt(0))

  /** Far more white space than anyone reads. */
  function* flood() {
    for (let sent = 0; sent < whole; sent += piece.length) yield piece.slice()
  }

  test('as it comes', async () => {
    const source = byteSource(flood())
    const endpoint = await serve(() => new Response(source.body, { headers: jsonType }), limit)
    expect(await mcpRejection(begin(endpoint))).toMatchObject({ code: 'ERR_MCP_TOO_LARGE', data: { limit } })
    await source.cancelled
    // What the sockets' buffers took is lost, no more.
    expect(source.pulled()).toBeLessThan(whole / 4)
  })

  test('unpacked from gzip, whose bytes on the wire are few', async () => {
    const endpoint = await serve(() => {
      const body = byteSource(flood()).body.pipeThrough(new CompressionStream('gzip'))
      return new Response(body, { headers: { ...jsonType, 'content-encoding': 'gzip' } })
    }, limit)
    expect(await mcpRejection(begin(endpoint))).toMatchObject({ code: 'ERR_MCP_TOO_LARGE', data: { limit } })
  })
})

test.each([
  ['JSON', 'application/json', '{"jsonrpc":"2.0",'],
  ['an event stream', 'text/event-stream', 'data: {"jsonrpc":"2.0",\n'],
])('%s that the server cuts off fails at once', async (_what, type, piece) => {
  const endpoint = await serve(() => cutAfter([piece], { headers: { 'content-type': type } }))
  expect(await mcpRejection(begin(endpoint))).toMatchObject({
    code: 'ERR_MCP_DISCONNECTED',
    data: { reason: 'network' },
  })
})

test('a redirect that keeps method and body is followed within the origin, and no further than three times', async () => {
  const seen: string[] = []
  const redirected = (path: string) => new Response(null, { status: 307, headers: { location: path } })
  let last = 3
  const endpoint = await serve(async (incoming) => {
    const { pathname } = new URL(incoming.url)
    seen.push(`${incoming.method} ${pathname} ${((await incoming.json()) as typeof request).id}`)
    const step = Number(pathname.replace('/', '')) || 0
    return step < last ? redirected(`/${step + 1}`) : Response.json({ jsonrpc: '2.0', id: 1, result: {} })
  })
  await begin(endpoint)
  expect(seen).toEqual(['POST /mcp 1', 'POST /1 1', 'POST /2 1', 'POST /3 1'])
  last = 4
  const error = await mcpRejection(begin(endpoint))
  expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { reason: 'redirect', status: 307 } })
  expect(error.message).toContain(`to ${server!.url};`)
})

test('a dead port is named by Node’s code', async () => {
  const endpoint = await serve(() => new Response())
  await server!.close()
  const error = await mcpRejection(begin(endpoint))
  expect(error).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { reason: 'network' } })
  expect(error.message).toContain('ECONNREFUSED')
})

test('close() tells the server of the session’s end before it cuts its streams', async () => {
  const order: string[] = []
  const arrived = signalled()
  const cut = signalled()
  const endpoint = await serve(async (incoming) => {
    if (incoming.method === 'DELETE') {
      order.push(`DELETE ${incoming.headers.get('mcp-session-id')}`)
      return new Response(null, { status: 204 })
    }
    const { id, method } = (await incoming.json()) as typeof request
    if (method === 'initialize')
      return Response.json({ jsonrpc: '2.0', id, result: {} }, { headers: { 'mcp-session-id': 's' } })
    incoming.signal.addEventListener('abort', () => {
      order.push('cut')
      cut.settle()
    })
    arrived.settle()
    return new Promise(() => {})
  })
  const transport = createStreamableHttp(endpoint)
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize' })
  const call = mcpRejection(transport.send({ ...request, jsonrpc: '2.0' }))
  await arrived.promise
  await transport.close()
  await cut.promise
  expect(await call).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  expect(order.toSorted()).toEqual(['DELETE s', 'cut'])
})
