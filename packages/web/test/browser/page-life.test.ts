import { type Browser, chromium, type Page } from '@playwright/test'
import { type ScriptedServer, startScriptedServer } from '@x/testkit'
import { launchOptions } from '@x/testkit/browser'
import type * as web from '@x/web'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bundle } from './pages.js'

interface Scope {
  client: web.McpClient
  connect(path: string): Promise<web.McpClient>
  states: string[]
}

const entries = {
  page: `
    import { createHost } from '@x/web'
    const host = createHost({ worker: () => new Worker('/worker.js', { type: 'module' }) })
    globalThis.states = []
    globalThis.connect = async (path) => {
      globalThis.client = await host.connect(path)
      client.on('state', ({ state }) => states.push(state.status))
      return client
    }`,
  // No timer ever fires: what happens, happens because the page said something.
  worker: `
    import { serve } from '@x/web/serve'
    serve({ runtime: { setTimer: () => () => {} } })`,
}

/** What the MCP server has seen: JSON-RPC methods, or HTTP methods of requests without a body. */
let seen: string[]
let tell = () => {}
let isDown: boolean
let sessions: number
let browser: Browser
let site: ScriptedServer
let page: Page

/** A legacy server with a session, and an event stream until it is down. */
async function answerMcp(request: Request): Promise<Response> {
  const body = request.method === 'POST' ? ((await request.json()) as { id?: number; method: string }) : undefined
  seen.push(body?.method ?? request.method)
  tell()
  if (body?.method === 'initialize') {
    if (isDown) return new Response('down', { status: 500 })
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 's', version: `${++sessions}` },
    }
    return Response.json({ jsonrpc: '2.0', id: body.id, result }, { headers: { 'mcp-session-id': `s-${sessions}` } })
  }
  if (isDown || request.headers.get('mcp-session-id') !== `s-${sessions}`) return new Response(null, { status: 404 })
  if (request.method === 'DELETE') return new Response(null, { status: 204 })
  if (request.method === 'GET') return new Response(null, { status: 405 })
  if (body?.id === undefined) return new Response(null, { status: 202 })
  return Response.json({ jsonrpc: '2.0', id: body.id, result: { tools: [] } })
}

async function untilSeen(method: string, count = 1): Promise<void> {
  while (seen.filter((one) => one === method).length < count)
    await new Promise<void>((resolve) => {
      tell = resolve
    })
}

beforeAll(async () => {
  const files = await bundle(entries)
  site = await startScriptedServer((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/mcp') return answerMcp(request)
    const script = files.get(pathname)
    if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    const html = '<!doctype html><title>page</title><script type="module" src="/page.js"></script>'
    return new Response(html, { headers: { 'content-type': 'text/html', 'cache-control': 'no-store' } })
  })
  browser = await chromium.launch(await launchOptions())
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

beforeEach(async () => {
  seen = []
  isDown = false
  sessions = 0
  page = await browser.newPage()
  await page.goto(site.url)
  await page.waitForFunction('globalThis.connect')
  await page.evaluate(async () => {
    await (globalThis as unknown as Scope).connect('/mcp')
  })
  return () => page.close()
})

// Not by leaving: whether the worker still lives to hear of it is the browser's affair.
test('a page that is left ends its sessions; one that is kept for a way back ends none', async () => {
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await page.evaluate(() => (globalThis as unknown as Scope).client.listTools())
  expect(seen).not.toContain('DELETE')
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: false })))
  await untilSeen('DELETE')
})

test.each(['online', 'pageshow'])('%s: what waits to be tried again is tried at once', async (event) => {
  isDown = true
  await page.evaluate(async () => {
    const { client } = globalThis as unknown as Scope
    client.on('list-changed', () => {})
    await client.listTools().catch(() => {})
  })
  expect(seen.filter((method) => method === 'initialize').length).toBe(2)
  isDown = false
  await page.evaluate((name) => void dispatchEvent(new Event(name)), event)
  await untilSeen('initialize', 3)
  await page.waitForFunction("globalThis.states.at(-1) === 'ready'")
})

test('being shown again is a waking, being hidden is not', async () => {
  isDown = true
  await page.evaluate(async () => {
    const { client } = globalThis as unknown as Scope
    client.on('list-changed', () => {})
    await client.listTools().catch(() => {})
  })
  const show = (state: string) =>
    page.evaluate((visibilityState) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  await page.evaluate(() => (globalThis as unknown as Scope).client.listTools().catch(() => {}))
  expect(seen.filter((method) => method === 'initialize').length).toBe(3)
  isDown = false
  await show('visible')
  await untilSeen('initialize', 4)
})
