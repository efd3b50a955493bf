import type { createHost } from '@x/web'

/** Connects to the server that the page's query names, calls `add` rightly and wrongly, and shows what came of it as JSON. */
export async function showCall(host: ReturnType<typeof createHost>): Promise<void> {
  const server = new URLSearchParams(location.search).get('server')!
  const outcome = await call(host, server).catch((error: unknown) => ({ error: String(error) }))
  document.querySelector('output')!.textContent = JSON.stringify(outcome)
}

async function call(host: ReturnType<typeof createHost>, server: string): Promise<Record<string, unknown>> {
  const client = await host.connect(server)
  const tools = await client.listTools()
  const { structuredContent, findings } = await client.callTool('add', { a: 20, b: 22 })
  // The sum of what is no number is none, and not what the tool promises.
  const wrong = await client.callTool('add', { a: 'twenty', b: 22 })
  const { era } = client.state.server!
  await client.close()
  const outputSchema = tools.find(({ name }) => name === 'add')?.outputSchema
  return { era, outputSchema, structuredContent, findings, wrong: wrong.findings }
}
