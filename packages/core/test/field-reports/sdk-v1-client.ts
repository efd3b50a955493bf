import { Client } from '@x/testkit/sdk-v1'
import type { CallToolResult } from '../../src/protocol.js'
import { type Connection, type Subject, url } from './subject.js'

type Transport = Parameters<Client['connect']>[0]

/** The client of the SDK's first major version, which many still use, over the least that carries its messages. */
export const sdkV1Client: Subject = {
  async connect(fetch): Promise<Connection> {
    const told: string[] = []
    const client = new Client({ name: 'field-report', version: '1.0.0' })
    client.onerror = (error) => told.push(error.message)
    await client.connect(post(fetch))
    return {
      listTools: async () => (await client.listTools()).tools as Awaited<ReturnType<Connection['listTools']>>,
      async callTool(name, args) {
        const { content } = (await client.callTool({ name, ...(args && { arguments: args }) })) as {
          content: { text?: string }[]
        }
        return content[0]?.text ?? ''
      },
      callForResult: async (name) => (await client.callTool({ name })) as unknown as CallToolResult,
      close: () => client.close(),
      told,
      listChanges: 0,
    }
  },
}

function post(fetch: typeof globalThis.fetch): Transport {
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    async send(message) {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(message) })
      if (response.status === 200) transport.onmessage?.(await response.json())
    },
  }
  return transport
}
