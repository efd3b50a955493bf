import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  Client as ClientV1,
  ElicitRequestSchema,
  StreamableHTTPClientTransport as TransportV1,
} from '@x/testkit/sdk-v1'
import { afterEach, describe, expect, test } from 'vitest'
import { createTestServer, RpcError, type TestServer, type TestServerOptions } from '../../src/testing/index.js'
import { deferred } from '../fake-server.js'
import { rejection } from '../support/rejection.js'

const endpoint = new URL('https://server.example/mcp')
const info = { name: 'official', version: '1.0.0' }
const form = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const bytes = new Uint8Array([0, 1, 2, 253, 254, 255])
const base64 = 'AAEC/f7/'

/** What both clients have in common, as far as it is asked for here. */
interface Official {
  client: Pick<Client, 'getServerVersion' | 'getServerCapabilities' | 'getInstructions' | 'close'> & {
    listTools(params?: { cursor?: string }): Promise<{ tools: { name: string }[]; nextCursor?: string }>
    callTool(
      params: { name: string; arguments?: Record<string, unknown> },
      options?: { onprogress?: (progress: { progress: number }) => void; signal?: AbortSignal },
    ): Promise<unknown>
    listResources(): Promise<{ resources: object[] }>
    listResourceTemplates(): Promise<{ resourceTemplates: object[] }>
    readResource(params: { uri: string }): Promise<{ contents: object[] }>
    listPrompts(): Promise<{ prompts: object[] }>
    getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{ messages: object[] }>
    complete(params: {
      ref: { type: 'ref/prompt'; name: string }
      argument: { name: string; value: string }
    }): Promise<{
      completion: { values: string[] }
    }>
  }
  /** How often the tools are said to have changed. */
  changes(): number
  asked: unknown[]
}

type Open = (server: TestServer) => Promise<Official>

/** The SDK's own: it parses all that a server sends against the specification's schema, and refuses what does not fit. */
const official =
  (mode: 'auto' | 'legacy' | { pin: string }): Open =>
  async (server) => {
    const asked: unknown[] = []
    let changes = 0
    const client = new Client(info, {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    })
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params)
      return { action: 'accept', content: { city: 'Oslo' } }
    })
    await client.connect(new StreamableHTTPClientTransport(endpoint, { fetch: server.fetch }))
    return { client: client as unknown as Official['client'], changes: () => changes, asked }
  }

/** The maintenance line, whose servers and clients most people run. */
const officialV1: Open = async (server) => {
  const asked: unknown[] = []
  let changes = 0
  const client = new ClientV1(info, {
    capabilities: { elicitation: { form: {}, url: {} } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
  })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params)
    return { action: 'accept', content: { city: 'Oslo' } }
  })
  const transport = new TransportV1(endpoint, { fetch: server.fetch })
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0])
  // Its second parameter is a schema of the result.
  const call = client.callTool.bind(client)
  const callTool: Official['client']['callTool'] = (params, options) => call(params, undefined, options)
  return { client: Object.assign(client, { callTool }) as unknown as Official['client'], changes: () => changes, asked }
}

const offer: TestServerOptions = {
  instructions: 'Be kind.',
  pageSize: 4,
  tools: [
    { name: 'echo', description: 'Says it again', execute: ({ text }) => String(text) },
    { name: 'picture', execute: () => [{ type: 'image', mimeType: 'image/png', data: bytes }] },
    {
      name: 'sum',
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      execute: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
    },
    {
      name: 'steps',
      execute(_, call) {
        call.progress({ progress: 1, total: 2 })
        call.progress({ progress: 2, total: 2 })
        return 'done'
      },
    },
    {
      name: 'where',
      async execute(_, call) {
        const { action, ...rest } = await call.elicit({ message: 'Which city?', requestedSchema: form })
        return `${action} ${JSON.stringify(rest)}`
      },
    },
    {
      name: 'visit',
      execute: async (_, call) =>
        (await call.elicit({ mode: 'url', message: 'Sign in', url: 'https://server.example/sign-in' })).action,
    },
    {
      name: 'broken',
      execute() {
        throw new Error('the disk is full')
      },
    },
    {
      name: 'refused',
      execute() {
        throw new RpcError(-32050, 'not today', { until: 'Monday' })
      },
    },
    {
      name: 'hang',
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
  ],
  resources: [
    { uri: 'test://text', content: 'grüße', mimeType: 'text/plain' },
    { uri: 'test://bytes', content: () => bytes },
  ],
  resourceTemplates: [{ uriTemplate: 'test://{id}', name: 'any' }],
  read: (uri) => (uri === 'test://7' ? 'seven' : undefined),
  prompts: [
    { name: 'greet', arguments: [{ name: 'who', required: true }], get: ({ who }) => `Hello, ${who}` },
    {
      name: 'show',
      get: () => [{ role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: bytes } }],
    },
  ],
  complete: (_ref, { value }) => ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(value)),
}

let close: () => Promise<void> = async () => {}
afterEach(() => close())

describe.each<[string, Open, TestServerOptions, 'modern' | 'legacy']>([
  ['2.4, pinned to 2026-07-28', official({ pin: '2026-07-28' }), { protocolVersions: 'modern' }, 'modern'],
  ['2.4, negotiating', official('auto'), {}, 'modern'],
  ['2.4, negotiating with a legacy server', official('auto'), { protocolVersions: 'legacy' }, 'legacy'],
  ['2.4, legacy', official('legacy'), {}, 'legacy'],
  ['1.x, 2025-11-25', officialV1, {}, 'legacy'],
  ['1.x, 2025-03-26', officialV1, { protocolVersions: ['2025-03-26'] }, 'legacy'],
])('the official client %s', (_name, open, more, era) => {
  async function opened() {
    const server = createTestServer({ ...offer, ...more })
    const { client, changes, asked } = await open(server)
    close = async () => {
      await client.close()
      server.close()
    }
    return { server, client, changes, asked }
  }

  test('meets the server, in its era', async () => {
    const { client, server } = await opened()
    expect(client.getServerVersion()).toMatchObject({ name: 'test', version: '1.0.0' })
    expect(client.getInstructions()).toBe('Be kind.')
    expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual([
      'completions',
      'logging',
      'prompts',
      'resources',
      'tools',
    ])
    await client.callTool({ name: 'echo', arguments: { text: 'hi' } })
    expect(server.received.at(-1)).toMatchObject({ era, method: 'tools/call', name: 'echo' })
  })

  test('reads lists', async () => {
    const { client } = await opened()
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await client.listTools(cursor ? { cursor } : undefined)
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor)
    expect([...new Set(names)]).toEqual(offer.tools?.map(({ name }) => name))
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'test://text' }, { uri: 'test://bytes' }])
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ name: 'any' }])
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet' }, { name: 'show' }])
  })

  test('calls tools, with each kind of result', async () => {
    const { client } = await opened()
    const call = (name: string, args = {}) => client.callTool({ name, arguments: args })
    expect(await call('echo', { text: 'grüße' })).toMatchObject({ content: [{ type: 'text', text: 'grüße' }] })
    expect(await call('picture')).toMatchObject({ content: [{ type: 'image', mimeType: 'image/png', data: base64 }] })
    expect(await call('sum', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
    expect(await call('broken')).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] })
    expect(await rejection(call('refused'))).toMatchObject({ code: -32050, data: { until: 'Monday' } })
    expect(await rejection(call('nothing'))).toMatchObject({ code: -32602 })
  })

  test('hears of progress', async () => {
    const { client } = await opened()
    const heard: number[] = []
    await client.callTool({ name: 'steps' }, { onprogress: ({ progress }) => void heard.push(progress) })
    expect(heard).toEqual([1, 2])
  })

  test('is asked by a tool, which runs once', async () => {
    const { client, server, asked } = await opened()
    expect(await client.callTool({ name: 'where' })).toMatchObject({
      content: [{ text: 'accept {"content":{"city":"Oslo"}}' }],
    })
    expect(asked).toMatchObject([{ message: 'Which city?', requestedSchema: form }])
    await client.callTool({ name: 'visit' })
    expect(asked[1]).toMatchObject({ mode: 'url', url: 'https://server.example/sign-in' })
    expect([server.runs('where'), server.runs('visit')]).toEqual([1, 1])
  })

  test('reads resources and prompts, and completes', async () => {
    const { client } = await opened()
    expect((await client.readResource({ uri: 'test://text' })).contents).toMatchObject([{ text: 'grüße' }])
    expect((await client.readResource({ uri: 'test://bytes' })).contents).toMatchObject([{ blob: base64 }])
    expect((await client.readResource({ uri: 'test://7' })).contents).toMatchObject([{ text: 'seven' }])
    const missing = rejection(client.readResource({ uri: 'test://none' }))
    expect(await missing).toMatchObject({ message: expect.stringContaining('Resource not found') })
    expect((await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Hello, Ada' } },
    ])
    expect((await client.getPrompt({ name: 'show' })).messages).toMatchObject([{ content: { data: base64 } }])
    const ref = { type: 'ref/prompt', name: 'greet' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'who', value: 'A' } })
    expect(completion.values).toEqual(['Ada', 'Alan'])
  })

  test('hears that tools have changed', async () => {
    const { client, server, changes } = await opened()
    await server.heard()
    server.change({ tools: [{ name: 'new' }] })
    await expect.poll(changes).toBe(1)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['new'])
  })

  test('tells the tool that the call is cancelled', async () => {
    const stopped = deferred()
    const server = createTestServer({
      ...more,
      tools: [
        {
          name: 'hang',
          execute: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                stopped.resolve()
                reject(signal.reason)
              })
            }),
        },
      ],
    })
    const { client } = await open(server)
    close = () => client.close()
    const abort = new AbortController()
    const calling = rejection(client.callTool({ name: 'hang' }, { signal: abort.signal }))
    await server.arrival({ method: 'tools/call' })
    abort.abort(new Error('enough'))
    await calling
    await stopped.promise
  })
})
