import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/protocol.js'
import { arrival, methodsSent, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'
import {
  done,
  inTurn,
  legacyTask,
  legacyTaskServer,
  modernTask,
  modernTaskServer,
  unknownTask,
} from '../support/task-server.js'

failOnUnhandled()

type Opened = ReturnType<typeof open>
type Own = Parameters<typeof legacyTaskServer>[0]
type Settings = NonNullable<Parameters<typeof open>[1]>

const eras = {
  legacy: { server: legacyTaskServer, task: legacyTask, tool: 'required' },
  modern: { server: modernTaskServer, task: modernTask, tool: 'plain' },
} as const
type EraName = keyof typeof eras
const both = Object.keys(eras) as EraName[]

const of = ({ sent }: Pick<Opened, 'sent'>, method: string) => sent.filter(({ body }) => body?.method === method)

/** Resolves when a method has been asked that often. */
async function asked(parts: Opened, method: string, times: number): Promise<Sent> {
  while (of(parts, method).length < times) await new Promise(setImmediate)
  // The answer has been read.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  return of(parts, method)[times - 1]!
}

/** Waits until the task waits for its next poll, and lets that time pass. */
async function pass(parts: Opened, ms: number, polls: number): Promise<void> {
  if (polls === 0) await asked(parts, 'tools/call', 1)
  else await asked(parts, 'tasks/get', polls)
  parts.timers.advance(ms)
}

function start(era: EraName, own: Own = {}, settings: Settings = {}) {
  return open(eras[era].server(own), settings)
}

const call = async (parts: Opened, tool: string, options: object = {}) =>
  (await parts.opening).request('tools/call', { name: tool, arguments: { a: 1 } }, options)

describe('2025-11-25', () => {
  test('a tool that must run as a task does, and its call gives the result', async () => {
    const parts = start('legacy')
    const calling = call(parts, 'required')
    await pass(parts, 1_000, 0)
    expect(await calling).toMatchObject(done)
    expect(methodsSent(parts).slice(3)).toEqual(['tools/list', 'tools/call', 'tasks/get', 'tasks/result'])
    expect(of(parts, 'tools/call')[0]!.body!.params).toMatchObject({ arguments: { a: 1 }, task: { ttl: 180_000 } })
    expect(of(parts, 'tasks/result')[0]!.body!.params).toMatchObject({ taskId: 't1' })
  })

  test.each([
    ['plain', false],
    ['never', true],
    ['optional', false],
  ])('a tool that need not does not: %s with tasks.optional %s', async (tool, optional) => {
    const parts = start('legacy', {}, { config: { tasks: { optional } } })
    expect(await call(parts, tool)).toMatchObject({ content: [{ text: 'at once' }] })
    expect(of(parts, 'tools/call')[0]!.body!.params).not.toHaveProperty('task')
  })

  test('a tool that may does where it is configured', async () => {
    const parts = start('legacy', {}, { config: { tasks: { optional: true } } })
    const calling = call(parts, 'optional')
    await pass(parts, 1_000, 0)
    expect(await calling).toMatchObject(done)
  })

  test('without the capability nothing runs as a task: who must is left out and refused, and says why', async () => {
    const own = { 'tools/call': (sent: Sent) => reply(sent, done) }
    const parts = open(legacyTaskServer(own, { tasks: { cancel: {} } }), { config: { tasks: { optional: true } } })
    const connection = await parts.opening
    const findings: unknown[] = []
    connection.listen({}, (event) => event.type === 'finding' && findings.push(event.finding))
    const { tools } = await connection.request('tools/list', {})
    expect(tools.map(({ name }) => name)).toEqual(['optional', 'never', 'plain'])
    expect(findings).toMatchObject([{ code: 'tool-left-out', message: expect.stringContaining('"required"') }])
    expect(await mcpRejection(call(parts, 'required'))).toMatchObject({
      code: 'ERR_MCP_TOOL_NAME',
      data: { tool: 'required', outcome: 'not-run', server: 'https://server.example/mcp' },
    })
    await call(parts, 'optional')
    expect(of(parts, 'tools/call')).toHaveLength(1)
    expect(of(parts, 'tools/call')[0]!.body!.params).not.toHaveProperty('task')
  })

  test('a tool is looked up once; a list that fails leaves it to the server to refuse', async () => {
    const parts = start('legacy', { 'tools/list': (sent) => rpcError(sent, -32603, 'no') })
    expect(await call(parts, 'required')).toMatchObject({ content: [{ text: 'at once' }] })
  })

  test('a server that answers at once all the same is believed', async () => {
    const parts = start('legacy', { 'tools/call': (sent) => reply(sent, done) })
    expect(await call(parts, 'required')).toMatchObject(done)
    expect(of(parts, 'tasks/get')).toEqual([])
  })

  test('a failed task gives the tool’s own failure, or the error of its call, and it ran', async () => {
    const failed = { 'tasks/get': inTurn(legacyTask('failed', { statusMessage: 'no' })) }
    const told = start('legacy', { ...failed, 'tasks/result': inTurn({ content: [], isError: true }) })
    const calling = call(told, 'required')
    await pass(told, 1_000, 0)
    expect(await calling).toMatchObject({ isError: true })
    const thrown = start('legacy', { ...failed, 'tasks/result': (sent) => rpcError(sent, -32601, 'boom') })
    const failing = mcpRejection(call(thrown, 'required'))
    await pass(thrown, 1_000, 0)
    expect(await failing).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32601, outcome: 'ran', tool: 'required', method: 'tools/call' },
    })
  })

  test('a notice of the server’s ends the waiting', async () => {
    let push = (_text: string) => {}
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        push = (text) => controller.enqueue(new TextEncoder().encode(text))
      },
    })
    const parts = start('legacy', {
      GET: () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const connection = await parts.opening
    connection.listen({ lists: true }, () => {})
    const calling = call(parts, 'required')
    await asked(parts, 'tools/call', 1)
    await arrival(parts, 'GET')
    for (const params of [{ taskId: 'other', status: 'completed' }, legacyTask('odd'), legacyTask('completed')])
      push(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tasks/status', params })}\n\n`)
    expect(await calling).toMatchObject(done)
    expect(of(parts, 'tasks/get')).toEqual([])
    await connection.close()
  })

  test('progress goes on after the reply that names the task, by the token of the call', async () => {
    let token: unknown
    const progress = (sent: Sent, progress: number) => {
      const messages = [
        { method: 'notifications/progress', params: { progressToken: token, progress, total: 4, message: 'm' } },
        { id: sent.body!.id, result: legacyTask(progress < 3 ? 'working' : 'completed') },
      ]
      const text = messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join('')
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const parts = start('legacy', {
      'tools/call': (sent) => {
        token = (sent.body!.params!._meta as { progressToken?: unknown }).progressToken
        return reply(sent, { task: legacyTask('working', { statusMessage: 'begun' }) })
      },
      'tasks/get': inTurn(
        (sent) => progress(sent, 2),
        (sent) => progress(sent, 3),
      ),
    })
    const seen: Progress[] = []
    const calling = call(parts, 'required', { onProgress: (event: Progress) => seen.push(event), idleTimeoutMs: 1_500 })
    await pass(parts, 1_000, 0)
    await pass(parts, 1_000, 1)
    expect(await calling).toMatchObject(done)
    expect(seen).toEqual([
      { progress: 0, message: 'begun' },
      { progress: 2, total: 4, message: 'm' },
      { progress: 3, total: 4, message: 'm' },
    ])
  })

  test('a task that wants input is listened to where somebody could answer; where nobody can, it is cancelled', async () => {
    const parts = start('legacy', { 'tasks/get': inTurn(legacyTask('input_required')) })
    const failing = mcpRejection(call(parts, 'required'))
    await pass(parts, 1_000, 0)
    expect(await failing).toMatchObject({
      code: 'ERR_MCP_INPUT_REQUIRED',
      data: { outcome: 'unknown', tool: 'required' },
    })
    expect(of(parts, 'tasks/cancel')).toHaveLength(1)
    expect(of(parts, 'tasks/result')).toHaveLength(0)
  })

  test('a server that declares no tasks.cancel is not asked to', async () => {
    const capabilities = { tasks: { requests: { tools: { call: {} } } } }
    const parts = open(legacyTaskServer({ 'tasks/get': inTurn(legacyTask('odd')) }, capabilities))
    const failing = mcpRejection(call(parts, 'required'))
    await pass(parts, 1_000, 0)
    await failing
    expect(of(parts, 'tasks/cancel')).toEqual([])
  })
})

describe('io.modelcontextprotocol/tasks', () => {
  test('a call that the server makes a task of gives the task’s result', async () => {
    const parts = start('modern')
    const calling = call(parts, 'plain')
    await pass(parts, 1_000, 0)
    expect(await calling).toMatchObject(done)
    const [called, polled] = parts.sent.slice(1)
    expect(called!.body!.params!._meta).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    })
    expect(polled!.body).toMatchObject({ method: 'tasks/get', params: { taskId: 't1' } })
    expect(polled!.headers.get('mcp-method')).toBe('tasks/get')
    expect(polled!.headers.get('mcp-name')).toBe('t1')
  })

  test('what has ended when it was made is asked for at once', async () => {
    const parts = start('modern', { 'tools/call': inTurn(modernTask('completed', { resultType: 'task' })) })
    expect(await call(parts, 'plain')).toMatchObject(done)
  })

  test('earlier revisions are told of no extension', async () => {
    const parts = start('legacy')
    await parts.opening
    expect((await arrival(parts, 'initialize')).body!.params!.capabilities).toEqual({})
  })

  test('a failed task throws the error of its call, and it ran', async () => {
    const error = { code: -32602, message: 'bad', data: { why: 1 } }
    const parts = start('modern', { 'tasks/get': inTurn(modernTask('failed', { error })) })
    const failing = mcpRejection(call(parts, 'plain'))
    await pass(parts, 1_000, 0)
    const failure = await failing
    expect(failure).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32602, rpcData: { why: 1 }, outcome: 'ran', tool: 'plain' },
    })
    expect(failure.message).toContain('bad')
  })

  test('a task that wants input is cancelled where nobody gives it', async () => {
    const inputRequests = { a: { method: 'roots/list' } }
    const parts = start('modern', { 'tasks/get': inTurn(modernTask('input_required', { inputRequests })) })
    const failing = mcpRejection(call(parts, 'plain'))
    await pass(parts, 1_000, 0)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_INPUT_REQUIRED', data: { outcome: 'unknown', tool: 'plain' } })
    expect(of(parts, 'tasks/cancel')).toHaveLength(1)
  })

  test('a task is no answer to anything but a call', async () => {
    const parts = start('modern', { 'prompts/get': inTurn(modernTask('working', { resultType: 'task' })) })
    const connection = await parts.opening
    expect(await mcpRejection(connection.request('prompts/get', { name: 'p' }))).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason: 'result-type' },
    })
  })
})

describe.each(both)('a task of a %s server', (era) => {
  const { task, tool } = eras[era]
  const finished = era === 'legacy' ? task('completed') : task('completed', { result: done })

  test.each([
    [5_000, 5_000],
    [0, 100],
    [-1, 100],
    [1e12, 30_000],
    ['soon', 700],
    [undefined, 700],
  ])('asked to be polled every %s ms is polled every %i ms', async (wished, waited) => {
    const key = era === 'legacy' ? 'pollInterval' : 'pollIntervalMs'
    const polls = inTurn(task('working', { [key]: wished }), finished)
    const parts = start(era, { 'tasks/get': polls }, { config: { tasks: { pollIntervalMs: 700 } } })
    const calling = call(parts, tool)
    await pass(parts, 700, 0)
    await pass(parts, waited - 1, 1)
    await asked(parts, 'tasks/get', 1)
    expect(of(parts, 'tasks/get')).toHaveLength(1)
    parts.timers.advance(1)
    expect(await calling).toMatchObject(done)
  })

  test('that the server cancels leaves open what it did', async () => {
    const parts = start(era, { 'tasks/get': inTurn(task('cancelled', { statusMessage: 'by an admin' })) })
    const failing = mcpRejection(call(parts, tool))
    await pass(parts, 1_000, 0)
    const error = await failing
    expect(error).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { outcome: 'unknown', tool } })
    expect(error.message).toContain('by an admin')
    expect(of(parts, 'tasks/cancel')).toEqual([])
  })

  test.each<[string, object, Settings, (parts: Opened) => void, object]>([
    [
      'its own time',
      {},
      { config: { tasks: { timeoutMs: 5_000 } } },
      ({ timers }) => timers.advance(5_000),
      { limit: 5_000 },
    ],
    ['the call’s time', { timeoutMs: 3_000 }, {}, ({ timers }) => timers.advance(3_000), { limit: 3_000 }],
    ['the idle time', { idleTimeoutMs: 800 }, {}, ({ timers }) => timers.advance(800), { limit: 800 }],
  ])('is cancelled on the server when %s is up', async (_what, options, settings, end, data) => {
    const slow = { [era === 'legacy' ? 'pollInterval' : 'pollIntervalMs']: 30_000 }
    const made = task('working', slow)
    const answer = era === 'legacy' ? { task: made } : { ...made, resultType: 'task' }
    const parts = start(era, { 'tools/call': inTurn(answer) }, settings)
    const failing = mcpRejection(call(parts, tool, options))
    await asked(parts, 'tools/call', 1)
    end(parts)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { ...data, outcome: 'unknown', tool } })
    const cancelled = await arrival(parts, 'tasks/cancel')
    expect(cancelled.body!.params).toMatchObject({ taskId: 't1' })
    await (await parts.opening).close()
    expect(parts.timers.pending()).toBe(0)
  })

  test('is polled no more often than maxPolls', async () => {
    const parts = start(era, { 'tasks/get': inTurn(task('working')) }, { config: { tasks: { maxPolls: 3 } } })
    const failing = mcpRejection(call(parts, tool))
    for (let polls = 0; polls < 3; polls++) await pass(parts, 1_000, polls)
    expect(await failing).toMatchObject({
      code: 'ERR_MCP_TIMEOUT',
      data: { outcome: 'unknown', reason: 'polls', tool },
    })
    expect(of(parts, 'tasks/get')).toHaveLength(3)
    expect(of(parts, 'tasks/cancel')).toHaveLength(1)
  })

  test('is cancelled on the server when the caller aborts, who is not kept waiting', async () => {
    const abort = new AbortController()
    const parts = start(era, { 'tasks/cancel': () => new Promise(() => {}) })
    const failing = rejection(call(parts, tool, { signal: abort.signal }))
    await asked(parts, 'tools/call', 1)
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await failing).toBe(reason)
    await arrival(parts, 'tasks/cancel')
    expect(of(parts, 'tasks/get')).toEqual([])
  })

  test('is cancelled when the connection is closed, which waits for that, but not for ever', async () => {
    const parts = start(era, { 'tasks/cancel': () => new Promise(() => {}) })
    const connection = await parts.opening
    const failing = mcpRejection(call(parts, tool))
    await asked(parts, 'tools/call', 1)
    const closing = connection.close()
    expect(await failing).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { outcome: 'unknown', tool } })
    await arrival(parts, 'tasks/cancel')
    parts.timers.advance(2_000)
    // A legacy server is told of the cancellation that was given up.
    await new Promise(setImmediate)
    parts.timers.advance(2_000)
    await closing
    expect(parts.timers.pending()).toBe(0)
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['refused for now', () => new Response(null, { status: 429 })],
    ['lost by a proxy', () => new Response('bad gateway', { status: 502 })],
    ['lost by the network', () => Promise.reject(new TypeError('fetch failed'))],
  ])('outlives polls that are %s', async (_what, fail) => {
    const parts = start(era, { 'tasks/get': inTurn(fail as never, fail as never, finished) })
    const calling = call(parts, tool)
    await pass(parts, 1_000, 0)
    await pass(parts, 1_000, 1)
    await pass(parts, 2_000, 2)
    expect(await calling).toMatchObject(done)
    expect(of(parts, 'tools/call')).toHaveLength(1)
  })

  test('whose polls all fail is given up, and its outcome is unknown', async () => {
    const parts = start(era, { 'tasks/get': () => new Response(null, { status: 503 }) })
    const failing = mcpRejection(call(parts, tool))
    for (const [polls, ms] of [1_000, 1_000, 2_000, 4_000, 8_000].entries()) await pass(parts, ms, polls)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_HTTP', data: { status: 503, outcome: 'unknown', tool } })
    expect(of(parts, 'tasks/get')).toHaveLength(5)
  })

  test.each<[string, Own, string]>([
    ['knows it no more', { 'tasks/get': unknownTask }, 'ERR_MCP_JSONRPC'],
    ['has no tasks/get', { 'tasks/get': (sent) => rpcError(sent, -32601, 'no') }, 'ERR_MCP_JSONRPC'],
    ['tells of another', { 'tasks/get': inTurn({ ...finished, taskId: 't2' }) }, 'ERR_MCP_INVALID_RESPONSE'],
    ['invents a status', { 'tasks/get': inTurn(task('paused')) }, 'ERR_MCP_INVALID_RESPONSE'],
    ['says nothing', { 'tasks/get': inTurn({}) }, 'ERR_MCP_INVALID_RESPONSE'],
  ])('whose server %s leaves its outcome unknown, and is cancelled', async (_what, own, code) => {
    const parts = start(era, own)
    const failing = mcpRejection(call(parts, tool))
    await pass(parts, 1_000, 0)
    expect(await failing).toMatchObject({ code, data: { outcome: 'unknown', tool, method: 'tools/call' } })
    expect(of(parts, 'tasks/cancel')).toHaveLength(1)
  })

  test.each([42, '', 'x'.repeat(1_025), null, undefined, { id: 't1' }])('with the id %j is refused', async (taskId) => {
    const made = task('working', { taskId })
    const answer = era === 'legacy' ? { task: made } : { ...made, resultType: 'task' }
    const parts = start(era, { 'tools/call': inTurn(answer) })
    expect(await mcpRejection(call(parts, tool))).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason: 'task', outcome: 'unknown', tool },
    })
  })

  test('with a ttl that means nothing runs all the same', async () => {
    const nonsense = { ttl: -5, ttlMs: 'forever' }
    const parts = start(era, { 'tasks/get': inTurn(task('working', nonsense), { ...finished, ...nonsense }) })
    const calling = call(parts, tool)
    await pass(parts, 1_000, 0)
    await pass(parts, 1_000, 1)
    expect(await calling).toMatchObject(done)
  })

  test('with the id of one that runs is refused, and does not end that one', async () => {
    const parts = start(era)
    const first = call(parts, tool)
    await asked(parts, 'tools/call', 1)
    expect(await mcpRejection(call(parts, tool))).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE' })
    parts.timers.advance(1_000)
    expect(await first).toMatchObject(done)
    expect(of(parts, 'tasks/cancel')).toEqual([])
  })

  test('tells its status messages as progress, each once', async () => {
    const working = (statusMessage: string) => task('working', { statusMessage })
    const parts = start(era, { 'tasks/get': inTurn(working('one'), working('one'), working('two'), finished) })
    const seen: Progress[] = []
    const calling = call(parts, tool, { onProgress: (event: Progress) => seen.push(event) })
    for (let polls = 0; polls < 4; polls++) await pass(parts, 1_000, polls)
    await calling
    expect(seen).toEqual([
      { progress: 0, message: 'one' },
      { progress: 0, message: 'two' },
    ])
  })

  test('takes the caller’s meta along', async () => {
    const parts = start(era)
    const calling = call(parts, tool, { meta: { traceparent: '00-1-2-01' } })
    await pass(parts, 1_000, 0)
    await calling
    expect(of(parts, 'tasks/get')[0]!.body!.params!._meta).toMatchObject({ traceparent: '00-1-2-01' })
  })
})

test('a task outlives the session in which it was made', async () => {
  let lost = false
  const parts = start('legacy', {
    'tasks/get': (sent) => {
      if (lost) return reply(sent, legacyTask('completed'))
      lost = true
      return new Response('session not found', { status: 404 })
    },
  })
  const calling = call(parts, 'required')
  await pass(parts, 1_000, 0)
  expect(await calling).toMatchObject(done)
  expect(of(parts, 'initialize')).toHaveLength(2)
  expect(of(parts, 'tools/call')).toHaveLength(1)
})
