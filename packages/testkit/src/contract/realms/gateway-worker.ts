// A Worker with a gateway below each path `/<port>/<era>`, in front of that endpoint of the contract's server that listens
// on that port of this machine: each case has a server of its own, and to start a Worker for each would take long.
import './report-faults.js'
import { createGateway } from '@x/edge'
import { Hono } from 'hono'
import { callerHeader, credentials, gatewayResponseBytes, realmHeader, serverName } from '../fixtures.js'
import { describeHead } from '../request-head.js'

interface Env {
  port: string
  era: string
  /** The head of the request, as it is told to the server. */
  caller: string
}

const gateway = createGateway<Env>(({ port, era, caller }) => ({
  publicUrl: 'https://gateway.example',
  servers: {
    [serverName]: {
      url: `http://127.0.0.1:${port}/${era}/mcp`,
      auth: { type: 'api-key', header: credentials.apiKeyHeader, value: credentials.apiKey },
      headers: { [realmHeader]: navigator.userAgent, [callerHeader]: caller },
      maxResponseBytes: gatewayResponseBytes,
    },
  },
  authenticate(request) {
    const { credential } = describeHead(request)
    return credential === 'bearer' || credential === 'api-key' ? { id: credential } : undefined
  },
  origins: [],
  secret: 'a secret of the contract, long enough to sign',
  limits: { maxRequestBytes: 16 * 1024 * 1024, settleMs: 60_000 },
  onEvent(event) {
    // What an upstream or a caller does wrong is part of the cases. What the gateway does wrong is not.
    if (event.type === 'failed' && event.in === 'gateway') console.error(event.error)
  },
}))

const app = new Hono<{ Bindings: Env }>().route('/:port/:era', gateway)

interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void
}

export default {
  fetch(request: Request, _env: unknown, context: ExecutionContext) {
    const [, port = '', era = ''] = new URL(request.url).pathname.split('/')
    return app.fetch(request, { port, era, caller: JSON.stringify(describeHead(request)) }, context as never)
  },
}
