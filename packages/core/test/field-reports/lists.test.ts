import { expect } from 'vitest'
import type { McpClient } from '../../src/client.js'
import { capabilities, listenServer } from '../support/listen-server.js'
import { legacyServer, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { pass, until, watch } from './clock.js'
import { inBothEras, type MakeServer, type ReportCase, type SdkFails, testFieldReports } from './field-report.js'
import { connectOurs } from './our-client.js'
import type { Subject } from './subject.js'
import { event, type OpenStream, openStream, resultOf, sentOf } from './wire.js'

const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } })

/** Fourteen items in pages of eight, of any list. */
const paged = (key: string, item: (index: number) => object) => (sent: Sent) => {
  const start = sent.body?.params?.cursor === 'page 2' ? 8 : 0
  const items = Array.from({ length: start === 0 ? 8 : 6 }, (_, index) => item(start + index))
  return reply(sent, { [key]: items, ttlMs: 0, cacheScope: 'private', ...(start === 0 && { nextCursor: 'page 2' }) })
}

const lists: [
  method: string,
  key: string,
  item: (index: number) => object,
  read: (client: McpClient) => Promise<object[]>,
][] = [
  ['tools/list', 'tools', (index) => tool(`t${index}`), (client) => client.listTools()],
  ['resources/list', 'resources', (index) => ({ uri: `r:${index}`, name: 'r' }), (client) => client.listResources()],
  [
    'resources/templates/list',
    'resourceTemplates',
    (index) => ({ uriTemplate: `r:{${index}}`, name: 'r' }),
    (client) => client.listResourceTemplates(),
  ],
  ['prompts/list', 'prompts', (index) => ({ name: `p${index}` }), (client) => client.listPrompts()],
]

/** The names of a server's tools, whose page is chosen by the cursor and how many were asked for before. */
async function names(subject: Subject, server: MakeServer, page: (before: number, cursor: unknown) => object) {
  let asked = 0
  const answer = (sent: Sent) =>
    reply(sent, { ttlMs: 0, cacheScope: 'private', ...page(asked++, sent.body?.params?.cursor) })
  const { fetch } = scriptedFetch(server({ 'tools/list': answer }))
  const connection = await subject.connect(fetch)
  const listed = await watch(connection.listTools()).settled()
  return { names: listed.map(({ name }) => name), asked, told: connection.told }
}

const endless = (
  what: string,
  page: (before: number) => object,
  expected: string[],
  asked: number,
  sdkFails: SdkFails = {},
): ReportCase[] =>
  inBothEras(
    `${what}: it ends with a finding, and what was read is kept once`,
    async (subject, server) => {
      const list = await names(subject, server, page)
      expect(list.asked, 'pages asked for').toBe(asked)
      expect(list.names, 'the tools').toEqual(expected)
      expect(
        list.told.some((told) => told.startsWith('list-ended')),
        'a finding',
      ).toBe(true)
    },
    sdkFails,
  )

const last = (what: string, nextCursor: unknown, sdkFails: SdkFails = {}): ReportCase[] =>
  inBothEras(
    `${what} is the end`,
    async (subject, server) => {
      const list = await names(subject, server, (before) => ({ tools: [tool(`t${before}`)], nextCursor }))
      expect([list.names, list.asked], 'the tools, and pages asked for').toEqual([['t0'], 1])
      if (typeof nextCursor === 'number') expect(list.told.join(), 'a finding').toMatch(/list-ended/)
    },
    sdkFails,
  )

interface Storm {
  /** Says "the tools have changed" so many times, in one go. */
  tell(times: number): void
}

/** A server that speaks on a stream of its own, and what a tool set does that follows it: it reads when it is told. */
const storms = (
  name: string,
  run: (parts: {
    subject: Subject
    storm: Storm
    fetch: typeof fetch
    lists: () => number
    answer: (next: (sent: Sent) => Response | Promise<Response>) => void
  }) => Promise<void>,
): ReportCase[] =>
  (['modern', 'legacy'] as const).map((era) => ({
    name: `${era}: ${name}`,
    async run(subject) {
      let next = (sent: Sent): Response | Promise<Response> =>
        reply(sent, { tools: [tool('a')], ttlMs: 0, cacheScope: 'private' })
      const own = { 'tools/list': (sent: Sent) => next(sent) }
      let stream: OpenStream | undefined
      const changed = event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      const modern = listenServer(own)
      const legacy = legacyServer({
        initialize: (sent) => reply(sent, { protocolVersion: '2025-11-25', capabilities, serverInfo }),
        GET() {
          stream = openStream()
          return stream.response
        },
        ...own,
      })
      const { fetch, sent } = scriptedFetch(era === 'modern' ? modern.answer : legacy)
      const tell = (times: number) => {
        for (let count = 0; count < times; count++) {
          if (era === 'modern') modern.streams.at(-1)!.tell('tools/list_changed')
          else stream!.push(changed)
        }
      }
      const listening = () => (era === 'modern' ? modern.streams.length > 0 : stream !== undefined)
      const connect: Subject = {
        async connect(...args) {
          const connection = await subject.connect(...args)
          await until('the client listens', listening)
          await pass(0)
          return connection
        },
      }
      await run({
        subject: connect,
        storm: { tell },
        fetch,
        lists: () => sentOf(sent, 'tools/list').length,
        answer(given) {
          next = given
        },
      })
    },
  }))

testFieldReports([
  {
    id: 'LS-92',
    title: 'Only the first page',
    cases: [
      ...inBothEras('fourteen tools in pages of eight are fourteen tools', async (subject, server) => {
        const { fetch } = scriptedFetch(server({ 'tools/list': paged('tools', (index) => tool(`t${index}`)) }))
        const connection = await subject.connect(fetch)
        expect(await watch(connection.listTools()).settled()).toHaveLength(14)
      }),
      ...lists.flatMap(([method, key, item, read]) =>
        inBothEras(`${method} is read to its end, and not mixed up with one of its pages`, async (_subject, server) => {
          const client = await connectOurs(scriptedFetch(server({ [method]: paged(key, item) })).fetch)
          expect(await watch(read(client)).settled()).toHaveLength(14)
          const page = await watch(client.request(method as 'tools/list', { cursor: 'page 2' })).settled()
          expect((page as unknown as Record<string, object[]>)[key]).toHaveLength(6)
          expect(await watch(read(client)).settled()).toHaveLength(14)
          await client.close()
        }),
      ),
    ],
  },
  {
    id: 'LS-93',
    title: 'A list without an end',
    cases: [
      ...endless('the same cursor always', () => ({ tools: [tool('a'), tool('b')], nextCursor: 'x' }), ['a', 'b'], 2),
      ...endless(
        'two cursors in turn',
        (before) => ({ tools: [tool(`t${before % 2}`)], nextCursor: before % 2 ? 'y' : 'x' }),
        ['t0', 't1'],
        3,
        /listMaxPages/,
      ),
      ...endless(
        'a new cursor for ever',
        (before) => ({ tools: [tool('a')], nextCursor: `${before}` }),
        ['a'],
        1_000,
        /listMaxPages/,
      ),
      ...endless(
        'empty pages for ever',
        (before) => ({ tools: [], nextCursor: `${before}` }),
        [],
        1_000,
        /listMaxPages/,
      ),
    ],
  },
  {
    id: 'LS-94',
    title: 'A cursor that is empty or null',
    cases: [
      ...last('null', null, /Invalid result/),
      ...last('""', '', /listMaxPages/),
      ...last('absent', undefined),
      ...last('0', 0, /Invalid result/),
    ],
  },
  {
    id: 'LS-106',
    title: 'A storm of changes',
    cases: [
      ...storms('two hundred in 50 ms cost two readings, a second apart', async ({ subject, storm, fetch, lists }) => {
        const connection = await subject.connect(fetch, { listens: true })
        for (let step = 0; step < 10; step++) {
          storm.tell(20)
          await pass(5)
        }
        expect(lists(), 'readings at first').toBe(1)
        await pass(600_000)
        expect(lists(), 'readings in all').toBe(2)
        expect(connection.listChanges, 'what the app was told').toBe(2)
      }),
      ...storms('one during a reading is not missed', async ({ subject, storm, fetch, lists, answer }) => {
        const connection = await subject.connect(fetch, { listens: true })
        let finish = () => {}
        answer(
          (sent) =>
            new Promise((resolve) => {
              finish = () => resolve(reply(sent, { tools: [tool('old')], ttlMs: 0, cacheScope: 'private' }))
            }),
        )
        storm.tell(1)
        await until('the list is asked for', () => lists() === 1)
        storm.tell(1)
        await pass(0)
        answer((sent) => reply(sent, { tools: [tool('new')], ttlMs: 0, cacheScope: 'private' }))
        finish()
        await pass(1_000)
        expect(lists(), 'readings').toBe(2)
        expect((await watch(connection.listTools()).settled()).map(({ name }) => name)).toEqual(['new'])
      }),
      ...storms('one in the very answer to each reading brings no endless reading', async (parts) => {
        const { subject, storm, fetch, lists, answer } = parts
        await subject.connect(fetch, { listens: true })
        answer((sent) => {
          const { content: _, ...result } = resultOf(sent, '').result
          const page = { ...result, tools: [tool('a')], ttlMs: 0, cacheScope: 'private' }
          const changed = event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
          return new Response(changed + event({ jsonrpc: '2.0', id: sent.body?.id, result: page }), {
            headers: { 'content-type': 'text/event-stream' },
          })
        })
        storm.tell(1)
        await pass(600_000)
        expect(lists(), 'readings in ten minutes').toBeLessThan(20)
        expect(lists(), 'readings in ten minutes').toBeGreaterThan(2)
      }),
      ...storms('a reading that fails leaves the old list, and is told', async (parts) => {
        const { subject, storm, fetch, answer } = parts
        const connection = await subject.connect(fetch, { listens: true })
        answer((sent) => reply(sent, { tools: [tool('old')], ttlMs: 60_000, cacheScope: 'private' }))
        await watch(connection.listTools()).settled()
        answer((sent) => rpcError(sent, -32603, 'broken'))
        storm.tell(1)
        await pass(0)
        expect(connection.told.join(), 'a finding').toMatch(/list-refresh-failed.*broken/)
        expect((await watch(connection.listTools()).settled()).map(({ name }) => name)).toEqual(['old'])
      }),
      {
        name: 'legacy: one of a list that the server does not have is passed over',
        async run(subject) {
          let stream: OpenStream | undefined
          const { fetch, sent } = scriptedFetch(
            legacyServer({
              initialize: (request) =>
                reply(request, { protocolVersion: '2025-11-25', capabilities: { prompts: {} }, serverInfo }),
              GET() {
                stream = openStream()
                return stream.response
              },
            }),
          )
          const connection = await subject.connect(fetch, { listens: true })
          await until('the client listens', () => stream !== undefined)
          stream!.push(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }))
          await pass(10_000)
          expect([connection.listChanges, sentOf(sent, 'tools/list').length]).toEqual([0, 0])
        },
      },
    ],
  },
])
