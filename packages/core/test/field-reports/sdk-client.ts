import { setMaxListeners } from 'node:events'
import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { RequestOptions } from '../../src/connection.js'
import type { CallToolResult } from '../../src/protocol.js'
import { type Connection, type Subject, url } from './subject.js'

/** The SDK's client over the SDK's own transport. */
export const sdkClient: Subject = {
  async connect(fetch, { headers, hooks, url: endpoint = url } = {}): Promise<Connection> {
    const told: string[] = []
    let listChanges = 0
    const client = new Client(
      { name: 'field-report', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' }, listChanged: { tools: { onChanged: () => void listChanges++ } } },
    )
    client.onerror = (error) => told.push(error.message)
    const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
      fetch: withTiedBodies(fetch),
      ...(headers && { requestInit: { headers } }),
    })
    await client.connect(transport, hooks?.signal ? { signal: hooks.signal } : {})
    return {
      listTools: async () => (await client.listTools()).tools as Awaited<ReturnType<Connection['listTools']>>,
      async callTool(name, args, options) {
        const { content } = await client.callTool({ name, ...(args && { arguments: args }) }, toSdk(options))
        return content[0]?.type === 'text' ? content[0].text : ''
      },
      callForResult: async (name) => (await client.callTool({ name })) as unknown as CallToolResult,
      close: () => client.close(),
      told,
      get listChanges() {
        return listChanges
      },
    }
  },
}

/**
 * A fetch whose body ends with its signal, as a real one's does: the SDK relies on it, and a scripted one doesn't do it.
 */
function withTiedBodies(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body } = response
    const { signal } = init ?? {}
    if (!body || !signal) return response
    // The SDK gives all its requests one signal, which for undici is no reason to warn.
    setMaxListeners(0, signal)
    const tied = new TransformStream<Uint8Array, Uint8Array>()
    body.pipeTo(tied.writable, { signal }).catch(() => {})
    return new Response(tied.readable, response)
  }
}

/** Our total time is the SDK's `maxTotalTimeout` beside an idle time, else its `timeout`. */
function toSdk({ signal, timeoutMs, idleTimeoutMs, onProgress }: RequestOptions = {}) {
  return {
    ...(signal && { signal }),
    ...(timeoutMs && { timeout: timeoutMs }),
    ...(timeoutMs && idleTimeoutMs && { maxTotalTimeout: timeoutMs }),
    ...(idleTimeoutMs && { timeout: idleTimeoutMs, resetTimeoutOnProgress: true }),
    ...(onProgress && { onprogress: (progress: Progress) => onProgress(progress as Parameters<typeof onProgress>[0]) }),
  }
}
