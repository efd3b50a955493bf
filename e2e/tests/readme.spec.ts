import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { type ScriptedServer, startScriptedServer } from '@x/testkit'
import { build } from 'esbuild'
import * as z from 'zod'
import { expect, test } from './fixtures.js'
import { startOpenServer } from './small-server.js'

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')

/** The README's example that holds this text, run against our own server instead of the ones that it names. */
function example(text: string, server: string): { imports: string; body: string } {
  const block = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code]) => code!)
    .find((code) => code.includes(text))
  if (!block) throw new Error(`the README has no example with ${text}`)
  const lines = block.replaceAll(/https:\/\/\w+\.example/g, server).split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  return { imports: lines.filter(isImport).join('\n'), body: lines.filter((line) => !isImport(line)).join('\n') }
}

/** Bundles the example for a page; what it takes from its surroundings are the parameters of `run`. */
async function bundle({ imports, body }: { imports: string; body: string }, before = ''): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `${imports}\n${before}\nexport async function run({ token, messages, show, ask, callback, signIn }) {\n${body}\nreturn { ${['toolset', 'stop', 'client'].find((name) => body.includes(`const ${name} =`))} } }`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'example',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]!.text
}

const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' }

async function startForecast(tokens: (string | null)[]): Promise<ScriptedServer> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'forecast', version: '1.0.0' })
    server.registerTool(
      'forecast',
      { description: 'The forecast for a city', inputSchema: z.object({ city: z.string() }) },
      async ({ city }) => ({ content: [{ type: 'text', text: `sun in ${city}` }] }),
    )
    const home = z.object({ city: z.string() })
    server.registerTool('forecast_at_home', { description: 'The forecast for where you live' }, async ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'home', home)
      if (answer) return { content: [{ type: 'text', text: `sun in ${answer.city}` }] }
      const question = inputRequired.elicit({ message: 'Where do you live?', requestedSchema: home })
      return inputRequired({ inputRequests: { home: question } })
    })
    return server
  })
  return startScriptedServer(async (request) => {
    if (request.url.endsWith('/page'))
      return new Response('<title>page</title>', { headers: { 'content-type': 'text/html' } })
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers })
    tokens.push(request.headers.get('authorization'))
    const response = await handler.fetch(request)
    return new Response(response.body, {
      status: response.status,
      headers: { ...Object.fromEntries(response.headers), ...headers },
    })
  })
}

/** A model that asks for the forecast in its first step and repeats what it was told in its second. */
const model = `
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const model = new MockLanguageModelV4({
  async doStream({ prompt, tools }) {
    const told = prompt.flatMap(({ content }) => content).find((part) => part.type === 'tool-result')
    const forecast = tools.find(({ name }) => name === 'weather__forecast')
    const chunks = told
      ? [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'The tool says: ' + told.output.value },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
        ]
      : [
          { type: 'tool-call', toolCallId: 'c1', toolName: forecast.name, input: '{"city":"Oslo"}' },
          { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage },
        ]
    return { stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...chunks] }) }
  },
})`

test.describe('the examples of the README, in a page', () => {
  const tokens: (string | null)[] = []
  let server: ScriptedServer
  test.beforeAll(async () => {
    server = await startForecast(tokens)
  })
  test.afterAll(() => server.close())

  test('a chat app in ten lines: the model calls a tool and tells what it said', async ({ page }) => {
    await page.goto(`${server.url}/page`)
    await page.addScriptTag({ content: await bundle(example('streamText', server.url), model) })
    const outcome = await page.evaluate(async () => {
      const shown: string[] = []
      const { run } = (globalThis as never as { example: { run(given: object): Promise<{ toolset: Toolset }> } })
        .example
      type Toolset = { tools: { name: string }[]; close(): Promise<void> }
      const { toolset } = await run({
        token: 'a-token',
        messages: [{ role: 'user', content: 'How is the weather in Oslo?' }],
        show: (text: string) => shown.push(text),
      })
      const names = toolset.tools.map(({ name }) => name)
      await toolset.close()
      return { shown: shown.join(''), names }
    })
    expect(outcome).toEqual({
      shown: 'The tool says: sun in Oslo',
      names: ['weather__forecast', 'weather__forecast_at_home', 'notes__forecast', 'notes__forecast_at_home'],
    })
    expect(tokens).toContain('Bearer a-token')
  })

  test('one tool without a model', async ({ page }) => {
    await page.goto(`${server.url}/page`)
    await page.addScriptTag({ content: await bundle(example('client.callTool', server.url)) })
    const shown = await page.evaluate(async () => {
      const values: unknown[] = []
      const { run } = (globalThis as never as { example: { run(given: object): Promise<unknown> } }).example
      await run({ show: (value: unknown) => values.push(value) })
      return values
    })
    expect(shown).toEqual([[{ type: 'text', text: 'sun in Oslo' }]])
  })

  test('tools of the page, calls that are asked for, and a tool that has changed', async ({ page }) => {
    await page.goto(`${server.url}/page`)
    await page.addScriptTag({ content: await bundle(example('localTools', server.url)) })
    const outcome = await page.evaluate(async () => {
      type Toolset = { call(name: string, args: object): Promise<unknown>; tools: object[]; close(): Promise<void> }
      const { run } = (globalThis as never as { example: { run(given: object): Promise<{ toolset: Toolset }> } })
        .example
      const shown: unknown[] = []
      const asked: string[] = []
      const given = {
        show: (value: unknown) => void shown.push(value),
        async ask(what: string, details: unknown) {
          asked.push(`${what} ${JSON.stringify(details)}`)
          return !what.startsWith('forecast')
        },
      }
      const first = await run(given)
      await first.toolset.call('page__show_note', { text: 'hello' })
      const denied = await first.toolset.call('weather__forecast', { city: 'Oslo' }).catch(({ message }) => message)
      await first.toolset.close()
      // As if the server had said something else before.
      const pins = JSON.parse(localStorage.getItem('tool-pins:weather')!)
      pins.tools[0].definition.description = 'Another forecast'
      pins.tools[0].fingerprint = 'another'
      localStorage.setItem('tool-pins:weather', JSON.stringify(pins))
      const second = await run(given)
      const count = second.toolset.tools.length
      await second.toolset.close()
      return { shown, asked, denied, count }
    })
    expect(outcome.shown).toEqual(['hello'])
    expect(outcome.asked).toEqual([
      'show_note {"text":"hello"}',
      'forecast {"city":"Oslo"}',
      'Accept forecast? [{"path":"/description","before":"Another forecast","after":"The forecast for a city"}]',
    ])
    expect(outcome.denied).toContain('The person said no')
    expect(outcome.count).toBe(3)
  })

  test('a question of a server, which the page answers', async ({ page }) => {
    await page.goto(`${server.url}/page`)
    await page.addScriptTag({ content: await bundle(example('elicit', server.url)) })
    const outcome = await page.evaluate(async () => {
      const shown: unknown[] = []
      const asked: string[] = []
      const { run } = (globalThis as never as { example: { run(given: object): Promise<unknown> } }).example
      await run({
        show: (value: unknown) => shown.push(value),
        async ask({ tool, message }: { tool: string; message: string }) {
          asked.push(`${tool}: ${message}`)
          return { city: 'Oslo' }
        },
      })
      return { shown, asked }
    })
    expect(outcome).toEqual({
      shown: [[{ type: 'text', text: 'sun in Oslo' }]],
      asked: ['forecast_at_home: Where do you live?'],
    })
  })

  test('signing in, from a click', async ({ page }) => {
    const server = await startProtected()
    await page.goto(`${server.url}/page`)
    await page.addScriptTag({ content: await bundle(example('client.authorize()', server.url)) })
    const before = await page.evaluate(async () => {
      const signIn = document.createElement('button')
      signIn.textContent = 'Sign in'
      document.body.append(signIn)
      const callback = (opened: Window) =>
        new Promise((resolve) => {
          const channel = new BroadcastChannel('callback')
          channel.onmessage = ({ data }) => {
            opened.close()
            resolve(data)
          }
        })
      type Client = { state: { status: string } }
      const scope = globalThis as never as {
        example: { run(given: object): Promise<{ client: Client }> }
        client: Client
      }
      scope.client = (await scope.example.run({ callback, signIn })).client
      return scope.client.state.status
    })
    expect(before).toBe('unauthorized')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForFunction("client.state.status === 'ready'")
    expect(await page.evaluate('client.listTools()')).toMatchObject([{ name: 'forecast' }])
    await server.close()
  })

  test('what a server says by itself, and the end of listening', async ({ page }) => {
    const announcing = await startAnnouncing()
    await page.goto(`${announcing.server.url}/page`)
    await page.addScriptTag({ content: await bundle(example('subscribeResource', announcing.server.url)) })
    await page.evaluate(async () => {
      const scope = globalThis as never as {
        example: { run(given: object): Promise<{ stop(): void }> }
        shown: unknown[]
        stop(): void
      }
      scope.shown = []
      const { stop } = await scope.example.run({ show: (value: unknown) => scope.shown.push(value) })
      scope.stop = stop
    })
    await expect.poll(announcing.isHeard).toBe(true)
    announcing.say('notifications/resources/updated', { uri: 'weather://oslo' })
    announcing.say('notifications/tools/list_changed')
    await page.waitForFunction('shown.length === 2')
    expect(await page.evaluate('shown')).toEqual([
      'weather://oslo',
      [{ name: 'forecast', inputSchema: { type: 'object' } }],
    ])
    await page.evaluate('stop()')
    await expect.poll(() => announcing.asked).toContain('resources/unsubscribe')
    await announcing.server.close()
  })
})

test('the example of the README for local servers, in Node', async () => {
  const outputPath = (name: string) => test.info().outputPath(name)
  const folder = outputPath('folder')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'note.txt'), 'remember the milk')
  const server = await startForecast([])
  const { imports, body } = example('@x/core/stdio', server.url)
  const installed = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
  // As npx would start it, which would look for it in the network.
  const local = body
    .replace("'npx'", JSON.stringify(process.execPath))
    .replace(/'--yes', '@modelcontextprotocol\/server-filesystem@[\d.]+'/, JSON.stringify(installed))
  expect(local).toContain(installed)
  const file = outputPath('example.mjs')
  await writeFile(file, `${imports}\nexport async function run(folder) {\n${local}\nreturn { toolset, files } }`)
  const { toolset, files } = await (await import(pathToFileURL(file).href)).run(folder)
  try {
    const { content } = await toolset.call('files__read_text_file', { path: path.join(folder, 'note.txt') })
    expect(content).toEqual([{ type: 'text', text: 'remember the milk' }])
    expect(toolset.tools.map(({ name }: { name: string }) => name)).toContain('weather__forecast')
  } finally {
    await toolset.close()
    await files.close()
    await server.close()
  }
})

/** A server of an earlier revision that says what the test tells it to. */
async function startAnnouncing() {
  const asked: string[] = []
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  const say = (method: string, params = {}) => {
    const message = JSON.stringify({ jsonrpc: '2.0', method, params })
    stream!.enqueue(new TextEncoder().encode(`data: ${message}\n\n`))
  }
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'announcing', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'forecast', inputSchema: { type: 'object' } }] },
  }
  const server = await startOpenServer(async (request) => {
    if (request.url.endsWith('/page'))
      return new Response('<title>page</title>', { headers: { 'content-type': 'text/html' } })
    if (request.method === 'GET') {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          stream = controller
        },
      })
      say('notifications/message', { level: 'debug', data: 'hello' })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
    const { id, method } = (await request.json()) as { id?: number; method: string }
    asked.push(method)
    if (id === undefined) return new Response(null, { status: 202 })
    if (method === 'server/discover') return new Response(null, { status: 400 })
    return Response.json({ jsonrpc: '2.0', id, result: results[method] ?? {} })
  })
  return { server, say, asked, isHeard: () => stream !== undefined }
}

/** A server of an earlier revision that wants a token, and the authorization server that lets everybody in. */
async function startProtected() {
  const challenges = new Map<string, string>()
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'protected', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'forecast', inputSchema: { type: 'object' } }] },
  }
  const html = (body: string) => new Response(body, { headers: { 'content-type': 'text/html' } })
  const server = await startOpenServer(async (request) => {
    const { origin, pathname, searchParams } = new URL(request.url)
    switch (pathname) {
      case '/page':
        return html('<title>page</title>')
      case '/callback':
        return html(`<script>new BroadcastChannel('callback').postMessage(location.href)</script>`)
      case '/.well-known/oauth-protected-resource/mcp':
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] })
      case '/.well-known/oauth-authorization-server':
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case '/register':
        return Response.json({ ...(await request.json()), client_id: 'page' }, { status: 201 })
      case '/authorize': {
        challenges.set('a-code', searchParams.get('code_challenge')!)
        const target = new URL(searchParams.get('redirect_uri')!)
        target.search = String(new URLSearchParams({ code: 'a-code', state: searchParams.get('state')! }))
        return new Response(null, { status: 302, headers: { location: target.href } })
      }
      case '/token': {
        const form = new URLSearchParams(await request.text())
        const verifier = new TextEncoder().encode(form.get('code_verifier')!)
        const digest = Buffer.from(await crypto.subtle.digest('SHA-256', verifier)).toString('base64url')
        if (digest !== challenges.get(form.get('code')!))
          return Response.json({ error: 'invalid_grant' }, { status: 400 })
        return Response.json({ access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 })
      }
    }
    if (request.headers.get('authorization') !== 'Bearer a-token') return new Response(null, { status: 401 })
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = (await request.json()) as { id?: number; method: string }
    if (id === undefined) return new Response(null, { status: 202 })
    if (method === 'server/discover') return new Response(null, { status: 400 })
    return Response.json({ jsonrpc: '2.0', id, result: results[method] ?? {} })
  })
  return server
}
