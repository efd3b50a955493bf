import { type Browser, chromium, type Page } from '@playwright/test'
import { type ScriptedServer, startContractServer, startScriptedServer } from '@x/testkit'
import { launchOptions } from '@x/testkit/browser'
import type * as web from '@x/web'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundle } from './pages.js'

/** What the page's script puts on `globalThis`. */
interface Scope {
  web: typeof web
  /** A host whose worker has this script. */
  hostOf(path: string): web.WebHost
  sharedHostOf(path: string): web.WebHost
  caught(promise: Promise<unknown>): Promise<Pick<web.McpError, 'name' | 'message' | 'code' | 'data'>>
}

const url = 'https://server.test/mcp'

const entries = {
  page: `
    import * as web from '@x/web'
    Object.assign(globalThis, {
      web,
      hostOf: (path) => web.createHost({ worker: () => new Worker(path, { type: 'module' }) }),
      sharedHostOf: (path) => web.createHost({ worker: () => new SharedWorker(path, { type: 'module' }) }),
      caught: (promise) => promise.then(
        () => { throw new Error('it did not reject') },
        ({ name, message, code, data }) => ({ name, message, code, data }),
      ),
    })`,
  worker: `
    import { serve } from '@x/web/serve'
    import { createTestServer } from '@x/core/testing'
    const hang = () => new Promise(() => {})
    const tools = {
      ok: () => 'ok',
      hang,
      close: () => { self.close(); return hang() },
      throw: () => { setTimeout(() => { throw new RangeError('out of luck') }); return hang() },
      realm: () => self.constructor.name,
      image: () => [{ type: 'image', mimeType: 'image/png', data: Uint8Array.of(1, 2, 3) }],
    }
    const { fetch } = createTestServer({
      tools: Object.entries(tools).map(([name, execute]) => ({ name, execute })),
    })
    serve({ runtime: { fetch } })`,
  broken: `throw new RangeError('out of luck')`,
  silent: 'self.onmessage = () => {}',
}

let browser: Browser
let site: ScriptedServer
let page: Page

beforeAll(async () => {
  const files = await bundle(entries)
  site = await startScriptedServer((request) => {
    const { pathname } = new URL(request.url)
    const script = files.get(pathname)
    if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    if (pathname !== '/') return new Response('no such file', { status: 404 })
    const csp = new URL(request.url).searchParams.get('csp')
    return new Response('<!doctype html><title>page</title><script type="module" src="/page.js"></script>', {
      headers: { 'content-type': 'text/html', ...(csp && { 'content-security-policy': csp }) },
    })
  })
  browser = await chromium.launch(await launchOptions())
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

beforeEach(async () => {
  page = await browser.newPage()
  await open('/')
  return () => page.close()
})

async function open(path: string): Promise<void> {
  await page.goto(site.url + path)
  await page.waitForFunction(() => 'web' in globalThis)
}

describe('a worker that dies in a call', () => {
  test.each([
    ['ends itself', 'close', 'The worker ended'],
    ['throws', 'throw', 'out of luck'],
  ])('because it %s is found out, and the next connection starts another', async (_, tool, said) => {
    const outcome = await page.evaluate(
      async ([endpoint, name]) => {
        const { hostOf, caught } = globalThis as unknown as Scope
        const host = hostOf('/worker.js')
        const [first, second] = [await host.connect(endpoint), await host.connect(endpoint)]
        const states: string[] = []
        second.on('state', ({ state }) => states.push(state.status))
        const pending = caught(second.callTool('hang'))
        const dead = await caught(first.callTool(name))
        const next = await host.connect(endpoint)
        const { content } = await next.callTool('ok')
        return { dead, pending: await pending, states, error: first.state.error, content }
      },
      [url, tool] as const,
    )
    const data = { phase: 'run', server: url, method: 'tools/call', outcome: 'unknown' }
    expect(outcome.dead).toEqual({
      name: 'HostError',
      code: 'ERR_MCP_HOST',
      message: expect.stringContaining(said),
      data: { ...data, tool },
    })
    expect(outcome.pending).toMatchObject({ code: 'ERR_MCP_HOST', data: { ...data, tool: 'hang' } })
    expect(outcome.states).toEqual(['closed'])
    expect(outcome.error?.code).toBe('ERR_MCP_HOST')
    expect(outcome.content).toEqual([{ type: 'text', text: 'ok' }])
  })
})

describe('a worker that does not load', () => {
  test.each([
    ['because its script is not there', '/nothing.js', 'check its URL'],
    ['because its script throws', '/broken.js', 'out of luck'],
  ])('%s', async (_, script, said) => {
    const error = await page.evaluate(
      async ([endpoint, path]) => {
        const { hostOf, caught } = globalThis as unknown as Scope
        return caught(hostOf(path).connect(endpoint))
      },
      [url, script] as const,
    )
    expect(error).toMatchObject({ code: 'ERR_MCP_HOST', data: { phase: 'load', server: url } })
    expect(error.message).toContain(said)
  })

  test('because the Content-Security-Policy forbids it', async () => {
    await open(`/?csp=${encodeURIComponent("default-src 'none'; script-src 'self'; worker-src 'self'")}`)
    const error = await page.evaluate((endpoint) => {
      const { web, caught } = globalThis as unknown as Scope
      return caught(web.connect(endpoint))
    }, url)
    expect(error).toMatchObject({ code: 'ERR_MCP_HOST', data: { phase: 'load' } })
    expect(error.message).toMatch(/Content.Security.Policy/i)
  })
})

test('without configuration there is one worker, from a Blob, which does the fetching', async () => {
  const endpoint = `${site.url}/nothing-here`
  const workers: string[] = []
  page.on('worker', (worker) => workers.push(worker.url()))
  const error = await page.evaluate(async (given) => {
    const { web, caught } = globalThis as unknown as Scope
    globalThis.fetch = () => Promise.reject(new Error('the page must not fetch'))
    await caught(web.connect(given))
    // As in any page, relative to where it is.
    return caught(web.connect('/nothing-here'))
  }, endpoint)
  expect(error).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 404, server: endpoint } })
  expect(workers).toEqual([expect.stringMatching(/^blob:/)])
})

test('in a worker from a Blob structured content is held to what its tool promises', async () => {
  const server = await startContractServer()
  const findings = await page
    .evaluate(async (endpoint) => {
      const { web } = globalThis as unknown as Scope
      const client = await web.connect(endpoint)
      await client.listTools()
      const [right, wrong] = [
        await client.callTool('add', { a: 1, b: 2 }),
        await client.callTool('add', { a: 'x', b: 2 }),
      ]
      return [right.findings, wrong.findings]
    }, `${server.url}/modern/mcp`)
    .finally(() => server.close())
  expect(findings).toEqual([[], [expect.objectContaining({ code: 'output-schema', path: '/structuredContent/sum' })]])
})

test('bytes are handed over by a real worker', async () => {
  const image = await page.evaluate(async (endpoint) => {
    const { hostOf } = globalThis as unknown as Scope
    const client = await hostOf('/worker.js').connect(endpoint)
    const [block] = (await client.callTool('image')).content
    return block?.type === 'image' && [...block.data]
  }, url)
  expect(image).toEqual([1, 2, 3])
})

test('a shared worker serves each of its pages, and outlives the one that leaves', async () => {
  const call = (endpoint: string) => {
    const { sharedHostOf } = globalThis as unknown as Scope
    const client = sharedHostOf('/worker.js').connect(endpoint)
    return client.then((open) => open.callTool('realm')).then(({ content }) => content)
  }
  const other = await browser.newPage()
  await other.goto(site.url)
  await other.waitForFunction(() => 'web' in globalThis)
  const realm = [{ type: 'text', text: 'SharedWorkerGlobalScope' }]
  expect(await Promise.all([page.evaluate(call, url), other.evaluate(call, url)])).toEqual([realm, realm])
  await other.close()
  expect(await page.evaluate(call, url)).toEqual(realm)
})

test('the worker’s script does nothing in a window but say so', async () => {
  const failed = page.waitForEvent('pageerror')
  await page.addScriptTag({ type: 'module', url: '/worker.js' }).catch(() => {})
  expect((await failed).message).toContain('is the script of a Web Worker')
})
