import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createBookingServer, type Deposits } from './booking-server.js'

export interface Endpoint {
  /** Of the MCP endpoint. */
  url: string
  close(): Promise<void>
}

/**
 * Serves the booking server on loopback: MCP in both eras, and the pages that it sends people to.
 *
 * @param port - 0: any that is free.
 */
export async function startEndpoint(port: number, publicUrl: string): Promise<Endpoint> {
  const deposits: Deposits = new Map()
  const createServer = () => createBookingServer(deposits, publicUrl)
  const modern = createMcpHandler(createServer, { legacy: 'reject' })
  // Earlier revisions ask on the stream of the call, and take the answer as a request of its own: a session ties them together.
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function legacy(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? await openSession() : sessions.get(id)
    return known ? known.handleRequest(request) : new Response('Session not found', { status: 404 })
  }

  async function openSession() {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createServer().connect(transport)
    return transport
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/mcp') return (await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request)
    const deposit = pathname.replace(/^\/deposits\//, '')
    return deposits.has(deposit) ? page(request.method, deposit) : new Response('Not found', { status: 404 })
  }

  function page(method: string, deposit: string): Response {
    // Looking at a page pays nothing: some programs follow each link that they see.
    if (method === 'POST') deposits.set(deposit, 'paid')
    const body =
      deposits.get(deposit) === 'paid'
        ? '<p>Paid. You can close this page.'
        : '<form method="post"><button>Pay 20 €</button></form>'
    return new Response(`<!doctype html><meta charset="utf-8"><title>Deposit</title>${body}`, {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
  }

  return new Promise((resolve) => {
    const server = serve({ fetch: answer, hostname: '127.0.0.1', port }, (address: AddressInfo) =>
      resolve({
        url: `http://127.0.0.1:${address.port}/mcp`,
        async close() {
          await Promise.all([...sessions.values()].map((transport) => transport.close()))
          await modern.close()
          await new Promise((closed) => server.close(closed))
        },
      }),
    )
  })
}
