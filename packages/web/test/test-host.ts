import { createTestServer, type TestTool } from '@x/core/testing'
import { createHost } from '../src/host.js'
import { createMcpFetch } from './mcp-fetch.js'
import { servePorts } from './served-port.js'

export const url = 'https://server.test/mcp'

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
export const echo = ({ params }: { params: { arguments?: object } }) => text(JSON.stringify(params.arguments ?? {}))

/** A host over a port to core in this thread, with a server behind an injected fetch. */
export function createTestHost(tools: Parameters<typeof createMcpFetch>[0] = {}) {
  const server = createMcpFetch(tools)
  const ports = servePorts(server.fetch)
  return { host: createHost({ worker: ports.worker }), server, ports }
}

/** The same with a server that speaks MCP by itself. */
export function hostOfTools(...tools: TestTool[]) {
  const server = createTestServer({ tools })
  const ports = servePorts(server.fetch)
  return { host: createHost({ worker: ports.worker }), server, ports }
}
