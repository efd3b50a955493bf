import type { McpClient } from '../../src/client.js'
import type { ServerConfig } from '../../src/config.js'
import { createHost } from '../../src/index.js'
import { type Connection, type Settings, type Subject, url } from './subject.js'

/** A client of ours, by the public API. */
export function connectOurs(fetch: typeof globalThis.fetch, settings: Settings = {}): Promise<McpClient> {
  const { hooks, listens: _, headers, runtime, ...config } = settings
  // As the app of the report does it, whatever the types say.
  const given = { url, ...config, ...(headers && { headers }) } as ServerConfig
  return createHost({ fetch, ...runtime }).connect(given, hooks)
}

export const ourClient: Subject = {
  async connect(fetch, settings = {}): Promise<Connection> {
    const client = await connectOurs(fetch, settings)
    const told: string[] = []
    let listChanges = 0
    client.listen({ state: true }, (event) => {
      if (event.type === 'finding') told.push(`${event.finding.code}: ${event.finding.message}`)
      if (event.type === 'state' && (event.state.error || event.state.status !== 'closed'))
        told.push(`${event.state.status}: ${event.state.error?.message}`)
    })
    if (settings.listens) client.on('list-changed', () => listChanges++)
    return {
      listTools: () => client.listTools(),
      async callTool(name, args, options) {
        const { content } = await client.callTool(name, args, options)
        return content[0]?.type === 'text' ? content[0].text : ''
      },
      callForResult: (name) => client.callTool(name),
      close: () => client.close(),
      told,
      get listChanges() {
        return listChanges
      },
    }
  },
}
