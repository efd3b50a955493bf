import { Miniflare } from 'miniflare'
import { startToolServer, type ToolServer } from './tool-server.js'

/** A Worker whose upstreams are `weather.example` and `notes.example`: names that are nobody's, served by our own. */
export interface WorkerWithServers {
  url: string
  /** `Authorization` of every request to `notes.example`. */
  credentials: (string | null)[]
  stop(): Promise<void>
}

export async function runWithServers(script: string, bindings: Record<string, string>): Promise<WorkerWithServers> {
  const servers: Record<string, ToolServer> = {
    'weather.example': await startServer('forecast', 'sun'),
    'notes.example': await startServer('read', 'milk'),
  }
  const credentials: (string | null)[] = []
  const worker = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-04-20',
    compatibilityFlags: ['enable_request_signal'],
    bindings,
    cf: false,
    outboundService: async (request: Request) => {
      const { hostname } = new URL(request.url)
      if (hostname === 'notes.example') credentials.push(request.headers.get('authorization'))
      const { method, headers } = request
      const answer = await fetch(servers[hostname]!.url, { method, headers: [...headers], body: await request.text() })
      return new Response(answer.body, answer) as never
    },
  })
  return {
    url: String(await worker.ready).replace(/\/$/, ''),
    credentials,
    async stop() {
      await worker.dispose()
      await Promise.all(Object.values(servers).map((server) => server.close()))
    },
  }
}

function startServer(name: string, text: string): Promise<ToolServer> {
  return startToolServer([{ name, inputSchema: { type: 'object' } }], () => ({ content: [{ type: 'text', text }] }))
}
