// Results of a modern server that ask for input: what is sent again, how often, and what ends it.
import { describe, expect, test } from 'vitest'
import type { ConnectOptions } from '../../../src/config.js'
import type { ElicitationResult, Methods } from '../../../src/protocol.js'
import { heldHook, openWith } from '../../support/ask.js'
import { settle } from '../../support/asking-server.js'
import { modernServer, reply, rpcError } from '../../support/mcp-server.js'
import { failOnUnhandled } from '../../support/no-unhandled.js'
import { url } from '../../support/open.js'
import { mcpRejection, rejection } from '../../support/rejection.js'
import type { Sent } from '../../support/scripted-fetch.js'

failOnUnhandled()

const confirm = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } },
}
const accepted = { action: 'accept' as const, content: { sure: true } }
const elicit = async (): Promise<ElicitationResult> => accepted
const asking = (sent: Sent, more: object) => reply(sent, { resultType: 'input_required', ...more })

/** What a call's legs carried, but `_meta`. */
const legsOf = (sent: Sent[], method = 'tools/call') =>
  sent.flatMap(({ body }) => {
    if (body?.method !== method) return []
    const { _meta, ...params } = body.params ?? {}
    return [params]
  })

/** A server that answers a call's legs by these, in turn; the last one answers all that follow. */
function legs(...answers: ((sent: Sent) => Response)[]) {
  let leg = 0
  return modernServer({ 'tools/call': (sent) => answers[Math.min(leg++, answers.length - 1)]!(sent) })
}
const done = (sent: Sent) => reply(sent, { content: [{ type: 'text', text: 'done' }] })
const asked = { name: 'ask', arguments: { a: 1 } }

describe('the same request goes out again', () => {
  const results = {
    'tools/call': { content: [] },
    'prompts/get': { messages: [] },
    'resources/read': { contents: [] },
  }
  const params: { [M in keyof typeof results]: Methods[M]['params'] } = {
    'tools/call': { name: 'a', arguments: { b: 'c' } },
    'prompts/get': { name: 'a', arguments: { b: 'c' } },
    'resources/read': { uri: 'a:b' },
  }

  test.each(Object.keys(results) as (keyof typeof results)[])('%s, with the answers and the state', async (method) => {
    const requestState = 'opaque \u0000 \ud800 "{}" 👍'
    let leg = 0
    const server = modernServer({
      [method]: (sent) =>
        leg++ === 0 ? asking(sent, { inputRequests: { it: confirm }, requestState }) : reply(sent, results[method]),
    })
    const { connection, sent, findings } = await openWith(server, { elicit })
    await connection.request(method, params[method], { meta: { 'own/key': 1 } })
    expect(legsOf(sent, method)).toEqual([
      params[method],
      { ...params[method], inputResponses: { it: accepted }, requestState },
    ])
    const requests = sent.filter(({ body }) => body?.method === method)
    expect(new Set(requests.map(({ body }) => body?.id)).size).toBe(2)
    for (const { body, headers } of requests) {
      expect(body?.params?._meta).toMatchObject({ 'own/key': 1 })
      expect(headers.get('mcp-name')).toBe('uri' in params[method] ? 'a:b' : 'a')
    }
    expect(findings).toEqual([])
  })

  test('without state when there is none, and each time with the answers of its own round only', async () => {
    const server = legs(
      (sent) => asking(sent, { inputRequests: { first: confirm }, requestState: 's1' }),
      (sent) => asking(sent, { inputRequests: { second: confirm } }),
      done,
    )
    const { call, sent } = await openWith(server, { elicit })
    await call()
    expect(legsOf(sent)).toEqual([
      asked,
      { ...asked, inputResponses: { first: accepted }, requestState: 's1' },
      { ...asked, inputResponses: { second: accepted } },
    ])
  })

  test('with the headers that its arguments are marked for', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'integer', 'x-mcp-header': 'A' } } }
    let leg = 0
    const server = modernServer({
      'tools/list': (sent) => reply(sent, { tools: [{ name: 'ask', inputSchema }], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': (sent) =>
        leg++ === 0 ? asking(sent, { requestState: '', inputRequests: { it: confirm } }) : done(sent),
    })
    const { connection, call, sent } = await openWith(server, { elicit })
    await connection.request('tools/list', {})
    await call()
    const calls = sent.filter(({ body }) => body?.method === 'tools/call')
    expect(calls.map(({ headers }) => headers.get('mcp-param-a'))).toEqual(['1', '1'])
    // An empty state is one too.
    expect(legsOf(sent)[1]).toHaveProperty('requestState', '')
  })

  test('and calls at the same time keep their answers and states to themselves', async () => {
    const server = modernServer({
      'tools/call': (sent) => {
        const { name, inputResponses, requestState } = sent.body?.params ?? {}
        if (!inputResponses)
          return asking(sent, { inputRequests: { [`${name}-key`]: confirm }, requestState: `${name}-state` })
        return reply(sent, { content: [{ type: 'text', text: JSON.stringify([inputResponses, requestState]) }] })
      },
    })
    const { connection } = await openWith(server, { elicit })
    const names = ['a', 'b', 'c']
    const results = await Promise.all(names.map((name) => connection.request('tools/call', { name })))
    for (const [at, name] of names.entries())
      expect(results[at]?.content).toEqual([
        { type: 'text', text: JSON.stringify([{ [`${name}-key`]: accepted }, `${name}-state`]) },
      ])
  })
})

describe('a round that asks nobody', () => {
  test('waits a little longer each time before it is sent again', async () => {
    const { call, sent, timers } = await openWith(
      legs(
        (sent) => asking(sent, { requestState: 'a' }),
        (sent) => asking(sent, { requestState: 'b', inputRequests: {} }),
        (sent) => asking(sent, { requestState: 'c', inputRequests: null }),
        done,
      ),
    )
    const result = call()
    for (const [leg, ms] of [1_000, 2_000, 4_000].entries()) {
      await settle()
      timers.advance(ms - 1)
      await settle()
      expect(legsOf(sent)).toHaveLength(leg + 1)
      timers.advance(1)
    }
    expect(await result).toMatchObject({ content: [{ text: 'done' }] })
    expect(legsOf(sent)).toEqual([asked, ...['a', 'b', 'c'].map((requestState) => ({ ...asked, requestState }))])
  })

  test('ends with the call’s time', async () => {
    const { call, sent, timers } = await openWith(legs((sent) => asking(sent, { requestState: 's' })))
    const result = mcpRejection(call({ timeoutMs: 10_000 }))
    for (let second = 0; second < 10; second++) {
      await settle()
      timers.advance(1_000)
    }
    expect(await result).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { tool: 'ask' } })
    expect(legsOf(sent)).toHaveLength(4)
    expect(timers.pending()).toBe(0)
  })

  test('ends when the call is aborted', async () => {
    const { call, timers } = await openWith(legs((sent) => asking(sent, { requestState: 's' })))
    const abort = new AbortController()
    const result = rejection(call({ signal: abort.signal }))
    await settle()
    abort.abort('enough')
    expect(await result).toBe('enough')
    expect(timers.pending()).toBe(0)
  })
})

describe('the replay rules are each leg’s own', () => {
  test('a leg that is refused for now is waited out; a leg whose reply is lost is not sent again', async () => {
    const server = legs(
      (sent) => asking(sent, { inputRequests: { it: confirm }, requestState: 's' }),
      () => new Response('busy', { status: 429, headers: { 'retry-after': '2' } }),
      (sent) => asking(sent, { inputRequests: { it: confirm }, requestState: 't' }),
      () => new Response('', { headers: { 'content-type': 'text/event-stream' } }),
    )
    const { call, sent, timers } = await openWith(server, { elicit })
    const result = mcpRejection(call())
    await settle()
    timers.advance(2_000)
    expect(await result).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { tool: 'ask', outcome: 'unknown' } })
    expect(legsOf(sent).map(({ requestState }) => requestState)).toEqual([undefined, 's', 's', 't'])
  })

  test('an error of a leg is the call’s', async () => {
    const server = legs(
      (sent) => asking(sent, { inputRequests: { it: confirm } }),
      (sent) => rpcError(sent, -32602, 'bad state'),
    )
    const { call, sent } = await openWith(server, { elicit })
    expect(await mcpRejection(call())).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32602, tool: 'ask' },
    })
    expect(legsOf(sent)).toHaveLength(2)
  })
})

describe('what there is no hook for', () => {
  const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }

  test.each([
    ['sampling/createMessage', 'sample'],
    ['roots/list', 'roots'],
  ])('%s ends the call with an error that says so, and nobody is asked the rest', async (method, hook) => {
    const held = heldHook<unknown, ElicitationResult>()
    const server = legs((sent) => asking(sent, { inputRequests: { a: confirm, b: { method, params: {} } } }))
    const { call, connection, sent } = await openWith(server, { elicit: held.hook })
    const error = await mcpRejection(call())
    expect(error).toMatchObject({
      code: 'ERR_MCP_INPUT_REQUIRED',
      data: { server: url, method: 'tools/call', tool: 'ask', outcome: 'not-run', reason: hook },
    })
    expect(error.message).toMatch(new RegExp(`^"ask" asks for input \\(${method}\\), and there is no hook "${hook}"`))
    expect(held.asked).toEqual([])
    expect(legsOf(sent)).toHaveLength(1)
    expect(connection.state.status).toBe('ready')
  })

  test('a hook that throws ends it too, with what it threw as the cause, and the other dialogues with it', async () => {
    const held = heldHook<unknown, ElicitationResult>()
    const hooks: ConnectOptions = {
      elicit: held.hook,
      sample: async () => {
        await held.called
        throw new Error('no model')
      },
    }
    const server = modernServer({
      'resources/read': (sent) => asking(sent, { inputRequests: { a: confirm, b: sampling } }),
      'prompts/list': () => new Promise(() => {}),
    })
    const { connection, findings, sent, timers } = await openWith(server, hooks)
    const error = await mcpRejection(connection.request('resources/read', { uri: 'a:b' }))
    expect(error).toMatchObject({ code: 'ERR_MCP_INPUT_REQUIRED', cause: { message: 'no model' } })
    expect(findings).toMatchObject([{ code: 'hook-failed', message: 'The hook "sample" threw: no model' }])
    const other = mcpRejection(connection.request('prompts/list', {}, { timeoutMs: 1_000 }))
    await settle()
    timers.advance(1_000)
    expect(await other).toMatchObject({ code: 'ERR_MCP_TIMEOUT' })
    held.answer(accepted)
    await settle()
    expect(legsOf(sent, 'resources/read')).toHaveLength(1)
  })
})

describe('a server that goes too far', () => {
  test('asks without end: after ten rounds that is no answer any more', async () => {
    let hooks = 0
    const { call, sent } = await openWith(
      legs((sent) => asking(sent, { inputRequests: { it: confirm } })),
      {
        async elicit() {
          hooks++
          return accepted
        },
      },
    )
    expect(await mcpRejection(call())).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason: 'rounds', limit: 10, tool: 'ask', outcome: 'not-run' },
    })
    expect(hooks).toBe(10)
    expect(legsOf(sent)).toHaveLength(11)
  })

  test.each<[string, object, object]>([
    [
      'asks 1,000 questions at once',
      { inputRequests: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [at, confirm])) },
      { reason: 'too-much-input', limit: 100 },
    ],
    [
      'sends ten megabytes of state',
      { requestState: 's'.repeat(10_000_000) },
      { reason: 'too-much-input', limit: 1_048_576 },
    ],
    ['asks nothing', {}, { reason: 'shape' }],
    ['asks nothing, in an object', { inputRequests: {} }, { reason: 'shape' }],
    ['sends state that is no text', { requestState: { a: 1 } }, { reason: 'shape' }],
    ['asks in a list', { inputRequests: [confirm] }, { reason: 'shape' }],
    ['asks by another method', { inputRequests: { a: { method: 'tools/call' } } }, { reason: 'shape' }],
    ['asks by a method of objects', { inputRequests: { a: { method: 'toString' } } }, { reason: 'shape' }],
    ['asks by no method', { inputRequests: { a: null } }, { reason: 'shape' }],
  ])('%s: nobody is asked, and the error says so', async (_what, result, data) => {
    const held = heldHook<unknown, ElicitationResult>()
    const { call, sent } = await openWith(
      legs((sent) => asking(sent, result)),
      { elicit: held.hook },
    )
    const error = await mcpRejection(call())
    expect(error).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { ...data, tool: 'ask', outcome: 'not-run' },
    })
    expect(error.message.length).toBeLessThan(200)
    expect(held.asked).toEqual([])
    expect(legsOf(sent)).toHaveLength(1)
  })

  test('names its questions like members of every object', async () => {
    const inputRequests = JSON.parse(
      `{"__proto__":${JSON.stringify(confirm)},"constructor":${JSON.stringify(confirm)}}`,
    )
    const { call, sent } = await openWith(
      legs((sent) => asking(sent, { inputRequests }), done),
      { elicit },
    )
    await call()
    const { inputResponses } = legsOf(sent)[1] as { inputResponses: object }
    expect(Object.keys(inputResponses)).toEqual(['__proto__', 'constructor'])
  })
})
