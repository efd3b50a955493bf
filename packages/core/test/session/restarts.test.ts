// A server that restarts under a stream of calls, over real sockets.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomFrom } from '@x/testkit/random'
import { expect, test } from 'vitest'
import { McpError } from '../../src/errors.js'
import { createHost } from '../../src/index.js'
import { failOnUnhandled } from '../support/no-unhandled.js'

failOnUnhandled()

/** A legacy server with sessions in its memory. A restart cuts every connection, and is away for a moment. */
async function startServer(random: () => number) {
  const runs = new Map<string, number>()
  let sessions = new Set<string>()
  let handedOut = 0
  let server: Server
  let port = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const reply = (status: number, result?: object, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(result && JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
    }
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}
    const known = sessions
    if (body.method === 'initialize') {
      const id = `s${++handedOut}`
      known.add(id)
      const { protocolVersion } = body.params
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'restarting', version: '1' } }
      return reply(200, result, { 'mcp-session-id': id })
    }
    if (!known.has(String(request.headers['mcp-session-id'])))
      return reply(body.method === 'server/discover' ? 400 : 404)
    if (body.id === undefined) return reply(202)
    const { name } = body.params
    runs.set(name, (runs.get(name) ?? 0) + 1)
    // Some are cut before their reply, some in the middle of it.
    for (let turn = random() * 8; turn > 0; turn--) await new Promise(setImmediate)
    reply(200, { content: [{ type: 'text', text: name }] })
  }

  async function listen(): Promise<void> {
    server = createServer((request, response) => void answer(request, response).catch(() => {}))
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  async function stop(): Promise<void> {
    const stopped = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await stopped
  }

  await listen()
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    runs,
    handedOut: () => handedOut,
    stop,
    async restart() {
      sessions = new Set()
      await stop()
      for (let turn = random() * 20; turn > 0; turn--) await new Promise(setImmediate)
      await listen()
    },
  }
}

test('a hundred restarts under a stream of calls: each ends with its result or an error that is true, none runs twice', async () => {
  const restarts = 100
  const random = randomFrom(2026)
  const server = await startServer(random)
  const host = createHost()
  const client = await host.connect(server.url)
  const ended = { result: 0, 'not-run': 0, ran: 0, unknown: 0 }
  let isOver = false
  let calls = 0

  async function callOne(): Promise<void> {
    const name = `call-${++calls}`
    try {
      const { content } = await client.callTool(name, {}, { timeoutMs: 20_000 })
      expect(content).toMatchObject([{ text: name }])
      expect(server.runs.get(name)).toBe(1)
      ended.result++
    } catch (error) {
      if (!McpError.is(error)) throw error
      const { outcome, tool } = error.data
      expect(tool).toBe(name)
      expect(server.runs.get(name) ?? 0).toBeLessThanOrEqual(outcome === 'not-run' ? 0 : 1)
      ended[outcome!]++
    }
  }
  const callers = Array.from({ length: 8 }, async () => {
    while (!isOver) await callOne()
  })
  for (let restart = 0; restart < restarts; restart++) {
    const before = calls
    const wanted = 1 + Math.floor(random() * 30)
    while (calls < before + wanted) await new Promise(setImmediate)
    await server.restart()
  }
  isOver = true
  await Promise.all(callers)

  expect(ended.result).toBeGreaterThan(restarts)
  expect(Math.max(...server.runs.values())).toBe(1)
  // A session for each restart that a call has met; some restarts fall into one handshake.
  expect(server.handedOut()).toBeLessThanOrEqual(restarts + 1)
  await callOne()
  expect(client.state.status).toBe('ready')
  await host.close()
  await server.stop()
}, 60_000)
