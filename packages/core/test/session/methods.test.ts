import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { RequestOptions } from '../../src/connection.js'
import type { Finding, JsonObject, Progress } from '../../src/protocol.js'
import { createDialogues } from '../../src/session/dialogues/dialogues.js'
import { createLists } from '../../src/session/lists.js'
import { createRequests, type RequestsOptions } from '../../src/session/methods.js'
import { createToolMemory } from '../../src/session/tool-memory.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

type Send = RequestsOptions['send']
type SendOptions = Parameters<Send>[2]

/** The port's requests over a wire that is a function. */
function connection(send: Send, more: Partial<RequestsOptions> = {}) {
  const timers = createTimers()
  const findings: Finding[] = []
  const sent: { method: string; params: object; options: SendOptions }[] = []
  const shared = {
    setTimer: timers.setTimer,
    now: timers.now,
    closing: new AbortController().signal,
    toolMemory: createToolMemory('modern'),
    send(method: string, params: object, options: SendOptions) {
      sent.push({ method, params, options })
      return send(method, params, options)
    },
  }
  const lists = createLists({
    ...shared,
    era: () => 'modern',
    heard: () => 0,
    meta: {},
    report: (finding) => findings.push(finding),
  })
  const { request } = createRequests({
    ...shared,
    server: 'here',
    isOpen: () => true,
    callTimeoutMs: 300_000,
    trusted: false,
    capabilities: () => ({}),
    tasks: { optional: false, run: ({ params, options }, send) => send(params, options) },
    report: (finding) => findings.push(finding),
    dialogues: createDialogues({ server: 'here', hooks: {}, stopwatch: { uncounted: (run) => run() }, report() {} }),
    lists,
    subscriptions: { subscribe: async () => {}, unsubscribe: () => {} },
    ...more,
  })
  const call = (options?: RequestOptions) => request('tools/call', { name: 'pay' }, options)
  return { request, call, timers, findings, sent }
}

const ok = async (): Promise<JsonObject> => ({ content: [] })
/** Like the engine: rejects when the signal fires, with an error of its own. */
const hang: Send = (_method, _params, { signal }) =>
  new Promise((_resolve, reject) => {
    const cancel = () => reject(new Error(`engine: ${signal.reason}`))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel)
  })
const rpcError = (code: number) => () => Promise.reject(Object.assign(new Error('no'), { name: 'ProtocolError', code }))

describe('time', () => {
  test('is callTimeoutMs, unless the call says otherwise', async () => {
    const { call, timers } = connection(ok)
    await call()
    await call({ timeoutMs: 5 })
    await call({ timeoutMs: null })
    expect(timers.asked).toEqual([300_000, 5])
  })

  test('may be without limit by configuration', async () => {
    const { call, timers } = connection(ok, { callTimeoutMs: null })
    await call()
    expect(timers.asked).toEqual([])
  })

  test('that is up is a TimeoutError with all that is known, and the wire is told', async () => {
    const { call, timers, sent } = connection(hang)
    const calling = mcpRejection(call({ timeoutMs: 50 }))
    timers.advance(50)
    const error = await calling
    expect(error).toMatchObject({
      code: 'ERR_MCP_TIMEOUT',
      data: { limit: 50, server: 'here', method: 'tools/call', tool: 'pay', outcome: 'unknown' },
    })
    expect(error.message).toContain('Calling "pay" on here')
    expect(sent[0]!.options.signal.aborted).toBe(true)
  })

  test('of a list counts for all its pages', async () => {
    const { request, timers } = connection(async (method, params, options) => {
      timers.advance(400)
      if (options.signal.aborted) return hang(method, params, options)
      return { tools: [], nextCursor: `${timers.asked.length}-${sentPages++}` }
    })
    let sentPages = 0
    const send = request('tools/list', {}, { timeoutMs: 1_000 })
    expect(await mcpRejection(send)).toMatchObject({
      code: 'ERR_MCP_TIMEOUT',
      data: { limit: 1_000, method: 'tools/list' },
    })
    expect(sentPages).toBe(2)
  })

  test('without progress ends a call; each progress begins it anew', async () => {
    let progress = (_progress: Progress) => {}
    const seen: Progress[] = []
    const { call, timers, sent } = connection((method, params, options) => {
      progress = options.onProgress!
      return hang(method, params, options)
    })
    const calling = mcpRejection(call({ idleTimeoutMs: 100, onProgress: (event) => seen.push(event) }))
    for (let step = 1; step <= 5; step++) {
      timers.advance(99)
      progress({ progress: step })
    }
    expect(sent[0]!.options.signal.aborted).toBe(false)
    timers.advance(100)
    expect(await calling).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 100 } })
    expect(seen.map((event) => event.progress)).toEqual([1, 2, 3, 4, 5])
  })

  test('without progress needs progress to be asked for, also where nobody listens to it', async () => {
    const { call, sent } = connection(ok)
    await call({ idleTimeoutMs: 100 })
    await call()
    expect(sent.map(({ options }) => typeof options.onProgress)).toEqual(['function', 'undefined'])
  })
})

describe('the caller’s abort', () => {
  test.each([[{ why: 'enough' }], [null], [undefined]])('rejects with the very reason %j', async (reason) => {
    const abort = new AbortController()
    const { call, sent } = connection(hang)
    const calling = rejection(call({ signal: abort.signal }))
    abort.abort(reason)
    expect(await calling).toBe(abort.signal.reason)
    expect(sent[0]!.options.signal.aborted).toBe(true)
  })

  test('before the start sends nothing and starts no timer', async () => {
    const reason = { why: 'early' }
    const { call, sent, timers } = connection(ok)
    expect(await rejection(call({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect([sent, timers.asked]).toEqual([[], []])
  })

  test('after the reply changes nothing', async () => {
    const abort = new AbortController()
    const { call } = connection(ok)
    const result = await call({ signal: abort.signal })
    abort.abort()
    expect(result).toMatchObject({ content: [] })
  })
})

describe('nothing is left', () => {
  const ways: [string, Send, (parts: { abort: AbortController; timers: ReturnType<typeof createTimers> }) => void][] = [
    ['a reply', ok, () => {}],
    ['an error', rpcError(-1), () => {}],
    [
      'a wire that throws',
      () => {
        throw new Error('now')
      },
      () => {},
    ],
    ['an abort', hang, ({ abort }) => abort.abort()],
    ['a deadline', hang, ({ timers }) => timers.advance(1_000)],
  ]

  test.each(ways)('after %s: no timer, no listener', async (_how, send, finish) => {
    const abort = new AbortController()
    const { call, timers } = connection(send)
    const calling = call({ signal: abort.signal, timeoutMs: 1_000, idleTimeoutMs: 500 }).catch(() => {})
    finish({ abort, timers })
    await calling
    expect(timers.pending()).toBe(0)
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })
})

describe('wrong options are refused before anything is sent', () => {
  test.each<[string, object]>([
    ...['timeoutMs', 'idleTimeoutMs'].flatMap((key): [string, object][] =>
      [0, -1, 1.5, Number.NaN, '5'].map((value) => [key, { [key]: value }]),
    ),
    ['meta', { meta: { 'io.modelcontextprotocol/protocolVersion': '1' } }],
  ])('%s: %j', async (key, options) => {
    const { call, sent } = connection(ok)
    expect(await mcpRejection(call(options))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key, server: 'here', method: 'tools/call', tool: 'pay', outcome: 'not-run' },
    })
    expect(sent).toEqual([])
  })
})

test('_meta of a call is handed on', async () => {
  const { call, sent } = connection(ok)
  await call({ meta: { 'com.example/trace': '1' } })
  expect(sent[0]!.options.meta).toEqual({ 'com.example/trace': '1' })
})

test('after the end every request is refused, and no tool ran', async () => {
  const { request, call, sent } = connection(ok, { isOpen: () => false })
  expect(await mcpRejection(call())).toMatchObject({
    code: 'ERR_MCP_DISCONNECTED',
    data: { server: 'here', method: 'tools/call', tool: 'pay', outcome: 'not-run' },
  })
  const error = await mcpRejection(request('prompts/list', {}))
  expect(error).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { method: 'prompts/list' } })
  expect(error.data).not.toHaveProperty('outcome')
  expect(sent).toEqual([])
})

describe('a list', () => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })
  const pages: Record<string, JsonObject> = {
    first: { tools: [tool('a')], nextCursor: '2' },
    2: { tools: [tool('b')], nextCursor: '', ttlMs: 5 },
  }
  const paged: Send = async (_method, params) => pages[(params as { cursor?: string }).cursor ?? 'first']!

  test('without a cursor is every page', async () => {
    const { request, sent } = connection(paged)
    expect(await request('tools/list', {})).toEqual({ tools: [tool('a'), tool('b')] })
    expect(sent.map(({ params }) => params)).toEqual([{}, { cursor: '2' }])
  })

  test('with a cursor is that page as it came', async () => {
    const { request, sent } = connection(paged)
    expect(await request('tools/list', { cursor: '2' })).toEqual({ tools: [tool('b')], nextCursor: '', ttlMs: 5 })
    expect(sent).toHaveLength(1)
  })

  test.each([
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const)('%s that the server does not know is empty; another error stays one', async (method, key) => {
    expect(await connection(rpcError(-32601)).request(method, {})).toEqual({ [key]: [] })
    expect(await mcpRejection(connection(rpcError(-32603)).request(method, {}))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32603, method },
    })
  })

  test('whose page is unknown is an error: only the whole list may be empty', async () => {
    expect(await mcpRejection(connection(rpcError(-32601)).request('tools/list', { cursor: 'x' }))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
    })
  })

  test.each([[{}], [{ tools: null }], [{ tools: { a: 1 } }]])('answered with %j has the wrong shape', async (page) => {
    const error = await mcpRejection(connection(async () => page as JsonObject).request('tools/list', {}))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'shape', method: 'tools/list' } })
  })

  test('that was ended tells of it', async () => {
    const { request, findings } = connection(async () => ({ tools: [], nextCursor: 'same' }))
    expect(await request('tools/list', {})).toEqual({ tools: [] })
    expect(findings).toMatchObject([{ code: 'list-ended' }])
  })

  test.each([
    ['tools/call', { name: 'pay' }, { content: [{ type: 'text' }] }],
    ['prompts/get', { name: 'p' }, { messages: [{ role: 'user', content: { type: 'text' } }] }],
    ['resources/read', { uri: 'a://b' }, { contents: [{}] }],
  ] as const)('what is found in a result of %s is told as an event too', async (method, params, result) => {
    const { request, findings } = connection(async () => structuredClone(result) as unknown as JsonObject)
    const answer = (await request(method, params)) as { findings: Finding[] }
    expect(findings).toMatchObject([{ code: 'malformed-content' }])
    expect(answer.findings).toEqual(findings)
  })

  test('of a result that is wrong throughout, the first 20 findings are events', async () => {
    const { call, findings } = connection(async () => ({ content: Array.from({ length: 1_000 }, () => ({})) }))
    expect((await call()).findings).toHaveLength(1_000)
    expect(findings).toHaveLength(20)
  })
})
