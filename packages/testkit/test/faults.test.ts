import { afterEach, expect, test } from 'vitest'
import { cutAfter, eventStream, flood, htmlPage, rpcErrorReply, silence, stallAfter } from '../src/faults.js'
import { type RequestHandler, type ScriptedServer, startScriptedServer } from '../src/scripted-server.js'

let server: ScriptedServer | undefined
afterEach(() => server?.close())

async function serve(handler: RequestHandler): Promise<string> {
  server = await startScriptedServer(handler)
  return server.url
}

test('a handler gets the request whole: method, path, headers and body', async () => {
  const url = await serve(async (request) => {
    const { pathname, search } = new URL(request.url)
    return Response.json([request.method, pathname + search, request.headers.get('x-test'), await request.text()])
  })
  const response = await fetch(`${url}/a/b?c=d`, { method: 'PUT', headers: { 'x-test': 'yes' }, body: 'grüße' })
  expect(await response.json()).toEqual(['PUT', '/a/b?c=d', 'yes', 'grüße'])
})

test('status, repeated headers and a body without one arrive as they were made', async () => {
  const url = await serve(() => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ])
    return new Response(null, { status: 204, headers })
  })
  const response = await fetch(url)
  expect([response.status, response.headers.getSetCookie()]).toEqual([204, ['a=1', 'b=2']])
})

test('a client that leaves fires the request’s signal and cancels the body', async () => {
  let told = (_what: string) => {}
  const cancelled = new Promise((resolve) => {
    told = resolve
  })
  const aborted = new Promise<unknown>((resolve) => {
    void serve((request) => {
      request.signal.addEventListener('abort', () => resolve(request.signal.reason))
      return stallAfter(['{'], {}, () => told('cancelled'))
    }).then(async (url) => {
      const leaving = new AbortController()
      const response = await fetch(url, { signal: leaving.signal })
      await response.body!.getReader().read()
      leaving.abort()
    })
  })
  expect(await aborted).toBeInstanceOf(Error)
  expect(await cancelled).toBe('cancelled')
})

test('a response that ends as it should fires no signal', async () => {
  let signal: AbortSignal | undefined
  const url = await serve((request) => {
    signal = request.signal
    return new Response('whole')
  })
  expect(await (await fetch(url)).text()).toBe('whole')
  await server!.close()
  expect(signal?.aborted).toBe(false)
})

test('cutAfter sends its pieces and then breaks the connection', async () => {
  const url = await serve(() => cutAfter(['{"a":', '1']))
  const reader = (await fetch(url)).body!.getReader()
  let text = ''
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += new TextDecoder().decode(value)
    }
  }
  await expect(read()).rejects.toThrow('terminated')
  expect(text).toBe('{"a":1')
})

test('a handler that throws leaves the client without an answer', async () => {
  const url = await serve(() => {
    throw new Error('a dying server')
  })
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('headers go out before the first byte of the body, and silence sends none', async () => {
  const stalled = await fetch(await serve(() => stallAfter([], { status: 203 })))
  expect(stalled.status).toBe(203)
  await stalled.body!.cancel()
  await server!.close()
  let asked = () => {}
  const arrived = new Promise<void>((resolve) => {
    asked = resolve
  })
  const leaving = new AbortController()
  const url = await serve(() => {
    asked()
    return silence()
  })
  const answer = fetch(url, { signal: leaving.signal })
  await arrived
  leaving.abort(new Error('nothing came'))
  await expect(answer).rejects.toThrow('nothing came')
})

test.each(['json', 'sse', 'gzip'] as const)('a flood as %s is one valid reply of the wanted length', async (form) => {
  const response = await fetch(await serve(() => flood({ bytes: 200_001, id: 'seven', form, result: { extra: true } })))
  const text = (await response.text()).replace(/^event: message\ndata: /, '')
  const { id, result } = JSON.parse(text) as { id: string; result: { extra: boolean; content: { text: string }[] } }
  expect([id, result.extra, result.content[0]?.text.length]).toEqual(['seven', true, 200_001])
})

test('a flood stops where its reader leaves, and says where that was', async () => {
  let taken = -1
  const reader = flood({ bytes: 10_000_000, onCancel: (bytes) => (taken = bytes) }).body!.getReader()
  for (let piece = 0; piece < 3; piece++) await reader.read()
  await reader.cancel()
  expect(taken).toBe(2 * 64 * 1024)
})

test('pages, errors and event streams are what they say', async () => {
  expect(htmlPage(502).status).toBe(502)
  expect(await htmlPage().text()).toMatch(/^<!doctype html>/)
  expect(await rpcErrorReply(3, -32000, 'no', { why: 1 }).json()).toEqual({
    jsonrpc: '2.0',
    id: 3,
    error: { code: -32000, message: 'no', data: { why: 1 } },
  })
  expect(await eventStream({ a: 1 }, { b: 2 }).text()).toBe(
    'event: message\ndata: {"a":1}\n\nevent: message\ndata: {"b":2}\n\n',
  )
})
