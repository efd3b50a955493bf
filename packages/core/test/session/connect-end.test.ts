import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { ConnectOptions, Runtime } from '../../src/config.js'
import type { ConnectionState } from '../../src/connection.js'
import { browserFetch } from '../support/browser-fetch.js'
import { arrival, legacyServer, methodsSent, modernServer } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { connectionRefused, type Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const hang = () => new Promise<never>(() => {})
/** A network that answers all but what `hangs`, and there heeds no signal. */
const deaf =
  (method: string) =>
  (fetch: Runtime['fetch']): Runtime['fetch'] =>
  (input, init) => {
    const sent = typeof init?.body === 'string' ? JSON.parse(init.body).method : init?.method
    const fetched = fetch(input, init)
    if (sent !== method) return fetched
    fetched.catch(() => {})
    return hang()
  }

const stages: [string, (sent: Sent) => Response | Promise<Response>, string][] = [
  ['the question', modernServer({ 'server/discover': hang }), 'server/discover'],
  ['the handshake', legacyServer({ initialize: hang }), 'initialize'],
  ['the handshake’s last word', legacyServer({ 'notifications/initialized': hang }), 'notifications/initialized'],
]

/** Connects with a signal of its own; tells the states. */
function begin(answer: (sent: Sent) => Response | Promise<Response>, more: Parameters<typeof open>[1] = {}) {
  const abort = new AbortController()
  const states: ConnectionState[] = []
  const hooks: ConnectOptions = {
    signal: abort.signal,
    onEvent: (event) => event.type === 'state' && states.push(event.state),
    ...more.hooks,
  }
  return { abort, states, ...open(answer, { ...more, hooks }) }
}

type Parts = ReturnType<typeof begin>

async function expectNothingLeft({ abort, timers, sent }: Parts): Promise<void> {
  while (timers.pending() > 0 && sent.some(({ method }) => method === 'DELETE')) await new Promise(setImmediate)
  expect(timers.pending(), 'timers').toBe(0)
  expect(getEventListeners(abort.signal, 'abort'), 'listeners').toEqual([])
  await new Promise(setImmediate)
  expect(
    sent.every(({ signal, method, response }) => signal.aborted || response?.bodyUsed || method !== 'POST'),
    'requests under way',
  ).toBe(true)
}

describe('connectTimeoutMs ends a connect that waits for', () => {
  test.each(stages)('%s', async (_stage, answer, method) => {
    const parts = begin(answer, { config: { connectTimeoutMs: 5_000 } })
    await arrival(parts, method)
    parts.timers.advance(4_999)
    await new Promise(setImmediate)
    expect(parts.states).toEqual([])
    parts.timers.advance(1)
    const error = await mcpRejection(parts.opening)
    expect(error).toMatchObject({
      code: 'ERR_MCP_TIMEOUT',
      data: { limit: 5_000, server: 'https://server.example/mcp' },
    })
    expect(error.message).toContain('connectTimeoutMs')
    expect(parts.states).toMatchObject([{ status: 'closed', error: { code: 'ERR_MCP_TIMEOUT' } }])
    await expectNothingLeft(parts)
  })

  test.each(stages)('%s, where fetch heeds no signal', async (_stage, answer, method) => {
    const parts = begin(answer, { wrap: deaf(method) })
    await arrival(parts, method)
    parts.timers.advance(30_000)
    expect(await mcpRejection(parts.opening)).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 30_000 } })
  })

  test('all of it together, however many steps', async () => {
    const parts = begin(legacyServer({ 'notifications/initialized': hang }), { config: { connectTimeoutMs: 5_000 } })
    await arrival(parts, 'initialize')
    parts.timers.advance(3_000)
    await arrival(parts, 'notifications/initialized')
    parts.timers.advance(2_000)
    expect(await mcpRejection(parts.opening)).toMatchObject({ code: 'ERR_MCP_TIMEOUT' })
  })
})

describe('the caller’s abort, with the very reason, ends a connect', () => {
  const reason = { why: 'changed my mind' }

  test('before it begins: nothing is sent, and no token asked for', async () => {
    let asked = 0
    const token = async () => `${asked++}`
    const hooks = { signal: AbortSignal.abort(reason), token }
    const parts = begin(modernServer(), { hooks, config: { auth: { type: 'bearer' } } })
    expect(await rejection(parts.opening)).toBe(reason)
    expect(parts.sent).toEqual([])
    expect(parts.states).toMatchObject([{ status: 'closed' }])
    expect([asked, parts.timers.asked]).toEqual([0, []])
  })

  test('while the token hook runs', async () => {
    const parts = begin(modernServer(), { hooks: { token: hang }, config: { auth: { type: 'bearer' } } })
    await new Promise(setImmediate)
    parts.abort.abort(reason)
    expect(await rejection(parts.opening)).toBe(reason)
    expect(parts.sent).toEqual([])
    await expectNothingLeft(parts)
  })

  test.each(stages)('during %s', async (_stage, answer, method) => {
    const parts = begin(answer)
    await arrival(parts, method)
    parts.abort.abort(reason)
    expect(await rejection(parts.opening)).toBe(reason)
    expect(parts.states).toMatchObject([{ status: 'closed' }])
    await expectNothingLeft(parts)
  })

  test.each(stages)('during %s, where fetch heeds no signal', async (_stage, answer, method) => {
    const parts = begin(answer, { wrap: deaf(method) })
    await arrival(parts, method)
    parts.abort.abort(reason)
    expect(await rejection(parts.opening)).toBe(reason)
  })

  test('while a browser’s failure is looked into', async () => {
    const answer = (sent: Sent) => (sent.method === 'HEAD' ? hang() : Promise.reject(connectionRefused()))
    const parts = begin(answer, { wrap: (fetch) => browserFetch(fetch, {}) })
    await arrival(parts, 'HEAD')
    parts.abort.abort(reason)
    expect(await rejection(parts.opening)).toBe(reason)
    await expectNothingLeft(parts)
  })

  test('by who hears that it is ready', async () => {
    const abort = new AbortController()
    const states: string[] = []
    const hooks: ConnectOptions = {
      signal: abort.signal,
      onEvent(event) {
        if (event.type !== 'state') return
        states.push(event.state.status)
        if (event.state.status === 'ready') abort.abort(reason)
      },
    }
    const parts = open(legacyServer(), { hooks })
    expect(await rejection(parts.opening)).toBe(reason)
    expect(states).toEqual(['ready', 'closed'])
    await arrival(parts, 'DELETE')
  })

  test.each([
    ['modern', modernServer()],
    ['legacy', legacyServer()],
  ])('at whatever point of connecting to a %s server', async (_era, answer) => {
    // Turns of the event loop, and microtasks within the turn, until it is certain that the connect is over.
    for (let turns = 0, over = false; !over; turns++) {
      expect(turns).toBeLessThan(100)
      for (let steps = 0; steps < 40; steps++) {
        const abort = new AbortController()
        const { opening, timers, sent } = open(answer, { hooks: { signal: abort.signal } })
        let isReady = false
        const outcome = opening.then(
          (connection) => {
            isReady = true
            return connection
          },
          (error) => error,
        )
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
        for (let step = 0; step < steps; step++) await undefined
        over ||= isReady && steps === 0
        abort.abort(reason)
        const ended = await outcome
        if (ended !== reason) expect(ended.state.status).toBe('closed')
        const hasSession = sent.some(({ body }) => body?.method === 'notifications/initialized')
        while (hasSession && !sent.some(({ method }) => method === 'DELETE')) await new Promise(setImmediate)
        await new Promise(setImmediate)
        expect(timers.pending(), `timers, ${turns} turns and ${steps} steps`).toBe(0)
        expect(getEventListeners(abort.signal, 'abort'), `listeners, ${turns} turns and ${steps} steps`).toEqual([])
      }
    }
  })

  test('and leaves the reason as it is, also when it is one of our errors', async () => {
    const other = await mcpRejection(open(() => new Response(null, { status: 500 })).opening)
    const before = structuredClone(other.data)
    const parts = begin(modernServer({ 'server/discover': hang }), { config: { url: 'https://other.example/mcp' } })
    await arrival(parts, 'server/discover')
    parts.abort.abort(other)
    expect(await rejection(parts.opening)).toBe(other)
    expect(other.data).toEqual(before)
  })

  test('and ends the session that the server had given', async () => {
    const parts = begin(legacyServer({ 'notifications/initialized': hang }))
    await arrival(parts, 'notifications/initialized')
    parts.abort.abort(reason)
    await rejection(parts.opening)
    expect((await arrival(parts, 'DELETE')).headers.get('mcp-session-id')).toBe('session-1')
  })
})

describe('the token hook', () => {
  test('has all the time it wants: it may ask a person', async () => {
    let give = (_token: string) => {}
    const token = () =>
      new Promise<string>((resolve) => {
        give = resolve
      })
    const parts = begin(modernServer(), { hooks: { token }, config: { auth: { type: 'bearer' } } })
    await new Promise(setImmediate)
    parts.timers.advance(3_600_000)
    give('t0ken')
    expect((await parts.opening).state.status).toBe('ready')
    expect(parts.sent[0]!.headers.get('authorization')).toBe('Bearer t0ken')
  })

  test('that fails ends the connect before anything is sent, and is asked no more', async () => {
    let calls = 0
    const token = () => {
      calls++
      return Promise.reject(new Error('no vault'))
    }
    const parts = begin(modernServer(), { hooks: { token }, config: { auth: { type: 'bearer' } } })
    const error = await mcpRejection(parts.opening)
    expect(error).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED', cause: { message: 'no vault' } })
    expect(error.data).not.toHaveProperty('attempts')
    expect([calls, methodsSent(parts)]).toEqual([1, []])
    await expectNothingLeft(parts)
  })
})

test('a connect that succeeds leaves no timer, and one listener for the connection', async () => {
  const parts = begin(legacyServer())
  const connection = await parts.opening
  expect(parts.timers.pending()).toBe(0)
  expect(getEventListeners(parts.abort.signal, 'abort')).toHaveLength(1)
  await connection.close()
  expect(getEventListeners(parts.abort.signal, 'abort')).toEqual([])
})
