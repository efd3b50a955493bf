import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
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
      contents: `${imports}\n${before}\nexport async function run({ token, messages, show, ask }) {\n${body}\nreturn { ${['toolset', 'stop', 'client'].find((name) => body.includes(`const ${name} =`))} } }`,
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
