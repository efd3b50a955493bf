// Loaded into the suite's process before the suite.
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { register } from 'node:module'
import path from 'node:path'

const [major] = process.versions.node.split('.')
if (Number(major) < 22) register('./node-20-hooks.mjs', import.meta.url)

// The suite's servers know no CORS. All of them live in this process, so this gives it to all, and answers preflights,
// which no scenario is to count as a request of the client's. Without an Origin, as in Node, nothing changes.
const { emit } = http.Server.prototype
let preflights = 0
http.Server.prototype.emit = function emitWithCors(event, ...args) {
  const [request, response] = args
  if (event !== 'request' || !request.headers.origin) return emit.call(this, event, ...args)
  response.setHeader('Access-Control-Allow-Origin', request.headers.origin)
  response.setHeader(
    'Access-Control-Expose-Headers',
    'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce',
  )
  response.setHeader('Vary', 'Origin')
  if (request.method !== 'OPTIONS') return emit.call(this, event, ...args)
  preflights += 1
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '',
  })
  response.end()
  return true
}

const folder = process.env.CONFORMANCE_FOLDER
if (folder) process.on('exit', () => writeFileSync(path.join(folder, 'preflights'), String(preflights)))
