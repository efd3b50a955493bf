// What is still sent after the end was told changes nothing of it.
import { expect, test } from 'vitest'
import { arrival, methodsSent, reply } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { rejection } from '../support/rejection.js'
import { legacyTask, legacyTaskServer } from '../support/task-server.js'

failOnUnhandled()

test('a closed connection stays closed, though the cancelling of its task finds the session lost', async () => {
  let isKnown = true
  const server = legacyTaskServer({ 'tasks/get': (sent) => reply(sent, legacyTask('working')) })
  const { opening, sent } = open((request) => {
    const method = request.body?.method ?? request.method
    if (method === 'initialize') isKnown = true
    const isFree = isKnown || method === 'server/discover'
    return isFree ? server(request) : new Response('Session not found', { status: 404 })
  })
  const connection = await opening
  const states: string[] = []
  connection.listen({ state: true }, (event) => void (event.type === 'state' && states.push(event.state.status)))
  const call = rejection(connection.request('tools/call', { name: 'required' }))
  await arrival({ sent }, 'tools/call')
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  isKnown = false
  await connection.close()
  await call
  expect(methodsSent({ sent })).toContain('tasks/cancel')
  expect(connection.state.status).toBe('closed')
  expect(states).toEqual(['closed'])
})
