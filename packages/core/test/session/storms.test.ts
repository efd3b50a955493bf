// A server that loses its links as fast as it hands them out is not asked for them without a pause.
import { expect, test } from 'vitest'
import { settle } from '../support/asking-server.js'
import { reply, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { rejection } from '../support/rejection.js'
import { sessionServer } from '../support/session-server.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

const never = () => new Promise<Response>(() => {})
/** Past this a test would go on for ever. */
const tooMany = 50

test('one process has the session, the other refuses to subscribe by it: renewed ever more slowly', async () => {
  const server = sessionServer(
    {
      'logging/setLevel': (sent) => reply(sent, {}),
      'resources/subscribe': () => new Response('Session not found', { status: 404 }),
    },
    undefined,
    { tools: {}, logging: {}, resources: { subscribe: true } },
  )
  const { opening, timers } = open((sent) => (server.sessions > tooMany ? never() : server.answer(sent)))
  const connection = await opening
  connection.listen({ log: 'info', resources: ['note://1'] }, () => {})
  for (let turn = 0; turn < 10; turn++) await settle()
  expect(server.sessions).toBe(2)
  timers.advance(1_250)
  await settle()
  expect(server.sessions).toBe(3)
  timers.advance(1_250)
  await settle()
  expect(server.sessions).toBe(3)
  await connection.close()
})

test('an event stream that ends after each answer is opened ever more slowly', async () => {
  let handshakes = 0
  const server = sseServer(
    sseReplies({
      initialize(sent) {
        handshakes++
        const result = { protocolVersion: '2024-11-05', capabilities: { logging: {} }, serverInfo }
        return { jsonrpc: '2.0', id: sent.body?.id, result }
      },
      'logging/setLevel'(sent) {
        server.push(`data: ${JSON.stringify({ jsonrpc: '2.0', id: sent.body?.id, result: {} })}\n\n`)
        server.end()
        return new Response(null, { status: 202 })
      },
    }),
  )
  const { opening } = open((sent) => (handshakes > tooMany ? never() : server.answer(sent)), {
    config: { transport: 'sse' },
  })
  const connection = await opening
  connection.listen({ log: 'info' }, () => {})
  for (let turn = 0; turn < 10; turn++) await settle()
  expect(handshakes).toBe(2)
  await connection.close()
})

test('a tool that always answers by a bare error does not keep the others from being called', async () => {
  const server = sessionServer({
    'tools/call': (sent) =>
      sent.body?.params?.name === 'broken'
        ? Response.json({ jsonrpc: '2.0', id: sent.body?.id, error: 'it broke' })
        : reply(sent, { content: [] }),
  })
  const { opening } = open(server.answer)
  const connection = await opening
  for (let count = 0; count < 4; count++) await rejection(connection.request('tools/call', { name: 'broken' }))
  expect(await connection.request('tools/call', { name: 'sound' })).toMatchObject({ content: [] })
  await connection.close()
})
