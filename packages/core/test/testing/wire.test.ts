// What a client of ours would hide: it asks for no more than it wants, and leaves out what it did not ask for.
import { expect, test } from 'vitest'
import type { Era } from '../../src/protocol.js'
import { createTestServer, type TestServer, type TestTool } from '../../src/testing/index.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { rejection } from '../support/rejection.js'

failOnUnhandled()

const url = 'https://server.example/mcp'
const key = (name: string) => `io.modelcontextprotocol/${name}`

/** One client, by hand: it sends what it is told to. */
async function wired(server: TestServer, era: Era) {
  const headers: Record<string, string> = {}
  const meta = era === 'modern' && {
    [key('protocolVersion')]: '2026-07-28',
    [key('clientCapabilities')]: { elicitation: {} },
  }
  let id = 0

  function post(method: string, params: { [name: string]: unknown } = {}, signal?: AbortSignal): Promise<Response> {
    const { _meta, ...rest } = params
    const named = params.name ?? params.uri
    const modern = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': String(named) }),
    }
    const body = { jsonrpc: '2.0', id: ++id, method, params: { ...rest, _meta: { ...meta, ...(_meta ?? {}) } } }
    return server.fetch(url, {
      method: 'POST',
      headers: era === 'modern' ? modern : headers,
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  }

  if (era === 'legacy') {
    const response = await post('initialize', { protocolVersion: '2025-06-18', capabilities: { elicitation: {} } })
    headers['mcp-session-id'] = response.headers.get('mcp-session-id') ?? ''
  }
  /** Opens the stream for what the server says by itself. */
  const listen = (uris: string[], signal?: AbortSignal) =>
    era === 'modern'
      ? post('subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: uris } }, signal)
      : Promise.all(uris.map((uri) => post('resources/subscribe', { uri }))).then(() =>
          server.fetch(url, { headers, ...(signal && { signal }) }),
        )
  return { post, listen }
}

interface Sent {
  id?: number
  method?: string
  params?: { [name: string]: unknown }
  result?: { [name: string]: unknown }
  error?: { code: number }
}

/** The messages of a reply, whole. */
async function messages(response: Response): Promise<Sent[]> {
  const text = await response.text()
  return text.startsWith('{')
    ? [JSON.parse(text)]
    : [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
}

const eras: Era[] = ['modern', 'legacy']

test.each([
  [undefined, []],
  ['warning', ['error']],
  ['debug', ['info', 'error']],
])('log messages are sent of level %s and above', async (level, expected) => {
  const tools: TestTool[] = [
    {
      name: 'say',
      execute(_, call) {
        call.log('info', 'i')
        call.log('error', 'e')
      },
    },
  ]
  for (const era of eras) {
    const { post } = await wired(createTestServer({ tools }), era)
    // Earlier revisions say so once, and before that a server sends all.
    if (era === 'legacy' && level) await post('logging/setLevel', { level })
    const _meta = era === 'modern' && level ? { [key('logLevel')]: level } : {}
    const sent = await messages(await post('tools/call', { name: 'say', _meta }))
    const levels = sent.flatMap(({ params }) => (params ? [params.level] : []))
    expect(levels, era).toEqual(era === 'legacy' && !level ? ['info', 'error'] : expected)
  }
})

test.each(eras)('what is said goes to those who asked, until the server is closed (%s)', async (era) => {
  const server = createTestServer({ tools: [], resources: [] })
  const [first, second] = [await wired(server, era), await wired(server, era)]
  const streams = [await first.listen(['test://a']), await second.listen(['test://b'])]
  server.notify.resourceUpdated('test://a')
  server.notify.listChanged('tools')
  server.notify.listChanged('prompts')
  server.close()
  const told = await Promise.all(streams.map(messages))
  const what = told.map((sent) => sent.flatMap(({ method }) => method?.replace('notifications/', '') ?? []))
  const acknowledged = era === 'modern' ? ['subscriptions/acknowledged'] : []
  // A modern client names the lists; an earlier one hears of all.
  const lists = era === 'modern' ? ['tools/list_changed'] : ['tools/list_changed', 'prompts/list_changed']
  expect(what).toEqual([
    [...acknowledged, 'resources/updated', ...lists],
    [...acknowledged, ...lists],
  ])
  if (era === 'modern') expect(told[0]?.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
})

test.each(eras)('a stream that is left fails with the reason, and another can be opened (%s)', async (era) => {
  const server = createTestServer({ resources: [] })
  const { listen } = await wired(server, era)
  const abort = new AbortController()
  const reading = rejection((await listen(['test://a'], abort.signal)).text())
  const reason = new Error('enough')
  abort.abort(reason)
  expect(await reading).toBe(reason)
  const again = await listen(['test://a'])
  server.notify.resourceUpdated('test://a')
  server.close()
  expect((await messages(again)).some(({ method }) => method === 'notifications/resources/updated')).toBe(true)
})

test('a round is answered once', async () => {
  const requestedSchema = { type: 'object', properties: {} }
  const server = createTestServer({
    tools: [{ name: 'ask', execute: async (_, call) => (await call.elicit({ message: '?', requestedSchema })).action }],
  })
  const { post } = await wired(server, 'modern')
  const [asked] = await messages(await post('tools/call', { name: 'ask' }))
  const { inputRequests, requestState } = asked!.result as { inputRequests: object; requestState: string }
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, { action: 'decline' }]))
  const answer = { name: 'ask', inputResponses, requestState }
  expect(await messages(await post('tools/call', answer))).toMatchObject([
    { result: { content: [{ text: 'decline' }], resultType: 'complete' } },
  ])
  expect(await messages(await post('tools/call', answer))).toMatchObject([{ error: { code: -32602 } }])
})

test.each(eras)('what a tool says after its result goes nowhere (%s)', async (era) => {
  let late = () => {}
  const server = createTestServer({
    tools: [
      {
        name: 'work',
        execute(_, call) {
          late = () => call.progress({ progress: 2 })
          call.progress({ progress: 1 })
        },
      },
    ],
  })
  const { post } = await wired(server, era)
  const reply = await post('tools/call', { name: 'work', _meta: { progressToken: 'p' } })
  const reader = reply.body!.getReader()
  await reader.read()
  await reader.read()
  late()
  expect((await reader.read()).done).toBe(true)
})
