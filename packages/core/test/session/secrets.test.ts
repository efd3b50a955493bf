import { describe, expect, test } from 'vitest'
import type { ServerConfig } from '../../src/config.js'
import type { ConnectionEvent } from '../../src/connection.js'
import { toErrorData } from '../../src/errors.js'
import { browserFetch } from '../support/browser-fetch.js'
import { legacyServer, modernServer } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { rejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'
import type { Timers } from '../support/timers.js'

failOnUnhandled()

const secrets = { bearer: 'b34rer', apiKey: 'ap1key', header: 'h34der', cookie: 'c00kie', query: 'qu3ry' }

const configs: [string, Partial<ServerConfig>][] = [
  [
    'bearer',
    {
      url: `https://server.example/mcp?key=${secrets.query}`,
      auth: { type: 'bearer', token: secrets.bearer },
      headers: { 'x-team': secrets.header, cookie: secrets.cookie },
    },
  ],
  [
    'API key',
    {
      url: `https://server.example/mcp?key=${secrets.query}`,
      auth: { type: 'api-key', header: 'x-key', value: secrets.apiKey },
      headers: { authorization: secrets.header },
    },
  ],
]

/** Everything that an app, a log or another realm can see of an error. */
function visible(error: unknown): string {
  const texts = [JSON.stringify(toErrorData(error))]
  for (let each = error; each instanceof Error; each = each.cause) texts.push(String(each), each.stack ?? '')
  return texts.join('\n')
}

function expectNoSecret(text: string): void {
  for (const [kind, secret] of Object.entries(secrets)) expect(text.includes(secret), `${kind} in ${text}`).toBe(false)
}

const status =
  (code: number, init: ResponseInit = {}) =>
  () =>
    new Response('no', { ...init, status: code })
const failures: [string, (sent: Sent) => Response | Promise<Response>][] = [
  ...[400, 401, 403, 404, 405, 429, 500].map((code): [string, () => Response] => [`HTTP ${code}`, status(code)]),
  ['a redirect that repeats the query', status(307, { headers: { location: `/login?from=${secrets.query}` } })],
  ['a page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
  ['broken JSON', () => new Response('{', { headers: { 'content-type': 'application/json' } })],
  ['no reply', status(202)],
  ['a dead network', () => Promise.reject(new TypeError('fetch failed'))],
]

/** A refusal for now is sent again, twice: some seconds in all. */
async function waitOut(timers: Timers): Promise<void> {
  for (let second = 0; second < 10; second++) {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    timers.advance(1_000)
  }
}

describe.each(configs)('with %s, headers and a query no secret is in', (_kind, config) => {
  test.each(failures)('a connect that fails by %s', async (_how, answer) => {
    const events: ConnectionEvent[] = []
    const { opening, timers } = open(answer, { config, hooks: { onEvent: (event) => events.push(event) } })
    const failing = rejection(opening)
    await waitOut(timers)
    expectNoSecret(visible(await failing))
    expectNoSecret(JSON.stringify(events))
    expect(events.length).toBeGreaterThan(0)
  })

  test('a connect that CORS stops', async () => {
    const { opening } = open(modernServer(), { config, wrap: (fetch) => browserFetch(fetch, { origin: true }) })
    expectNoSecret(visible(await rejection(opening)))
  })

  test.each(failures)('a call that fails by %s', async (_how, answer) => {
    const { opening, timers } = open(legacyServer({ 'tools/call': answer }), { config })
    const connection = await opening
    const events: ConnectionEvent[] = []
    connection.listen({ wire: 'bodies', state: true, log: 'debug' }, (event) => events.push(event))
    const call = rejection(connection.request('tools/call', { name: 'pay' }))
    await waitOut(timers)
    expectNoSecret(visible(await call))
    await connection.close()
    expectNoSecret(visible(await rejection(connection.request('tools/call', { name: 'pay' }))))
    expectNoSecret(JSON.stringify([events, connection.state]))
    expect(events.length).toBeGreaterThan(0)
  })

  test('a call that takes too long', async () => {
    const { opening, timers } = open(legacyServer({ 'tools/call': () => new Promise<never>(() => {}) }), { config })
    const calling = rejection((await opening).request('tools/call', { name: 'pay' }, { timeoutMs: 10 }))
    timers.advance(10)
    expectNoSecret(visible(await calling))
  })
})

test('the secrets do go out, so that the above can fail', async () => {
  const parts = open(legacyServer(), { config: configs[0]![1] })
  await parts.opening
  const sent = JSON.stringify([parts.sent[0]!.url, [...parts.sent[0]!.headers]])
  for (const secret of [secrets.bearer, secrets.header, secrets.cookie, secrets.query]) expect(sent).toContain(secret)
})
