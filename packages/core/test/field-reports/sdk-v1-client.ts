import { Client, StreamableHTTPClientTransport } from '@x/testkit/sdk-v1'
import { type Connection, type Subject, url } from './subject.js'

/** The client of the SDK's first major version, which many still use, over its own transport. */
export const sdkV1Client: Subject = {
  async connect(fetch): Promise<Connection> {
    const told: string[] = []
    const client = new Client({ name: 'field-report', version: '1.0.0' })
    client.onerror = (error) => told.push(error.message)
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }))
    return {
      listTools: async () => (await client.listTools()).tools as Awaited<ReturnType<Connection['listTools']>>,
      async callTool(name, args) {
        const { content } = (await client.callTool({ name, ...(args && { arguments: args }) })) as {
          content: { text?: string }[]
        }
        return content[0]?.text ?? ''
      },
      close: () => client.close(),
      told,
      listChanges: 0,
    }
  },
}
