import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createGatewayListener, gatewayPath } from '../../gateway/gateway-listener.js'
import type { GatewayServer } from '../../gateway/servers.js'
import { type RunningDemo, runDemo } from '../demo/running-demo.js'

export const token = 'token-of-the-tests'

export interface RunningGateway {
  /** A URL below the gateway's path. */
  url(path: string): URL
  /** The upstream `demo`. */
  demo: RunningDemo
  /** The failures that were reported. */
  report: string[]
}

/** Serves a gateway on a free loopback port until the test ends; its upstreams are a demo server and these. */
export async function runGateway(servers: Record<string, GatewayServer> = {}): Promise<RunningGateway> {
  const demo = await runDemo()
  const report: string[] = []
  const listener = createGatewayListener({
    token,
    servers: { demo: { title: 'A demo', config: { url: demo.url.href } }, ...servers },
    report: (line) => void report.push(line),
  })
  const server = createServer((request, response) => {
    // As Vite does for what is mounted at a path.
    request.url = request.url!.slice(gatewayPath.length)
    void listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: (path) => new URL(`http://127.0.0.1:${port}${gatewayPath}${path}`), demo, report }
}
