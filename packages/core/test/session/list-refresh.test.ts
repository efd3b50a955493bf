import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { createToolset } from '../../src/toolset/toolset.js'
import { listenServer, settle } from '../support/listen-server.js'
import { arrival, methodsSent, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

/** A modern server whose lists are stale at once, and a client that hears of their changes. */
async function connect(own: Parameters<typeof listenServer>[0] = {}, offers?: object) {
  const server = listenServer(own, { ...(offers && { offers }) })
  const parts = open(server.answer)
  const connection = await parts.opening
  const client = createClient(connection)
  const changed: string[] = []
  const findings: string[] = []
  const stop = client.on('list-changed', ({ list }) => changed.push(list))
  client.on('finding', ({ finding }) => findings.push(finding.code))
  await settle()
  const pass = async (ms: number) => {
    parts.timers.advance(ms)
    await settle()
  }
  const tell = async (kind: string) => {
    server.streams.at(-1)!.tell(`${kind}/list_changed`)
    await settle()
  }
  const asked = (method = 'tools/list') => methodsSent(parts).filter((sent) => sent === method).length
  return { client, connection, changed, findings, pass, tell, asked, stop, sent: parts.sent, timers: parts.timers }
}

test('who is told of a change finds the list read: a tool set asks for nothing more', async () => {
  let tools = [tool('old')]
  const { connection, tell, asked } = await connect({ 'tools/list': (sent) => reply(sent, { tools, ttlMs: 0 }) })
  const toolset = createToolset(async () => connection)
  await toolset.add('here', { url: 'https://server.example/mcp' })
  await settle()
  expect(asked()).toBe(1)
  tools = [tool('new')]
  await tell('tools')
  expect(toolset.tools.map(({ name }) => name)).toEqual(['here__new'])
  expect(asked()).toBe(2)
  await toolset.refresh()
  expect(asked()).toBe(3)
  await toolset.close()
})

test('a change of resources has both of their lists read that somebody knows', async () => {
  const { client, changed, tell, asked } = await connect(
    {
      'resources/list': (sent) => reply(sent, { resources: [] }),
      'resources/templates/list': (sent) => reply(sent, { resourceTemplates: [] }),
    },
    { resources: { listChanged: true } },
  )
  await tell('resources')
  expect([asked('resources/list'), asked('resources/templates/list')]).toEqual([1, 0])
  await client.listResourceTemplates()
  await tell('resources')
  expect([asked('resources/list'), asked('resources/templates/list')]).toEqual([1, 1])
  expect(changed).toEqual(['resources'])
  await client.close()
})

test('a list that nobody has read, and of which nobody wants to hear, is only forgotten', async () => {
  const toolsChanged = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`
  const call = (sent: Sent) => {
    const result = { jsonrpc: '2.0', id: sent.body!.id, result: { resultType: 'complete', content: [] } }
    return new Response(`${toolsChanged}data: ${JSON.stringify(result)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const { client, stop, asked } = await connect({
    'tools/call': call,
    'tools/list': (sent) => reply(sent, { tools: [], ttlMs: 60_000 }),
  })
  stop()
  await client.callTool('x')
  await settle()
  expect(asked()).toBe(0)
  await client.listTools()
  await client.callTool('x')
  await settle()
  expect(asked()).toBe(2)
  await client.close()
})

describe('a refresh', () => {
  test('is not begun again within a second, and one more is enough for all that came meanwhile', async () => {
    const { client, changed, tell, pass, asked, timers } = await connect()
    for (let index = 0; index < 20; index++) await tell('tools')
    expect([asked(), changed]).toEqual([1, ['tools']])
    await pass(999)
    expect(asked()).toBe(1)
    await pass(1)
    expect([asked(), changed]).toEqual([2, ['tools', 'tools']])
    await pass(600_000)
    expect(asked()).toBe(2)
    await client.close()
    expect(timers.pending()).toBe(0)
  })

  test('that a change overtakes is followed by another', async () => {
    let answer = (_tools: object[]) => {}
    const respond = (sent: Sent) =>
      new Promise<Response>((resolve) => {
        answer = (tools) => resolve(reply(sent, { tools }))
      })
    const { client, tell, pass, asked } = await connect({ 'tools/list': respond })
    await tell('tools')
    await tell('tools')
    answer([tool('old')])
    await settle()
    await pass(1_000)
    expect(asked()).toBe(2)
    answer([tool('new')])
    await settle()
    expect(await client.listTools()).toEqual([tool('new')])
    expect(asked()).toBe(2)
    await client.close()
  })

  test('that brings nothing new, time after time, is done ever more rarely', async () => {
    const { client, tell, pass, asked } = await connect()
    for (let second = 0; second < 300; second++) {
      await tell('tools')
      await pass(1_000)
    }
    expect(asked()).toBeGreaterThan(5)
    expect(asked()).toBeLessThan(14)
    await client.close()
  })

  test('that fails leaves the old list, is a finding, and is tried again', async () => {
    let answer: (sent: Sent) => Response = (sent) => reply(sent, { tools: [tool('old')], ttlMs: 3_600_000 })
    const { client, changed, findings, tell, pass, asked } = await connect({ 'tools/list': (sent) => answer(sent) })
    await client.listTools()
    answer = (sent) => rpcError(sent, -32603, 'broken')
    await tell('tools')
    expect([changed, findings]).toEqual([[], ['list-refresh-failed']])
    expect(await client.listTools()).toEqual([tool('old')])
    expect(asked()).toBe(2)
    answer = (sent) => reply(sent, { tools: [tool('new')], ttlMs: 3_600_000 })
    await pass(2_000)
    expect([changed, findings]).toEqual([['tools'], ['list-refresh-failed']])
    expect(await client.listTools()).toEqual([tool('new')])
    expect(asked()).toBe(3)
    await client.close()
  })

  test('that keeps failing is given up, and whoever reads asks the server', async () => {
    let answer: (sent: Sent) => Response = (sent) => reply(sent, { tools: [tool('old')], ttlMs: 3_600_000 })
    const { client, changed, findings, tell, pass, asked } = await connect({ 'tools/list': (sent) => answer(sent) })
    await client.listTools()
    answer = (sent) => rpcError(sent, -32603, 'broken')
    await tell('tools')
    for (let second = 0; second < 120; second++) await pass(1_000)
    expect([changed, findings.length, asked()]).toEqual([['tools'], 4, 5])
    answer = (sent) => reply(sent, { tools: [tool('new')], ttlMs: 3_600_000 })
    expect(await client.listTools()).toEqual([tool('new')])
    await client.close()
  })

  test('ends with the connection', async () => {
    const { client, tell, sent, timers, findings } = await connect({ 'tools/list': () => new Promise(() => {}) })
    await tell('tools')
    const { signal } = await arrival({ sent }, 'tools/list')
    await tell('tools')
    await client.close()
    await settle()
    expect(signal.aborted).toBe(true)
    expect([timers.pending(), findings]).toEqual([0, []])
  })

  test('is not begun for a list that the server doesn’t offer', async () => {
    const { client, changed, tell, asked } = await connect({}, { tools: { listChanged: true } })
    await tell('prompts')
    expect([changed, asked('prompts/list')]).toEqual([[], 0])
    await client.close()
  })
})
