import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDemoServer, type DemoServerOptions } from '../demo/demo-server.js'

/** A server on a port of its own. */
export interface Upstream {
  /** Its MCP endpoint. */
  url: string
  close(): Promise<void>
}

/** Starts a demo server on a free loopback port. It sends no CORS headers, so that pages need a gateway to reach it. */
export async function startDemoUpstream(options: DemoServerOptions = {}): Promise<Upstream> {
  const demo = createDemoServer(options)
  const server = createServer((request, response) => void demo.handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await demo.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
