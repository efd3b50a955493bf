// A legacy server of another origin whose CORS list was written before the modern headers were known.
import { type Browser, chromium, type Page } from '@playwright/test'
import { type ScriptedServer, startScriptedServer } from '@x/testkit'
import { launchOptions } from '@x/testkit/browser'
import type * as web from '@x/web'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bundle } from './pages.js'

interface Scope {
  createHost(): web.Host
}

const entries = {
  page: `
    import { createHost } from '@x/core'
    Object.assign(globalThis, { createHost })`,
  worker: `
    import { createHost } from '@x/web'
    Object.assign(globalThis, {
      createHost: () => createHost({ worker: () => new Worker('/serve.js', { type: 'module' }) }),
    })`,
  serve: `
    import { serve } from '@x/web/serve'
    serve()`,
}

let browser: Browser
let site: ScriptedServer
let server: ScriptedServer
let page: Page
/** What reached the server: methods, and of preflights the headers that they ask for. */
let seen: string[] = []

beforeAll(async () => {
  const files = await bundle(entries)
  site = await startScriptedServer((request) => {
    const { pathname } = new URL(request.url)
    const script = files.get(pathname)
    if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    return new Response(`<!doctype html><title>page</title><script type="module" src="${pathname}.js"></script>`, {
      headers: { 'content-type': 'text/html' },
    })
  })
  server = await startScriptedServer(answer)
  browser = await chromium.launch(await launchOptions())
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await server?.close()
})

beforeEach(async () => {
  seen = []
  page = await browser.newPage()
  return () => page.close()
})

async function answer(request: Request): Promise<Response> {
  const response = request.method === 'OPTIONS' ? new Response(null, { status: 204 }) : await answerMcp(request)
  const cors = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'Content-Type, Mcp-Session-Id, MCP-Protocol-Version',
    'access-control-expose-headers': 'Mcp-Session-Id',
  }
  for (const [name, value] of Object.entries(cors)) response.headers.set(name, value)
  if (request.method === 'OPTIONS') {
    const asked = request.headers.get('access-control-request-headers') ?? ''
    if (asked.includes('mcp-method')) seen.push('preflight of the modern headers')
  }
  return response
}

async function answerMcp(request: Request): Promise<Response> {
  if (request.method !== 'POST') return new Response(null, { status: 405 })
  const { id, method, params } = (await request.json()) as { id?: number; method: string; params: { name?: string } }
  seen.push(method)
  const reply = (result: object, headers = {}) => Response.json({ jsonrpc: '2.0', id, result }, { headers })
  if (method === 'initialize')
    return reply(
      { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'legacy', version: '1' } },
      { 'mcp-session-id': 'session-1' },
    )
  if (request.headers.get('mcp-session-id') !== 'session-1') return new Response('no session', { status: 400 })
  if (id === undefined) return new Response(null, { status: 202 })
  return reply({ content: [{ type: 'text', text: params.name }] })
}

test.each(['page', 'worker'])('it connects from a %s, and is asked for nothing modern again', async (from) => {
  await page.goto(`${site.url}/${from}`)
  await page.waitForFunction(() => 'createHost' in globalThis)
  const outcome = await page.evaluate(async (url) => {
    const host = (globalThis as unknown as Scope).createHost()
    const outcomes = []
    for (const name of ['first', 'second']) {
      const client = await host.connect(url)
      const { content } = await client.callTool(name)
      outcomes.push({ era: client.state.server?.era, content })
      await client.close()
    }
    await host.close()
    return outcomes
  }, `${server.url}/mcp`)
  expect(outcome).toEqual(['first', 'second'].map((text) => ({ era: 'legacy', content: [{ type: 'text', text }] })))
  const handshake = ['initialize', 'notifications/initialized', 'tools/call']
  expect(seen).toEqual(['preflight of the modern headers', ...handshake, ...handshake])
})
