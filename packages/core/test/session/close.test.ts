import { describe, expect, test } from 'vitest'
import type { ConnectionState } from '../../src/connection.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { arrival, legacyServer, methodsSent, modernServer } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'

failOnUnhandled()

const hang = () => new Promise<never>(() => {})
const servers = [
  ['modern', modernServer],
  ['legacy', legacyServer],
] as const

describe.each(servers)('close() of a connection to a %s server', (era, server) => {
  test('rejects what is pending, each with its own method: a tool may have run, a list did not matter', async () => {
    const parts = open(server({ 'tools/call': hang, 'tools/list': hang, 'prompts/list': hang }))
    const connection = await parts.opening
    // In both orders: what one is told must not stick to the next.
    const pending = [
      mcpRejection(connection.request('prompts/list', {})),
      mcpRejection(connection.request('tools/call', { name: 'pay' })),
      mcpRejection(connection.request('tools/list', {})),
      mcpRejection(connection.request('tools/call', { name: 'ship' })),
    ]
    for (const method of ['tools/call', 'tools/list', 'prompts/list']) await arrival(parts, method)
    await connection.close()
    expect(await Promise.all(pending)).toMatchObject([
      { code: 'ERR_MCP_DISCONNECTED', data: { method: 'prompts/list' } },
      { code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { method: 'tools/call', tool: 'pay', outcome: 'unknown' } },
      { code: 'ERR_MCP_DISCONNECTED', data: { method: 'tools/list' } },
      { code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { method: 'tools/call', tool: 'ship', outcome: 'unknown' } },
    ])
    expect(parts.timers.pending()).toBe(0)
    expect(methodsSent(parts)).not.toContain('notifications/cancelled')
  })

  test('rejects a call whose reply is streaming, and lets go of the stream', async () => {
    const source = byteSource([': open\n\n'], 'stall')
    const parts = open(server({ 'tools/call': () => new Response(source.body, { headers: eventStreamType }) }))
    const connection = await parts.opening
    const pending = mcpRejection(connection.request('tools/call', { name: 'pay' }))
    while (source.pulled() === 0) await new Promise(setImmediate)
    await connection.close()
    expect(await pending).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    await source.cancelled
  })

  test('refuses every later call, and sends none', async () => {
    const parts = open(server())
    const connection = await parts.opening
    await connection.close()
    const before = parts.sent.length
    expect(await mcpRejection(connection.request('tools/call', { name: 'pay' }))).toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
      data: { tool: 'pay', outcome: 'not-run' },
    })
    expect(await mcpRejection(connection.request('tools/list', {}))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(parts.sent).toHaveLength(before)
  })

  test('is told once, keeps what is known of the server, and can be repeated, also by who hears of it', async () => {
    const parts = open(server())
    const connection = await parts.opening
    const { server: known } = connection.state
    const states: ConnectionState[] = []
    connection.listen({ state: true }, (event) => {
      if (event.type !== 'state') return
      states.push(event.state)
      void connection.close()
    })
    await Promise.all([connection.close(), connection.close()])
    await connection.close()
    expect(states).toEqual([{ status: 'closed', server: known }])
    expect(connection.state).toBe(states[0])
    expect(methodsSent(parts).filter((method) => method === 'DELETE')).toHaveLength(era === 'legacy' ? 1 : 0)
  })

  test('happens when connect’s signal fires, with its reason as the state’s error', async () => {
    const abort = new AbortController()
    const parts = open(server({ 'tools/call': hang }), { hooks: { signal: abort.signal } })
    const connection = await parts.opening
    const pending = mcpRejection(connection.request('tools/call', { name: 'pay' }))
    await arrival(parts, 'tools/call')
    abort.abort(new Error('the page is left'))
    expect(await pending).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { tool: 'pay' } })
    expect(connection.state).toMatchObject({ status: 'closed', error: { message: 'the page is left' } })
    if (era === 'legacy') await arrival(parts, 'DELETE')
  })

  test('leaves a call’s own reason to a call that was aborted before', async () => {
    const abort = new AbortController()
    const parts = open(server({ 'tools/call': hang }))
    const connection = await parts.opening
    const pending = rejection(connection.request('tools/call', { name: 'pay' }, { signal: abort.signal }))
    await arrival(parts, 'tools/call')
    abort.abort('mine')
    await connection.close()
    expect(await pending).toBe('mine')
  })
})

test('a second close() waits for the first', async () => {
  let end = (_response: Response) => {}
  const ended = () =>
    new Promise<Response>((resolve) => {
      end = resolve
    })
  const parts = open(legacyServer({ DELETE: ended }))
  const connection = await parts.opening
  const order: string[] = []
  const closing = [
    connection.close().then(() => order.push('first')),
    connection.close().then(() => order.push('second')),
  ]
  await arrival(parts, 'DELETE')
  await new Promise(setImmediate)
  expect(order).toEqual([])
  end(new Response(null, { status: 204 }))
  await Promise.all(closing)
  expect(order.toSorted()).toEqual(['first', 'second'])
})

test('a server that does not answer the session’s end holds close() up for two seconds, no more', async () => {
  const parts = open(legacyServer({ DELETE: hang, 'tools/call': hang }))
  const connection = await parts.opening
  const pending = mcpRejection(connection.request('tools/call', { name: 'pay' }))
  await arrival(parts, 'tools/call')
  const closing = connection.close()
  // What is pending does not wait for it.
  expect(await pending).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
  expect(connection.state.status).toBe('closed')
  parts.timers.advance(2_000)
  await closing
  expect(parts.timers.pending()).toBe(0)
})
