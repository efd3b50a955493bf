import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import type { Json, JsonObject } from '../../src/protocol.js'
import { settle } from '../support/listen-server.js'
import { legacyServer, methodsSent, modernServer, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'
import { sessionServer } from '../support/session-server.js'

failOnUnhandled()

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more })

async function connect(answer: Parameters<typeof open>[0], more: Parameters<typeof open>[1] = {}) {
  const parts = open(answer, more)
  const client = createClient(await parts.opening)
  const asked = (method = 'tools/list') => methodsSent(parts).filter((sent) => sent === method).length
  return { client, asked, sent: parts.sent, timers: parts.timers }
}

/** Answers a list by hand. */
function byHand() {
  const waiting: { sent: Sent; answer(result: object): void }[] = []
  const respond = (sent: Sent) =>
    new Promise<Response>((resolve) => {
      waiting.push({ sent, answer: (result) => resolve(reply(sent, result)) })
    })
  const next = async () => {
    while (waiting.length === 0) await new Promise(setImmediate)
    return waiting.shift()!
  }
  return { respond, next }
}

describe('a list of a modern server', () => {
  const pages = (ttls: Json[]) => (sent: Sent) => {
    const page = Number(sent.body?.params?.cursor ?? 0)
    const more = page + 1 < ttls.length ? { nextCursor: `${page + 1}` } : {}
    return reply(sent, { tools: [tool(`t${page}`)], ttlMs: ttls[page], cacheScope: 'private', ...more })
  }

  test.each<[ttls: Json[], freshMs: number]>([
    [[60_000], 60_000],
    [[60_000, 20_000, 90_000], 20_000],
    [[Number.MAX_SAFE_INTEGER], 86_400_000],
    [[1e300], 86_400_000],
  ])('of ttlMs %j costs nothing for %d ms', async (ttls, freshMs) => {
    const { client, asked, timers } = await connect(modernServer({ 'tools/list': pages(ttls) }))
    const list = await client.listTools()
    timers.advance(freshMs - 1)
    expect(await client.listTools()).toEqual(list)
    expect(asked()).toBe(ttls.length)
    timers.advance(1)
    await client.listTools()
    expect(asked()).toBe(2 * ttls.length)
    await client.close()
  })

  test('has each page’s time from when it came', async () => {
    const { respond, next } = byHand()
    const { client, asked, timers } = await connect(modernServer({ 'tools/list': respond }))
    const listing = client.listTools()
    ;(await next()).answer({ tools: [], ttlMs: 10_000, nextCursor: 'b' })
    const second = await next()
    timers.advance(4_000)
    second.answer({ tools: [], ttlMs: 10_000 })
    await listing
    timers.advance(5_999)
    await client.listTools()
    expect(asked()).toBe(2)
    timers.advance(1)
    void client.listTools().catch(() => {})
    await next()
    expect(asked()).toBe(3)
    await client.close()
  })

  test.each<[ttls: Json[]]>([[[0]], [[-5]], [['60000']], [[null]], [[60_000, 0]]])(
    'of ttlMs %j is asked for each time',
    async (ttls) => {
      const { client, asked } = await connect(modernServer({ 'tools/list': pages(ttls) }))
      await client.listTools()
      await client.listTools()
      expect(asked()).toBe(2 * ttls.length)
      await client.close()
    },
  )

  test('is not fresh by a clock that was set back', async () => {
    let setBackMs = 0
    const parts = await connect(modernServer({ 'tools/list': pages([1_000]) }), {
      runtime: { now: () => 10_000 - setBackMs },
    })
    await parts.client.listTools()
    setBackMs = 5_000
    await parts.client.listTools()
    expect(parts.asked()).toBe(2)
    await parts.client.close()
  })
})

describe('a list of an earlier revision', () => {
  test.each([
    ['tools/list', (client: ReturnType<typeof createClient>, refresh: boolean) => client.listTools({ refresh })],
    ['prompts/list', (client: ReturnType<typeof createClient>, refresh: boolean) => client.listPrompts({ refresh })],
    [
      'resources/list',
      (client: ReturnType<typeof createClient>, refresh: boolean) => client.listResources({ refresh }),
    ],
    [
      'resources/templates/list',
      (client: ReturnType<typeof createClient>, refresh: boolean) => client.listResourceTemplates({ refresh }),
    ],
  ] as const)('%s is asked for once, however long ago, and anew with refresh', async (method, list) => {
    const answers = {
      'resources/list': (sent: Sent) => reply(sent, { resources: [] }),
      // What the server does not know is known too.
      'resources/templates/list': (sent: Sent) => rpcError(sent, -32601, 'no'),
    }
    const { client, asked, timers } = await connect(legacyServer(answers))
    await list(client, false)
    timers.advance(864_000_000)
    await list(client, false)
    expect(asked(method)).toBe(1)
    await list(client, true)
    expect(asked(method)).toBe(2)
    await client.close()
  })

  test('is asked for anew by a new session, and whoever listens is told where it differs', async () => {
    let tools = [tool('a')]
    const server = sessionServer({ 'tools/list': (sent) => reply(sent, { tools }) })
    const { client, asked } = await connect(server.answer)
    const changed: string[] = []
    client.on('list-changed', ({ list }) => changed.push(list))
    await client.listTools()
    await client.listPrompts()
    tools = [tool('b')]
    server.forget()
    await client.callTool('x')
    await settle()
    expect(changed).toEqual(['tools'])
    expect([asked('tools/list'), asked('prompts/list')]).toEqual([2, 2])
    expect(await client.listTools()).toEqual([tool('b')])
    expect(asked()).toBe(2)
    await client.close()
  })

  test('that nobody has read is not asked for by a new session', async () => {
    const server = sessionServer()
    const { client, asked } = await connect(server.answer)
    client.on('list-changed', () => {})
    server.forget()
    await client.callTool('x')
    await settle()
    expect([server.sessions, asked()]).toEqual([2, 0])
    await client.close()
  })
})

describe('who reads a list', () => {
  test('owns it: what is done to it reaches nobody else', async () => {
    const { client } = await connect(legacyServer({ 'tools/list': (sent) => reply(sent, { tools: [tool('a')] }) }))
    const lists = await Promise.all([client.listTools(), client.listTools()])
    for (const list of lists) {
      list[0]!.inputSchema.type = 'broken'
      list.push(list[0]!)
    }
    const known = await client.listTools()
    expect(known).toEqual([tool('a')])
    known[0]!.name = 'broken'
    expect(await client.listTools()).toEqual([tool('a')])
    await client.close()
  })

  test('at the same time shares one reading; each leaves by its own abort and deadline', async () => {
    const { respond, next } = byHand()
    const { client, asked, timers } = await connect(legacyServer({ 'tools/list': respond }))
    const abort = new AbortController()
    const aborted = rejection(client.listTools({ signal: abort.signal }))
    const late = mcpRejection(client.listTools({ timeoutMs: 50 }))
    const patient = client.listTools()
    const { answer, sent } = await next()
    abort.abort('enough')
    expect(await aborted).toBe('enough')
    timers.advance(50)
    expect(await late).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 50, method: 'tools/list' } })
    expect(sent.signal.aborted).toBe(false)
    answer({ tools: [tool('a')] })
    expect(await patient).toEqual([tool('a')])
    expect(asked()).toBe(1)
    await client.close()
    expect(timers.pending()).toBe(0)
  })

  test('and is the last to leave ends the reading; the next one begins another', async () => {
    const { respond, next } = byHand()
    const { client, asked } = await connect(modernServer({ 'tools/list': respond }))
    const aborts = [new AbortController(), new AbortController()]
    const listings = aborts.map(({ signal }) => rejection(client.listTools({ signal })))
    const first = await next()
    for (const abort of aborts) abort.abort('enough')
    await Promise.all(listings)
    expect(first.sent.signal.aborted).toBe(true)
    const listing = client.listTools()
    ;(await next()).answer({ tools: [] })
    expect(await listing).toEqual([])
    expect(asked()).toBe(2)
    await client.close()
  })

  test('shares its failure', async () => {
    const { client, asked } = await connect(legacyServer({ 'tools/list': (sent) => rpcError(sent, -32603, 'broken') }))
    const failures = await Promise.all([1, 2].map(() => mcpRejection(client.listTools())))
    for (const failure of failures)
      expect(failure).toMatchObject({ code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32603 } })
    expect(asked()).toBe(1)
    await client.close()
  })

  test('anew joins no reading of which a page has come', async () => {
    const { respond, next } = byHand()
    const { client, asked } = await connect(legacyServer({ 'tools/list': respond }))
    const listing = client.listTools()
    ;(await next()).answer({ tools: [tool('old')], nextCursor: 'b' })
    const rest = await next()
    const anew = client.listTools({ refresh: true })
    ;(await next()).answer({ tools: [tool('new')] })
    expect(await anew).toEqual([tool('new')])
    rest.answer({ tools: [] })
    expect(await listing).toEqual([tool('old')])
    // The one that began later is what is known.
    expect(await client.listTools()).toEqual([tool('new')])
    expect(asked()).toBe(3)
    await client.close()
  })

  test('with a _meta of its own reads by itself; with the configured one it does not', async () => {
    const whose = (sent: Sent) => String((sent.body!.params!._meta as JsonObject).tenant)
    const { client, asked } = await connect(
      legacyServer({ 'tools/list': (sent) => reply(sent, { tools: [tool(whose(sent))] }) }),
      { config: { meta: { tenant: 'a', nested: { x: 1 } } } },
    )
    expect(await client.listTools()).toEqual([tool('a')])
    expect(await client.listTools({ meta: { tenant: 'b' } })).toEqual([tool('b')])
    expect(await client.listTools({ meta: { nested: { x: 1 } } })).toEqual([tool('a')])
    expect(asked()).toBe(2)
    await client.close()
  })

  test('after it has changed joins no reading that began before', async () => {
    const { respond, next } = byHand()
    const toolsChanged = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`
    const call = (sent: Sent) => {
      const result = { jsonrpc: '2.0', id: sent.body!.id, result: { content: [] } }
      return new Response(`${toolsChanged}data: ${JSON.stringify(result)}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      })
    }
    const { client } = await connect(legacyServer({ 'tools/list': respond, 'tools/call': call }))
    const before = client.listTools()
    const old = await next()
    await client.callTool('x')
    const after = client.listTools()
    ;(await next()).answer({ tools: [tool('new')] })
    expect(await after).toEqual([tool('new')])
    old.answer({ tools: [tool('old')] })
    expect(await before).toEqual([tool('old')])
    expect(await client.listTools()).toEqual([tool('new')])
    await client.close()
  })

  test('hears of its progress', async () => {
    const progress = (sent: Sent) => {
      const { progressToken } = sent.body!.params!._meta as JsonObject
      const messages = [
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } },
        { jsonrpc: '2.0', id: sent.body!.id, result: { tools: [] } },
      ]
      const text = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const { client } = await connect(legacyServer({ 'tools/list': progress }))
    const heard: number[] = []
    const listen = () => client.listTools({ refresh: true, onProgress: (event) => heard.push(event.progress) })
    await Promise.all([listen(), listen()])
    expect(heard).toEqual([1, 1])
    await client.close()
  })

  test('waits out a refusal for now within its own time', async () => {
    let refusals = 1
    const busy = new Response(null, { status: 429, headers: { 'retry-after': '5' } })
    const { client, timers } = await connect(
      legacyServer({ 'tools/list': (sent) => (refusals-- > 0 ? busy : reply(sent, { tools: [tool('a')] })) }),
    )
    const listings = [client.listTools({ timeoutMs: 2_000 }), client.listTools({ timeoutMs: 9_000 })]
    const short = mcpRejection(listings[0]!)
    await settle()
    timers.advance(2_000)
    expect((await short).code).toBe('ERR_MCP_TIMEOUT')
    timers.advance(3_000)
    expect(await listings[1]).toEqual([tool('a')])
    await client.close()
  })
})
