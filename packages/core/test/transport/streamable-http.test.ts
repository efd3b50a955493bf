import { getEventListeners } from 'node:events'
import type { Transport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createStreamableHttp } from '../../src/transport/streamable-http.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { type TestEndpoint, testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

type Message = Parameters<Transport['send']>[0]

const message = (method: string, id: number | undefined, params: Record<string, unknown> = {}): Message =>
  ({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) }) as Message
const reply = ({ body }: Sent) => Response.json({ jsonrpc: '2.0', id: body?.id, result: {} })
const accepted = () => new Response(null, { status: 202 })

/** A legacy server that gives a session; other requests than `initialize` are answered by `answer`. */
const legacyServer =
  (
    answer: (sent: Sent) => Response | Promise<Response> = reply,
    init: ResponseInit = { headers: { 'mcp-session-id': 'session-1' } },
  ) =>
  (sent: Sent) => {
    if (sent.body?.method !== 'initialize') return answer(sent)
    return Response.json({ jsonrpc: '2.0', id: sent.body.id, result: {} }, init)
  }

/** A transport after the handshake. */
async function initialized(endpoint: TestEndpoint): Promise<Transport> {
  const transport = createStreamableHttp(endpoint)
  await transport.send(message('initialize', 0))
  transport.setProtocolVersion?.('2025-11-25')
  return transport
}

/** Resolves when the nth request has been sent. */
async function requests(endpoint: TestEndpoint, count: number): Promise<Sent> {
  while (endpoint.sent.length < count) await new Promise(setImmediate)
  return endpoint.sent[count - 1]!
}

describe('headers of a legacy connection', () => {
  test('say neither revision nor session before both are known, then both, and nothing modern', async () => {
    const endpoint = testEndpoint(legacyServer())
    const transport = await initialized(endpoint)
    await transport.send(message('tools/call', 1, { name: 'echo' }))
    const own = endpoint.sent.map(({ headers }) => [...headers].filter(([name]) => name.startsWith('mcp-')))
    expect(own).toEqual([
      [],
      [
        ['mcp-protocol-version', '2025-11-25'],
        ['mcp-session-id', 'session-1'],
      ],
    ])
  })

  test('keep the session private: the engine skips its handshake for a transport that shows one', async () => {
    expect((await initialized(testEndpoint(legacyServer()))).sessionId).toBeUndefined()
  })

  test('take a session from initialize alone', async () => {
    const answer = (sent: Sent) => {
      const response = reply(sent)
      response.headers.set('mcp-session-id', 'another')
      return response
    }
    const endpoint = testEndpoint(legacyServer(answer))
    const transport = await initialized(endpoint)
    await transport.send(message('tools/list', 1))
    await transport.send(message('tools/list', 2))
    expect(endpoint.sent[2]!.headers.get('mcp-session-id')).toBe('session-1')
  })
})

test('headers of a modern connection repeat method and name', async () => {
  const endpoint = testEndpoint(reply)
  const transport = createStreamableHttp(endpoint)
  transport.setProtocolVersion?.('2026-07-28')
  await transport.send(message('tools/call', 1, { name: 'größe' }))
  expect(Object.fromEntries(endpoint.sent[0]!.headers)).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
  })
})

test('send() of a request lasts as long as its exchange, of a notification until it is accepted', async () => {
  const source = byteSource([`data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`], 'stall')
  const endpoint = testEndpoint(({ body }) =>
    body?.id === undefined ? accepted() : new Response(source.body, { headers: eventStreamType }),
  )
  const transport = createStreamableHttp(endpoint)
  await transport.send(message('notifications/initialized', undefined))
  const replied = new Promise((resolve) => {
    transport.onmessage = resolve
  })
  let done = false
  const sending = transport.send(message('tools/list', 1)).then(() => {
    done = true
  })
  await replied
  expect(done).toBe(false)
  endpoint.timers.advance(1_000)
  await sending
})

test('no listener is left on the engine’s signal', async () => {
  const { signal } = new AbortController()
  const transport = createStreamableHttp(testEndpoint(reply))
  await transport.send(message('tools/list', 1), { requestSignal: signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

describe('404', () => {
  const notFound = () => new Response('Session not found', { status: 404 })

  test('of a session is the session’s end', async () => {
    const transport = await initialized(testEndpoint(legacyServer(notFound)))
    const error = await mcpRejection(transport.send(message('tools/list', 1)))
    expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 404, reason: 'session' } })
  })

  test('without a session is a wrong URL', async () => {
    const transport = await initialized(testEndpoint(legacyServer(notFound, {})))
    const error = await mcpRejection(transport.send(message('tools/list', 1)))
    expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 404, reason: 'not-found' } })
  })
})

describe('a cancellation', () => {
  test('of a modern request closes its stream, and posts nothing', async () => {
    const source = byteSource([': open\n\n'], 'stall')
    const endpoint = testEndpoint(() => new Response(source.body, { headers: eventStreamType }))
    const transport = createStreamableHttp(endpoint)
    transport.setProtocolVersion?.('2026-07-28')
    const abort = new AbortController()
    let ended = 0
    const sending = transport.send(message('tools/call', 1), {
      requestSignal: abort.signal,
      onRequestStreamEnd: () => ended++,
    })
    await requests(endpoint, 1)
    abort.abort('enough')
    expect(await rejection(sending)).toBe('enough')
    await source.cancelled
    expect(endpoint.sent).toHaveLength(1)
    expect(ended, 'the engine must not take its own abort for the stream’s end').toBe(0)
  })

  /** A legacy call that hangs. */
  async function hanging(cancelled: () => Response | Promise<Response>) {
    const source = byteSource([': open\n\n'], 'stall')
    const endpoint = testEndpoint(
      legacyServer(({ body }) =>
        body?.method === 'notifications/cancelled'
          ? cancelled()
          : new Response(source.body, { headers: eventStreamType }),
      ),
    )
    const transport = await initialized(endpoint)
    const call = rejection(transport.send(message('tools/call', 5)))
    await requests(endpoint, 2)
    const cancel = transport.send(message('notifications/cancelled', undefined, { requestId: 5 }))
    return { endpoint, source, call, cancel }
  }

  test('of a legacy request is posted, and then closes its stream', async () => {
    let accept = (_response: Response) => {}
    const { endpoint, source, call, cancel } = await hanging(
      () =>
        new Promise((resolve) => {
          accept = resolve
        }),
    )
    const posted = await requests(endpoint, 3)
    expect(posted.body).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 5 } })
    expect(posted.headers.get('mcp-session-id')).toBe('session-1')
    expect(endpoint.sent[1]!.signal.aborted).toBe(false)
    await new Promise(setImmediate)
    accept(accepted())
    await cancel
    await call
    await source.cancelled
    expect(endpoint.timers.pending()).toBe(0)
  })

  test('of a legacy request closes its stream also where the server refuses it', async () => {
    const { source, call, cancel } = await hanging(() => new Response(null, { status: 500 }))
    expect(await mcpRejection(cancel)).toMatchObject({ code: 'ERR_MCP_HTTP' })
    await call
    await source.cancelled
  })

  test('of a legacy request closes its stream after two seconds where the server does not answer', async () => {
    const { endpoint, source, call, cancel } = await hanging(() => new Promise(() => {}))
    await requests(endpoint, 3)
    endpoint.timers.advance(2_000)
    await rejection(cancel)
    await call
    await source.cancelled
    expect(endpoint.timers.pending()).toBe(0)
  })
})

describe('close', () => {
  test('ends the session, with the same headers and credentials, before it cuts a stream', async () => {
    const source = byteSource([': open\n\n'], 'stall')
    let cutBefore: boolean | undefined
    const endpoint = testEndpoint(
      legacyServer(({ method }) => {
        if (method === 'DELETE') {
          cutBefore = endpoint.sent[1]!.signal.aborted
          return new Response(null, { status: 204 })
        }
        return new Response(source.body, { headers: eventStreamType })
      }),
      { headers: async () => ({ authorization: 'Bearer x', 'x-team': 'a' }) },
    )
    const transport = await initialized(endpoint)
    const pending = mcpRejection(transport.send(message('tools/call', 1)))
    await requests(endpoint, 2)
    let closed = 0
    transport.onclose = () => closed++
    await transport.close()
    expect(await pending).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await source.cancelled
    const ended = endpoint.sent[2]!
    expect([ended.method, ended.url, Object.fromEntries(ended.headers)]).toEqual([
      'DELETE',
      endpoint.url,
      {
        authorization: 'Bearer x',
        'x-team': 'a',
        'mcp-protocol-version': '2025-11-25',
        'mcp-session-id': 'session-1',
      },
    ])
    expect(cutBefore).toBe(false)
    expect(closed).toBe(1)
    expect(endpoint.timers.pending()).toBe(0)
  })

  test('without a session sends nothing', async () => {
    const endpoint = testEndpoint(reply)
    const transport = createStreamableHttp(endpoint)
    await transport.send(message('tools/list', 1))
    await transport.close()
    expect(endpoint.sent).toHaveLength(1)
  })

  test.each([
    ['refuses it', () => new Response(null, { status: 405 })],
    ['is gone', () => Promise.reject(new TypeError('fetch failed'))],
    ['redirects it', () => new Response(null, { status: 302, headers: { location: '/' } })],
  ])('is done where the server %s', async (_what, answer) => {
    const endpoint = testEndpoint(legacyServer(answer))
    const transport = await initialized(endpoint)
    await transport.close()
    expect(endpoint.timers.pending()).toBe(0)
  })

  test('waits two seconds for a server that does not answer', async () => {
    const endpoint = testEndpoint(legacyServer(() => new Promise(() => {})))
    const transport = await initialized(endpoint)
    const closing = transport.close()
    await requests(endpoint, 2)
    endpoint.timers.advance(2_000)
    await closing
    expect(endpoint.sent[1]!.signal.aborted).toBe(true)
  })

  test('happens once', async () => {
    const endpoint = testEndpoint(legacyServer(accepted))
    const transport = await initialized(endpoint)
    let closed = 0
    transport.onclose = () => closed++
    await Promise.all([transport.close(), transport.close()])
    await transport.close()
    expect(closed).toBe(1)
    expect(endpoint.sent.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })

  test('gives each pending request an error of its own, for each is told what it was about', async () => {
    const endpoint = testEndpoint(() => new Promise(() => {}))
    const transport = createStreamableHttp(endpoint)
    const errors = [1, 2].map((id) => mcpRejection(transport.send(message('tools/list', id))))
    await requests(endpoint, 2)
    await transport.close()
    const [one, two] = await Promise.all(errors)
    expect(one).not.toBe(two)
  })

  test('refuses what is sent afterwards', async () => {
    const endpoint = testEndpoint(reply)
    const transport = createStreamableHttp(endpoint)
    await transport.close()
    expect(await mcpRejection(transport.send(message('tools/list', 1)))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(endpoint.sent).toEqual([])
  })
})

test('progress that no request waits for goes another way than to the engine, unless it says nothing', async () => {
  const stray: unknown[] = []
  const messages: unknown[] = []
  const progress = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'task-1', progress: 1 },
  }
  const endpoint = testEndpoint(({ body }) => {
    const sent = [progress, { ...progress, params: undefined }, { jsonrpc: '2.0', id: body?.id, result: {} }]
    const text = sent.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
    return new Response(text, { headers: eventStreamType })
  })
  const transport = createStreamableHttp(endpoint, { onStrayProgress: (params) => stray.push(params) })
  transport.onmessage = (received) => messages.push(received)
  await transport.send(message('tools/call', 1))
  expect(stray).toEqual([progress.params])
  expect(messages).toMatchObject([{ id: 1 }])
})
