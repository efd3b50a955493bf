// The official clients against the contract's server: it is right before our client meets it.
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  credentials,
  failText,
  knownBytes,
  promptNames,
  resourceUris,
  rpcError,
  serverName,
  textResource,
  toolNames,
} from '../../src/contract/fixtures.js'
import { connectControl } from '../../src/contract/record.js'
import { type ContractServer, startContractServer } from '../../src/contract/server.js'

let server: ContractServer
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(() => server.close())

interface Page {
  nextCursor?: string | undefined
}
interface PeerOptions {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number }) => void
}
interface Peer {
  listTools(cursor?: string): Promise<Page & { tools: { name: string }[] }>
  listResources(cursor?: string): Promise<Page & { resources: { uri: string }[] }>
  listPrompts(cursor?: string): Promise<Page & { prompts: { name: string }[] }>
  callTool(name: string, args?: Record<string, unknown>, options?: PeerOptions): Promise<Record<string, unknown>>
  readResource(uri: string): Promise<{ contents: object[] }>
  getPrompt(name: string, args?: Record<string, string>): Promise<{ messages: object[] }>
  serverName(): string | undefined
  close(): Promise<void>
}

const identity = { name: 'peer', version: '1.0.0' }

async function connectModern(headers: Record<string, string> = {}): Promise<Peer> {
  // Pinned, because a fall-back would hide a modern endpoint that does not answer.
  const client = new ModernClient(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new ModernTransport(new URL(`${server.url}/modern/mcp`), { requestInit: { headers } }))
  const page = (cursor?: string) => (cursor === undefined ? {} : { cursor })
  return {
    listTools: (cursor) => client.request({ method: 'tools/list', params: page(cursor) }),
    listResources: (cursor) => client.request({ method: 'resources/list', params: page(cursor) }),
    listPrompts: (cursor) => client.request({ method: 'prompts/list', params: page(cursor) }),
    callTool: async (name, args = {}, options = {}) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, options),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  }
}

async function connectLegacy(headers: Record<string, string> = {}): Promise<Peer> {
  const client = new LegacyClient(identity)
  const transport = new LegacyTransport(new URL(`${server.url}/legacy/mcp`), { requestInit: { headers } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    listTools: (cursor) => client.listTools({ cursor }),
    listResources: (cursor) => client.listResources({ cursor }),
    listPrompts: (cursor) => client.listPrompts({ cursor }),
    callTool: (name, args = {}, options = {}) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema, options),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    serverName: () => client.getServerVersion()?.name,
    close: async () => {
      await transport.terminateSession()
      await client.close()
    },
  }
}

async function everyPage<P extends Page>(list: (cursor?: string) => Promise<P>): Promise<P[]> {
  const pages: P[] = []
  let cursor: string | undefined
  do {
    const page = await list(cursor)
    pages.push(page)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}

describe.each([
  { era: 'modern' as const, connect: connectModern },
  { era: 'legacy' as const, connect: connectLegacy },
])('the official $era client', ({ era, connect }) => {
  test('lists tools, resources and prompts over three pages each', async () => {
    const peer = await connect()
    const tools = await everyPage(peer.listTools)
    expect(tools).toHaveLength(3)
    expect(tools.flatMap((page) => page.tools.map(({ name }) => name))).toEqual(toolNames)
    const resources = await everyPage(peer.listResources)
    expect(resources).toHaveLength(3)
    expect(resources.flatMap((page) => page.resources.map(({ uri }) => uri))).toEqual(resourceUris)
    const prompts = await everyPage(peer.listPrompts)
    expect(prompts).toHaveLength(3)
    expect(prompts.flatMap((page) => page.prompts.map(({ name }) => name))).toEqual(promptNames)
    expect(peer.serverName()).toBe(serverName)
  })

  test('calls tools and gets every kind of content', async () => {
    const peer = await connect()
    expect(await peer.callTool('echo', { text: 'hej' })).toMatchObject({ content: [{ type: 'text', text: 'hej' }] })
    expect(await peer.callTool('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
    const { content } = await peer.callTool('content')
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
    expect(content).toMatchObject([
      { type: 'text', text: textResource.text },
      { type: 'image', data: base64(knownBytes.image) },
      { type: 'audio', data: base64(knownBytes.audio) },
      { type: 'resource', resource: textResource },
      { type: 'resource', resource: { blob: base64(knownBytes.blob) } },
      { type: 'resource_link', uri: textResource.uri },
    ])
    expect(await peer.callTool('fail')).toMatchObject({ isError: true, content: [{ type: 'text', text: failText }] })
    expect(await peer.callTool('grüße-世界', { text: 'ja' })).toMatchObject({ content: [{ text: 'grüße: ja' }] })
  })

  test('gets progress, and the JSON-RPC error as it was thrown', async () => {
    const peer = await connect()
    const steps: number[] = []
    await peer.callTool('progress', { steps: 5 }, { onprogress: ({ progress }) => steps.push(progress) })
    expect(steps.slice(0, 4)).toEqual([1, 2, 3, 4])
    await expect(peer.callTool('rpc-error')).rejects.toMatchObject({ code: rpcError.code, data: rpcError.data })
  })

  test('aborts a call, and the log shows it', async () => {
    const peer = await connect()
    const aborting = new AbortController()
    const call = peer.callTool('hang', {}, { signal: aborting.signal })
    await server.control.waitFor({ kind: 'call', endpoint: era, tool: 'hang' })
    aborting.abort()
    await expect(call).rejects.toThrow()
    await server.control.waitFor({ kind: 'aborted', endpoint: era, tool: 'hang' })
    const log = await server.control.log()
    const told = log.some(({ method }) => method === 'notifications/cancelled')
    const cut = log.some(({ kind, tool }) => kind === 'cut' && tool === 'hang')
    expect({ told, cut }).toMatchObject(era === 'legacy' ? { told: true } : { told: false, cut: true })
  })

  test('reads resources and gets prompts', async () => {
    const peer = await connect()
    expect(await peer.readResource(textResource.uri)).toMatchObject({ contents: [{ text: textResource.text }] })
    expect(await peer.readResource('contract://blob')).toMatchObject({
      contents: [{ blob: Buffer.from(knownBytes.blob).toString('base64') }],
    })
    expect(await peer.getPrompt('greet', { who: 'Ada' })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada.' } }],
    })
    await expect(peer.readResource('contract://nothing')).rejects.toMatchObject({ code: -32602 })
  })

  test('answers calls that run at the same time, and slow ones, each with its own', async () => {
    const peer = await connect()
    const met = await Promise.all([peer.callTool('meet', { parties: 2 }), peer.callTool('meet', { parties: 2 })])
    expect(met).toMatchObject([{ content: [{ text: 'met 2' }] }, { content: [{ text: 'met 2' }] }])
    const slow = await Promise.all([20, 0].map((ms) => peer.callTool('slow', { ms, text: `after ${ms}` })))
    expect(slow).toMatchObject([{ content: [{ text: 'after 20' }] }, { content: [{ text: 'after 0' }] }])
  })

  test.each(['json', 'sse', 'sse-crlf', 'sse-bytes', 'sse-lines', 'sse-untitled'])(
    'reads the reply form %s',
    async (form) => {
      const peer = await connect()
      expect(await peer.callTool('reply', { form, text: 'grüße 🦊' })).toMatchObject({
        content: [{ text: 'grüße 🦊' }],
      })
    },
  )

  test.each(['json', 'sse', 'gzip'])('gets the whole of a flood as %s', async (form) => {
    const peer = await connect()
    const { content } = (await peer.callTool('flood', { bytes: 3_000_001, form })) as { content: { text: string }[] }
    expect(content[0]?.text).toHaveLength(3_000_001)
  })

  test('is seen with its era, session and credential, and without the credential itself', async () => {
    const peer = await connect({ authorization: `Bearer ${credentials.bearer}` })
    await peer.callTool('echo', { text: 'x'.repeat(5_000_000) })
    await peer.close()
    const log = await server.control.log()
    const [call] = log.filter(({ method }) => method === 'tools/call')
    expect(call).toMatchObject({
      kind: 'request',
      endpoint: era,
      era,
      tool: 'echo',
      credential: 'bearer',
      httpMethod: 'POST',
    })
    expect(call?.bytes).toBeGreaterThan(5_000_000)
    expect(call?.sessionId !== undefined).toBe(era === 'legacy')
    expect(log.some(({ httpMethod }) => httpMethod === 'DELETE')).toBe(era === 'legacy')
    expect(JSON.stringify(log)).not.toContain(credentials.bearer)
  })
})

test('the wrong era is refused at each endpoint', async () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity },
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const legacyAtModern = await fetch(`${server.url}/modern/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify(initialize),
  })
  expect(legacyAtModern.status).toBe(400)
  expect(await legacyAtModern.json()).toMatchObject({ error: { code: -32022 } })
  const probe = { ...initialize, method: 'server/discover', params: { _meta: {} } }
  const modernAtLegacy = await fetch(`${server.url}/legacy/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify(probe),
  })
  expect(modernAtLegacy.status).toBe(400)
})

test('any origin may ask, with any header, and reads the headers that a client needs', async () => {
  const preflight = await fetch(`${server.url}/modern/mcp`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,mcp-method,x-contract-realm',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,mcp-method,x-contract-realm')
  const refused = await fetch(`${server.url}/legacy/mcp`, { headers: { origin: 'https://app.example' } })
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  expect(refused.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('mcp-session-id')
  expect(await server.control.log()).toMatchObject([{ kind: 'preflight', endpoint: 'modern' }, { kind: 'request' }])
})

test('the log shows how much of a flood had been sent when the client left', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flood', arguments: {} } }
  const response = await fetch(`${server.url}/modern/mcp`, { method: 'POST', body: JSON.stringify(body) })
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  const [cut] = await server.control.waitFor({ kind: 'cut', tool: 'flood' })
  expect(cut?.bytes).toBeLessThan(32 * 1024 * 1024)
})

test('its control works from another process', async () => {
  const control = connectControl(server.url)
  const waiting = control.waitFor({ kind: 'request', httpMethod: 'GET' }, 2)
  await fetch(`${server.url}/legacy/mcp`)
  await fetch(`${server.url}/legacy/mcp`)
  expect(await waiting).toHaveLength(2)
  await control.reset()
  expect(await control.log()).toEqual([])
})

test('nobody listens at the dead URL', async () => {
  await expect(fetch(server.deadUrl)).rejects.toThrow('fetch failed')
})
