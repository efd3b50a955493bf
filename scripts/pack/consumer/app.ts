import { connect, createHost, McpError, type Tool, type Toolset, toModelOutput } from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import * as anthropic from '@x/core/anthropic'
import { createClient, type McpConnection } from '@x/core/client'
import * as google from '@x/core/google'
import * as openai from '@x/core/openai'
import { connect as connectLocal, type LocalServer } from '@x/core/stdio'
import { createTestServer, type ReceivedRequest, type TestServer } from '@x/core/testing'
import { createGateway } from '@x/edge'
import * as web from '@x/web'
import { toTools as toWebTools } from '@x/web/ai-sdk'
import * as webAnthropic from '@x/web/anthropic'
import * as webGoogle from '@x/web/google'
import * as webOpenai from '@x/web/openai'
import { serve } from '@x/web/serve'

const local: LocalServer = { command: 'server', args: ['--quiet'], restart: { attempts: 1, backoffMs: 0 } }
export const connectToLocal = () => connectLocal(local)

/** Changing the import is the whole move: what core gives, web gives too, and takes. */
const connectors: (typeof connect)[] = [connect, web.connect]

export async function use(): Promise<string[]> {
  const names: string[] = []
  for (const open of connectors) {
    await using client = await open('https://example.com/mcp', { onEvent: (event) => names.push(event.type) })
    const tools: Tool[] = await client.listTools()
    const result = await client.callTool(
      tools[0]!.name,
      { a: 1 },
      { onProgress: ({ progress }) => names.push(`${progress}`) },
    )
    for (const block of result.content) {
      if (block.type === 'image') names.push(`${block.data.byteLength}`)
    }
    const output = toModelOutput(result)
    names.push(typeof output === 'string' ? output : `${output.length}`)
  }
  const toolset: Toolset = await web.connectAll({ a: 'https://a.example/mcp', b: { url: '/mcp', trusted: true } })
  names.push(...Object.keys(await toTools(toolset, { version: 6 })), ...Object.keys(await toWebTools(toolset)))
  for (const {
    function: { name },
  } of await openai.toTools(toolset))
    names.push(name)
  for (const { name, strict } of await webOpenai.toTools(toolset, { api: 'responses', strict: true })) {
    if (strict) names.push(name)
  }
  for (const format of [anthropic, webAnthropic]) {
    const [tool] = await format.toTools(toolset, { cache: true })
    const { content } = await format.runToolCall(toolset, {
      type: 'tool_use',
      id: '1',
      name: `${tool?.name}`,
      input: {},
    })
    names.push(typeof content === 'string' ? content : `${content?.length}`)
  }
  for (const format of [google, webGoogle]) {
    const [tool] = await format.toTools(toolset)
    names.push(...(tool?.functionDeclarations ?? []).map(({ name }) => name))
    const { functionResponse } = await format.runToolCall(toolset, { name: 'a__b', args: {} }, { files: false })
    names.push('output' in functionResponse.response ? functionResponse.response.output : functionResponse.name)
  }
  return names
}

export function explain(error: unknown, connection: McpConnection): string {
  if (McpError.is(error)) return `${error.code} ${error.data.server ?? ''} ${error.data.outcome ?? ''}`
  return createClient(connection).state.status
}

export const gateway = createGateway<{ KEY: string }>((env) => ({
  publicUrl: 'https://gateway.example',
  servers: { a: { url: 'https://a.example/mcp', auth: { type: 'bearer', token: env.KEY } } },
  authenticate: async (request) => (request.headers.get('authorization') ? { id: 'someone' } : undefined),
  origins: ['https://app.example'],
  secret: env.KEY,
}))

export const worker = (port: MessagePort) => serve({ port })
export const page = web.createHost({ worker: () => new Worker('/worker.js', { type: 'module' }) })

export async function tested(): Promise<ReceivedRequest[]> {
  const server: TestServer = createTestServer({
    protocolVersions: ['2025-11-25'],
    tools: [{ name: 'add', execute: ({ a, b }, { signal }) => ({ sum: Number(a) + Number(b), left: signal.aborted }) }],
  })
  server.failNext({ type: 'status', status: 503, headers: { 'retry-after': '1' } }, { method: 'tools/call', times: 2 })
  await using client = await createHost({ fetch: server.fetch }).connect('https://a.example/mcp')
  await client.callTool('add', { a: 1, b: 2 })
  return [...server.received]
}
