import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createGateway, type GatewayEvent, type GatewayOptions } from '@x/edge'
import { jsonRpcError } from '../demo/http.js'
import { ownOrigin } from './own-origin.js'
import type { GatewayServer } from './servers.js'

export interface GatewaySetup {
  /** What callers must send as `Authorization: Bearer …`. */
  token: string
  /** The upstreams by name: letters, digits, `-` and `_`. */
  servers: Record<string, GatewayServer>
  /** Receives a line for each failure. Default: the console. */
  report?(line: string): void
}

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

interface Exchange {
  /** The page's own, under the name by which it asked. */
  origin: string
  /** Fires when the caller leaves. */
  signal?: AbortSignal
}

/** Where the listener must be mounted. */
export const gatewayPath = '/gateway'

/**
 * The gateway as a handler for Node's HTTP server, mounted at {@link gatewayPath}: {@link createGateway}'s endpoints, and
 * `/servers`, which lists names and titles. It answers under loopback names and its own port only, pages of its own
 * origin only, and holders of the token only.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a server that the gateway does not take; no value is in the message.
 */
export function createGatewayListener({ token, servers, report = console.error }: GatewaySetup): RequestListener {
  const secret = randomBytes(32).toString('base64url')
  const expected = digest(`Bearer ${token}`)
  const holdsToken = ({ headers }: Request) => timingSafeEqual(digest(headers.get('authorization') ?? ''), expected)

  const optionsFor = ({ origin, signal }: Exchange): GatewayOptions<Exchange> => ({
    publicUrl: `${origin}${gatewayPath}`,
    origins: [origin],
    secret,
    servers: Object.fromEntries(Object.entries(servers).map(([name, { config }]) => [name, config])),
    authenticate: (request) => (holdsToken(request) ? { id: 'playground' } : undefined),
    // That a caller left, as by cancelling a call, is no failure.
    onEvent: (event) => event.type === 'failed' && !signal?.aborted && report(toLine(event)),
  })
  // The port is known when a request comes, but what is wrong with the servers must be told at the start.
  createGateway(optionsFor({ origin: 'http://127.0.0.1' }))
  const gateway = createGateway(optionsFor)

  function answer(request: Request, incoming: IncomingMessage): Response | Promise<Response> {
    const origin = ownOrigin(incoming)
    if (!origin) return refuse(403, 'The gateway answers under the playground’s own address only.')
    if (![null, origin].includes(request.headers.get('origin')))
      return refuse(403, 'The gateway serves the playground’s own page only.')
    if (request.method !== 'GET' || new URL(request.url).pathname !== '/servers')
      return gateway.fetch(request, { origin, signal: request.signal })
    if (!holdsToken(request))
      return refuse(401, 'The gateway wants the token that it was started with.', { 'WWW-Authenticate': 'Bearer' })
    const listed = Object.entries(servers).map(([name, { title }]) => ({ name, title }))
    return Response.json({ servers: listed }, { headers: { 'Cache-Control': 'no-store' } })
  }

  return getRequestListener((request, { incoming }) => answer(request, incoming as IncomingMessage), {
    // It would replace the process's `Request` and `Response`.
    overrideGlobalObjects: false,
  })
}

/** Digests have one length, so that comparing them tells nothing of the token's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const refuse = (status: number, message: string, headers?: Record<string, string>) =>
  jsonRpcError(status, -32600, message, headers)

function toLine({ in: where, server, error }: GatewayEvent & { type: 'failed' }): string {
  const { message = String(error), cause } = (error ?? {}) as { message?: string; cause?: { code?: string } }
  return `Gateway: ${server ? `the server "${server}"` : where} failed: ${message}${cause?.code ? ` (${cause.code})` : ''}`
}
