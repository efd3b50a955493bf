import type { createHost } from '@x/web'

/** Connects to the server that the page's query names, calls `add`, and shows what came of it as JSON. */
export async function showCall(host: ReturnType<typeof createHost>): Promise<void> {
  const server = new URLSearchParams(location.search).get('server')!
  const outcome = await call(host, server).catch((error: unknown) => ({ error: String(error) }))
  document.querySelector('output')!.textContent = JSON.stringify(outcome)
}

async function call(host: ReturnType<typeof createHost>, server: string): Promise<Record<string, unknown>> {
  const client = await host.connect(server)
  const tools = await client.listTools()
  const { structuredContent } = await client.callTool('add', { a: 20, b: 22 })
  const { era } = client.state.server!
  await client.close()
  return { era, outputSchema: tools.find(({ name }) => name === 'add')?.outputSchema, structuredContent }
}
