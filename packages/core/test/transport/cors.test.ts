import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { diagnoseCors } from '../../src/transport/cors.js'
import { browserFetch, type CorsPolicy } from '../support/browser-fetch.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { type TestEndpoint, testEndpoint } from '../support/endpoint.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { connectionRefused } from '../support/scripted-fetch.js'

failOnUnhandled()

const sent = ['content-type', 'authorization', 'mcp-method']

function inBrowser(
  policy: CorsPolicy,
  answer: () => Response | Promise<Response> = () => new Response(),
): TestEndpoint {
  const endpoint = testEndpoint(answer, {
    headers: async () => ({ authorization: 'Bearer s3cret' }),
    credentials: 'include',
  })
  return Object.assign(endpoint, { fetch: browserFetch(endpoint.fetch, policy) })
}

const diagnose = (endpoint: TestEndpoint, signal = new AbortController().signal) => diagnoseCors(endpoint, sent, signal)

describe('in a browser', () => {
  test('a server that allows no origin lacks Access-Control-Allow-Origin', async () => {
    const error = await diagnose(inBrowser({}))
    expect(error).toMatchObject({
      code: 'ERR_MCP_CORS',
      data: { missing: 'Access-Control-Allow-Origin', reason: 'origin' },
    })
    expect(error?.message).toContain('"Access-Control-Allow-Origin: *')
  })

  test('a server that allows the origin lacks Access-Control-Allow-Headers; the message is the line to add', async () => {
    const error = await diagnose(inBrowser({ origin: true }))
    expect(error).toMatchObject({
      code: 'ERR_MCP_CORS',
      data: { missing: 'Access-Control-Allow-Headers', reason: 'preflight' },
    })
    expect(error?.message).toContain('"Access-Control-Allow-Headers: content-type, authorization, mcp-method"')
  })

  test('a server that is not there has no CORS problem', async () => {
    expect(await diagnose(inBrowser({}, () => Promise.reject(connectionRefused())))).toBeUndefined()
  })

  test('a server that answers HEAD by an event stream without end is there all the same', async () => {
    const endpoint = inBrowser({}, () => new Response())
    const { fetch } = endpoint
    const looking = diagnose(
      Object.assign(endpoint, {
        fetch: (input: RequestInfo | URL, init?: RequestInit) =>
          init?.method === 'HEAD' ? new Promise<Response>(() => {}) : fetch(input, init),
      }),
    )
    while (endpoint.timers.pending() === 0) await new Promise(setImmediate)
    endpoint.timers.advance(3_000)
    expect(await looking).toMatchObject({ code: 'ERR_MCP_CORS', data: { reason: 'origin' } })
    expect(endpoint.timers.pending()).toBe(0)
  })

  test('looking needs no preflight and takes no credentials along', async () => {
    const endpoint = inBrowser({ origin: true })
    await diagnose(endpoint)
    expect(
      endpoint.sent.map(({ method, headers, init }) => [method, [...headers.keys()], init.credentials, init.body]),
    ).toEqual([
      ['HEAD', [], 'omit', undefined],
      ['GET', ['accept'], 'omit', undefined],
    ])
  })

  test('a stream that the look opens is let go of', async () => {
    const source = byteSource([': hello\n\n'], 'stall')
    const endpoint = inBrowser({ origin: true }, () => new Response(source.body, { headers: eventStreamType }))
    expect(await diagnose(endpoint)).toMatchObject({ data: { reason: 'preflight' } })
    await source.cancelled
  })
})

test('outside of browsers an answer is never opaque: CORS is not the cause', async () => {
  const endpoint = testEndpoint(() => new Response())
  expect(await diagnose(endpoint)).toBeUndefined()
  expect(endpoint.sent).toHaveLength(1)
})

test('each look ends after three seconds, also where fetch does not heed its signal', async () => {
  const endpoint = testEndpoint(() => new Response(), { fetch: () => new Promise(() => {}) })
  const diagnosing = diagnose(endpoint)
  for (const asked of [[3_000], [3_000, 3_000]]) {
    while (endpoint.timers.pending() === 0) await new Promise(setImmediate)
    expect(endpoint.timers.asked).toEqual(asked)
    endpoint.timers.advance(3_000)
  }
  expect(await diagnosing).toBeUndefined()
  expect(endpoint.timers.pending()).toBe(0)
})

test('the looking leaves no timer and no listener', async () => {
  const { signal } = new AbortController()
  const endpoint = inBrowser({})
  await diagnose(endpoint, signal)
  expect(endpoint.timers.pending()).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort ends the looking at once', async () => {
  const abort = new AbortController()
  const endpoint = testEndpoint(() => new Promise(() => {}))
  const diagnosing = diagnose(endpoint, abort.signal)
  abort.abort()
  expect(await diagnosing).toBeUndefined()
  expect(endpoint.timers.pending()).toBe(0)
  expect(await diagnose(endpoint, abort.signal)).toBeUndefined()
  expect(endpoint.sent).toHaveLength(1)
})
