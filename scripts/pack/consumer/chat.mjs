// What a stranger tests: code that uses the client, here a call of a tool that asks first, and one whose reply is lost.
import { createHost } from '@x/core'
import { createTestServer } from '@x/core/testing'

/** What happened, in each era; the same in every runtime. */
export async function chat() {
  const seen = []
  for (const era of ['modern', 'legacy']) {
    const server = createTestServer({
      protocolVersions: era,
      tools: [
        {
          name: 'greet',
          async execute(_args, call) {
            const schema = { type: 'object', properties: { name: { type: 'string' } } }
            const answer = await call.elicit({ message: 'Who are you?', requestedSchema: schema })
            return `Hello, ${answer.content.name}`
          },
        },
      ],
    })
    const host = createHost({ fetch: server.fetch })
    const elicit = async () => ({ action: 'accept', content: { name: 'Ada' } })
    const client = await host.connect('https://greeter.example/mcp', { elicit })
    const { content } = await client.callTool('greet')
    server.failNext({ type: 'cut', afterBytes: 5 }, { method: 'tools/call' })
    const failed = await client.callTool('greet').catch(({ code, data }) => `${code} ${data.outcome}`)
    const changed = new Promise((resolve) => client.on('list-changed', resolve))
    await server.heard()
    server.change({ tools: [{ name: 'wave' }] })
    await changed
    const [tool] = await client.listTools()
    await host.close()
    seen.push([era, client.state.server?.era, content[0].text, failed, tool.name, server.runs('greet')])
  }
  return seen
}
