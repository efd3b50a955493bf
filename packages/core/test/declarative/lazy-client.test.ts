import { expect, test } from 'vitest'
import { createClient, type McpClient } from '../../src/client.js'
import { createLazyClient } from '../../src/declarative/lazy-client.js'
import { ConnectError } from '../../src/errors.js'
import { createFakeServer, deferred, rejection } from '../fake-server.js'

function createLate() {
  const server = createFakeServer('late')
  const opened = deferred<McpClient>()
  const signals: AbortSignal[] = []
  const abort = new AbortController()
  const open = (signal: AbortSignal) => {
    signals.push(signal)
    return opened.promise
  }
  const client = createLazyClient('late', open, abort.signal)
  const heard: string[] = []
  client.on('state', ({ state }) => heard.push(`${state.status} ${state.error?.message ?? ''}`.trim()))
  client.on('list-changed', ({ list }) => heard.push(list))
  return {
    client,
    server,
    heard,
    abort,
    signals,
    arrive: () => opened.resolve(createClient(server.connection)),
    fail: opened.reject,
  }
}

test('what waits for a connection is sent when it is there, and who listened before hears all', async () => {
  const { client, server, heard, arrive } = createLate()
  expect(client.state).toEqual({ status: 'connecting' })
  const listing = client.listTools()
  const stop = client.on('state', () => heard.push('never'))
  stop()
  arrive()
  expect((await listing).map(({ name }) => name)).toEqual(['late'])
  expect(client.state.status).toBe('ready')
  server.emit({ type: 'list-changed', list: 'tools' })
  expect(heard).toEqual(['ready', 'tools'])
})

test('what can’t be opened is closed, and rejects what waits with the reason', async () => {
  const { client, heard, fail } = createLate()
  const listing = rejection(client.listTools())
  const reason = new ConnectError('The command ended')
  fail(reason)
  expect(await listing).toBe(reason)
  expect(heard).toEqual(['closed The command ended'])
  expect(client.state).toMatchObject({ status: 'closed', error: { code: 'ERR_MCP_CONNECT' } })
  await client.close()
  expect(client.state.error).toBeDefined()
})

test('a request need not wait for the connection', async () => {
  const { client } = createLate()
  const abort = new AbortController()
  const listing = rejection(client.listTools({ signal: abort.signal }))
  const reason = { why: 'tired' }
  abort.abort(reason)
  expect(await listing).toBe(reason)
})

test('the caller’s signal is handed down, and what comes too late is closed', async () => {
  const { client, server, abort, signals, arrive } = createLate()
  const reason = { why: 'left' }
  const listing = rejection(client.listTools())
  abort.abort(reason)
  expect(signals[0]!.reason).toBe(reason)
  arrive()
  expect(await listing).toBe(reason)
  expect(server.closings).toBe(1)
  expect(client.state.status).toBe('closed')
})
