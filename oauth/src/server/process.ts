// The server's process: an authorization server and an MCP server that is protected by it. Tells its parent where they are.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startScriptedServer } from '@x/testkit'
import type { JSONWebKeySet } from 'jose'
import type { Provider } from 'oidc-provider'
import type { OauthServerOptions } from '../start-server.js'
import { createAuthorizationServer } from './authorization-server.js'
import { moveClock } from './clock.js'
import { type Control, type ControlChange, createRecorder } from './control.js'
import { createProtectedServer } from './protected-server.js'
import { formsPath, serveForms } from './sign-in-pages.js'

const { dpop = false, jwt = false, clients = [] } = JSON.parse(process.argv[2] ?? '{}') as OauthServerOptions
const recorder = createRecorder()

let answerMcp = async (_request: Request) => new Response(null, { status: 503 })
const mcp = await startScriptedServer((request) => {
  recorder.urls.push(request.url)
  return answerMcp(request)
})
const resource = `${mcp.url}/mcp`

// The issuer is known once there is a port.
let provider: Provider
let answerProvider: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error)
    response.destroy()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
provider = createAuthorizationServer({ issuer, resource, dpop, jwt, clients, recorder })
answerProvider = provider.callback()
const keys = async () => (await (await fetch(`${issuer}/jwks`)).json()) as JSONWebKeySet
answerMcp = createProtectedServer({ provider, issuer, resource, dpop, keys, recorder })

process.send?.({ issuer, resource })
// The runner died: nobody would end this process any more.
process.on('disconnect', () => process.exit())

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/control') return serveControl(request, response)
  recorder.urls.push(issuer + request.url)
  if (request.url?.startsWith(formsPath)) return serveForms({ provider, note: recorder.note }, request, response)
  answerProvider(request, response)
}

async function serveControl(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    const change = JSON.parse(await text(request)) as ControlChange
    Object.assign(recorder.settings, change.settings)
    moveClock(change.clockAheadSeconds ?? 0)
  }
  const { settings, log, secrets, urls } = recorder
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ settings, log, secrets, urls } satisfies Control))
}
