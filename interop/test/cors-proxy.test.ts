import { startScriptedServer } from '@x/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { startCorsProxy } from '../src/cors-proxy.js'

async function proxyTo(handler: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = await startScriptedServer(handler)
  const proxy = await startCorsProxy(server.url)
  onTestFinished(async () => {
    await proxy.close()
    await server.close()
  })
  return proxy.origin
}

test('a preflight is allowed what it asks for, and the server is not bothered', async () => {
  const origin = await proxyTo(() => new Response(null, { status: 405 }))
  const headers = {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'mcp-method',
  }
  const response = await fetch(`${origin}/mcp`, { method: 'OPTIONS', headers })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-headers')).toBe('mcp-method')
})

test("method, path, headers and body arrive, without the page's origin", async () => {
  const origin = await proxyTo(async (request) =>
    Response.json({
      method: request.method,
      path: new URL(request.url).pathname + new URL(request.url).search,
      session: request.headers.get('mcp-session-id'),
      origin: request.headers.get('origin'),
      body: await request.text(),
    }),
  )
  const headers = { origin: 'https://app.example', 'mcp-session-id': 's' }
  const response = await fetch(`${origin}/mcp?a=1`, { method: 'POST', headers, body: '{}' })
  expect(await response.json()).toEqual({ method: 'POST', path: '/mcp?a=1', session: 's', origin: null, body: '{}' })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id')
})

test('a stream is given on as it comes, not at its end', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const origin = await proxyTo(() => new Response(readable, { headers: { 'content-type': 'text/event-stream' } }))
  const reader = (await fetch(`${origin}/mcp`)).body!.getReader()
  for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
    const written = writer.write(new TextEncoder().encode(text))
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(text)
    await written
  }
  await reader.cancel()
})
