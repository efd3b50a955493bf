import { describe, expect, test } from 'vitest'
import { DisconnectedError, InvalidResponseError } from '../../src/errors.js'
import type { JsonObject } from '../../src/protocol.js'
import { createDeadline } from '../../src/session/deadline.js'
import type { Questions } from '../../src/session/task-run.js'
import { createTasks } from '../../src/session/tasks.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'
import { done, legacyTask, modernTask } from '../support/task-server.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

type Send = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

/** A call that becomes a task, over a wire that is a function; polls are due at once. */
function start(era: 'modern' | 'legacy', send: Send, answer: Questions['answer'] = async () => ({}), answered = true) {
  const timers = createTimers()
  const sent: { method: string; params: object }[] = []
  const asked: object[] = []
  const time = {
    now: timers.now,
    // Nothing but polls waits less than a call may last.
    setTimer: (ms: number, run: () => void) => {
      if (ms < 10_000) queueMicrotask(run)
      return timers.setTimer(ms, run)
    },
  }
  const tasks = createTasks({
    server: 'here',
    limits: { pollIntervalMs: 1_000, timeoutMs: 120_000, maxPolls: 120 },
    ...time,
    setRealTimer: timers.setTimer,
    closing: new AbortController().signal,
    async send(method, params, { signal }) {
      sent.push({ method, params })
      return send(method, params as JsonObject, signal)
    },
    cancels: () => true,
    questions: {
      answered,
      answer(questions, context) {
        asked.push(questions)
        return answer(questions, context)
      },
    },
  })
  const abort = new AbortController()
  const deadline = createDeadline({ signal: abort.signal, timeoutMs: null, ...time, what: 'x', advice: 'y' })
  const params = { name: 'pay' }
  const made: JsonObject =
    era === 'modern' ? modernTask('working', { resultType: 'task' }) : { task: legacyTask('working') }
  const calling = tasks.run(
    { params, options: { signal: deadline.signal }, deadline, augmented: era === 'legacy' },
    async () => made,
  )
  return { calling, sent, asked, abort, methods: () => sent.map(({ method }) => method) }
}

const asks = (...keys: string[]) =>
  modernTask('input_required', {
    inputRequests: Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create', params: { key } }])),
  })
const finished = modernTask('completed', { result: done })

/** Answers to tasks/get, in turn; to anything else `{}`. */
const polls = (...states: object[]): Send => {
  let next = 0
  return async (method) =>
    (method === 'tasks/get' ? states[Math.min(next++, states.length - 1)] : {}) as unknown as JsonObject
}

describe('what a modern task asks', () => {
  test('is answered by the same keys, each once, however often it is shown', async () => {
    const { calling, sent, asked } = start(
      'modern',
      polls(asks('a'), asks('a'), asks('a', 'b'), modernTask('working'), finished),
      async (questions) => Object.fromEntries(Object.keys(questions).map((key) => [key, `answer ${key}`])),
    )
    expect(await calling).toEqual(done)
    expect(asked.map((questions) => Object.keys(questions))).toEqual([['a'], ['b']])
    expect(sent.filter(({ method }) => method === 'tasks/update').map(({ params }) => params)).toEqual([
      { taskId: 't1', inputResponses: { a: 'answer a' } },
      { taskId: 't1', inputResponses: { b: 'answer b' } },
    ])
  })

  test('is told again when the answer was lost: a key is taken once', async () => {
    let lost = false
    const poll = polls(asks('a'), finished)
    const { calling, methods } = start('modern', async (method, params, signal) => {
      if (method !== 'tasks/update' || lost) return poll(method, params, signal)
      lost = true
      throw new DisconnectedError('gone', { data: { reason: 'network' } })
    })
    expect(await calling).toEqual(done)
    expect(methods()).toEqual(['tasks/get', 'tasks/update', 'tasks/update', 'tasks/get'])
  })

  test('has a bound', async () => {
    let next = 0
    const { calling, asked } = start(
      'modern',
      async (method) => (method === 'tasks/get' ? asks(`a${next++}`) : {}) as JsonObject,
    )
    expect(await mcpRejection(calling)).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason: 'task', outcome: 'unknown' },
    })
    expect(asked).toHaveLength(20)
  })

  test.each([null, [], 'a', undefined])('as %j asks nothing', async (inputRequests) => {
    const odd = modernTask('input_required', { inputRequests })
    const { calling, asked } = start('modern', polls(odd, finished))
    expect(await calling).toEqual(done)
    expect(asked).toEqual([])
  })

  test('and gets no answer ends the call, whose outcome is unknown, and the task', async () => {
    const { calling, methods } = start('modern', polls(asks('a')), () => Promise.reject(new Error('hook')))
    expect(await mcpRejection(calling)).toMatchObject({ data: { outcome: 'unknown' } })
    expect(methods()).toEqual(['tasks/get', 'tasks/cancel'])
  })

  test('is not waited for any more when the caller gives up', async () => {
    let signal: AbortSignal | undefined
    const { calling, abort, methods } = start('modern', polls(asks('a')), (_questions, context) => {
      signal = context.signal
      expect(context.tool).toBe('pay')
      return new Promise(() => {})
    })
    while (!signal) await new Promise(setImmediate)
    const failing = mcpRejection(calling)
    abort.abort(new Error('enough'))
    await failing
    expect(signal.aborted).toBe(true)
    expect(methods()).toEqual(['tasks/get', 'tasks/cancel'])
  })
})

describe('a legacy task that asks', () => {
  test('is listened to until it ends', async () => {
    const { calling, methods } = start('legacy', async (method) =>
      method === 'tasks/get' ? legacyTask('input_required') : (done as JsonObject),
    )
    expect(await calling).toEqual(done)
    expect(methods()).toEqual(['tasks/get', 'tasks/result'])
  })

  test('is polled again when the stream breaks', async () => {
    const states = [legacyTask('input_required'), legacyTask('working'), legacyTask('completed')]
    let broken = false
    const { calling, methods } = start('legacy', async (method) => {
      if (method === 'tasks/get') return states.shift()!
      if (broken) return done as JsonObject
      broken = true
      throw new InvalidResponseError('no reply', { data: { reason: 'no-reply' } })
    })
    expect(await calling).toEqual(done)
    expect(methods()).toEqual(['tasks/get', 'tasks/result', 'tasks/get', 'tasks/get', 'tasks/result'])
  })

  test('of a server that breaks it off each time is given up after maxPolls', async () => {
    const { calling, methods } = start('legacy', async (method) => {
      if (method === 'tasks/get') return legacyTask('input_required')
      throw new InvalidResponseError('no reply', { data: { reason: 'no-reply' } })
    })
    expect(await mcpRejection(calling)).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { outcome: 'unknown' } })
    expect(methods().filter((method) => method === 'tasks/get')).toHaveLength(120)
  })
})
