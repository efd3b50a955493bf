import { setMaxListeners } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createHost, type Era, type Host, type ProtocolVersion } from '@x/core'
import { createHost as createWebHost } from '@x/web'

/** One way to make a call. */
export interface Contestant {
  call(key: string): Promise<string>
  close(): Promise<void>
}

export const contestantNames = ['raw fetch', 'in process', 'worker', 'SDK'] as const
export type ContestantName = (typeof contestantNames)[number]

const revisions: Record<Era, ProtocolVersion> = { modern: '2026-07-28', legacy: '2025-11-25' }

/** Opens a connection of each kind to one endpoint. */
export const contestants: Record<ContestantName, (url: string, era: Era) => Promise<Contestant>> = {
  'raw fetch': openRaw,
  'in process': (url, era) => openHost(createHost(), url, era),
  async worker(url, era) {
    const thread = new Worker(new URL('./worker.mjs', import.meta.url), { execArgv: [] })
    const { port1, port2 } = new MessageChannel()
    thread.postMessage(port2, [port2])
    // Node's port does what a page's does, but TypeScript has no page's port here.
    const contestant = await openHost(createWebHost({ worker: () => port1 as never }), url, era)
    const close = () => contestant.close().finally(() => thread.terminate())
    return { ...contestant, close }
  },
  SDK: openSdk,
}

/** The exchange itself, as the others send it, with nothing checked. */
async function openRaw(url: string, era: Era): Promise<Contestant> {
  const protocolVersion = revisions[era]
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
  }
  let id = 0
  const post = (method: string, params: object) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }) })
  const clientInfo = { name: 'raw', version: '1' }
  if (era === 'legacy') {
    const opened = await post('initialize', { protocolVersion, capabilities: {}, clientInfo })
    await opened.text()
    headers['mcp-session-id'] = opened.headers.get('mcp-session-id')!
  } else Object.assign(headers, { 'mcp-method': 'tools/call', 'mcp-name': 'run' })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    async call(key) {
      const response = await post('tools/call', {
        name: 'run',
        arguments: { key },
        ...(era === 'modern' && { _meta }),
      })
      const { result } = (await response.json()) as { result: TextResult }
      return textOf(result)
    },
    close: async () => {},
  }
}

async function openHost(host: Host, url: string, era: Era): Promise<Contestant> {
  const client = await host.connect({ url, protocolVersion: revisions[era] })
  return {
    call: async (key) => textOf(await client.callTool('run', { key })),
    close: () => host.close(),
  }
}

async function openSdk(url: string, era: Era): Promise<Contestant> {
  const mode = era === 'modern' ? { pin: revisions.modern } : ('legacy' as const)
  const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } })
  const untold: typeof fetch = (input, init) => {
    // The SDK gives all its requests one signal, which for Node is a reason to warn at every call.
    if (init?.signal) setMaxListeners(0, init.signal)
    return fetch(input, init)
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: untold }))
  return {
    call: async (key) => textOf(await client.callTool({ name: 'run', arguments: { key } })),
    close: () => client.close(),
  }
}

interface TextResult {
  content: { type: string; text?: unknown }[]
}

function textOf({ content: [block] }: TextResult): string {
  if (typeof block?.text !== 'string') throw new Error('the call gave no text')
  return block.text
}
