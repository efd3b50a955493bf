import type { ServerConfig } from '@x/web'
import { describe, expect, test } from 'vitest'
import { isBehindGateway } from '../../src/store/gateway-url.js'
import { createPlaygroundStore } from '../../src/store/playground-store.js'
import { emptySettings } from '../../src/store/settings.js'
import { createScriptedClient } from './scripted-client.js'

const pageUrl = 'http://127.0.0.1:4242/'
const servers = [
  { name: 'demo', title: 'A demo' },
  { name: 'notes', title: 'notes.example' },
]
const listing = () => Response.json({ servers })

function createStore(answer: () => Response | Promise<Response> = listing) {
  const requests: Request[] = []
  const configs: ServerConfig[] = []
  const store = createPlaygroundStore(
    {
      connect: async (config) => {
        configs.push(config)
        return createScriptedClient().client
      },
      fetch: async (input, init) => {
        requests.push(new Request(input, init))
        return answer()
      },
      pageUrl,
      rememberUrl: () => {},
      now: () => 0,
    },
    { ...emptySettings, url: 'https://mcp.example/mcp', token: 'typed' },
  )
  return { store, requests, configs }
}

describe('the gateway', () => {
  test('is absent as long as there is no token', () => {
    const { store, requests } = createStore()
    expect(store.getState().gateway).toEqual({ status: 'absent' })
    expect(requests).toEqual([])
  })

  test('is asked for its servers with the token', async () => {
    const { store, requests } = createStore()
    await store.actions.openGateway('t0ken')
    expect(store.getState().gateway).toEqual({ status: 'ready', servers, chosen: 'demo' })
    expect(requests.map(({ url }) => url)).toEqual(['http://127.0.0.1:4242/gateway/servers'])
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer t0ken')
  })

  test.each([
    ['refuses the token', () => new Response(null, { status: 401 }), /refused this page’s token/],
    ['is not there', () => new Response('<html>', { status: 200 }), /no gateway beside this page/],
    ['is not there, as a server says', () => new Response(null, { status: 404 }), /no gateway beside this page/],
    ['does not answer', () => Promise.reject(new TypeError('failed')), /does not answer/],
  ])('that %s is told', async (_what, answer, reason) => {
    const { store } = createStore(answer)
    await store.actions.openGateway('t0ken')
    expect(store.getState().gateway).toEqual({ status: 'failed', reason: expect.stringMatching(reason) })
  })

  test('of the newest token wins, whatever is answered first', async () => {
    const answers: ((response: Response) => void)[] = []
    const { store } = createStore(() => new Promise((resolve) => answers.push(resolve)))
    const first = store.actions.openGateway('old')
    const second = store.actions.openGateway('new')
    answers[1]!(listing())
    await second
    answers[0]!(new Response(null, { status: 401 }))
    await first
    expect(store.getState().gateway.status).toBe('ready')
  })

  test('connects to the chosen server with its token, and without what was typed', async () => {
    const { store, configs } = createStore()
    store.actions.edit({ auth: 'bearer' })
    await store.actions.openGateway('t0ken')
    store.actions.chooseBehindGateway('notes')
    await store.actions.connectThroughGateway()
    const url = 'http://127.0.0.1:4242/gateway/servers/notes/mcp'
    expect(configs).toEqual([{ url, auth: { type: 'bearer', token: 't0ken' } }])
    expect(store.getState().connection).toMatchObject({ phase: 'open', url })
  })

  test('gets its token also where the URL was typed; nobody else gets it', async () => {
    const { store, configs } = createStore()
    await store.actions.openGateway('t0ken')
    for (const url of ['/gateway/servers/demo/mcp', '/demo/mcp', 'http://localhost:4242/gateway/servers/demo/mcp']) {
      store.actions.edit({ url })
      await store.actions.connect()
    }
    expect(configs.map(({ auth }) => auth)).toEqual([{ type: 'bearer', token: 't0ken' }, undefined, undefined])
  })

  test('keeps its token out of the state', async () => {
    const { store } = createStore()
    await store.actions.openGateway('t0ken')
    await store.actions.connectThroughGateway()
    expect(JSON.stringify(store.getState())).not.toContain('t0ken')
  })
})

test.each([
  ['http://127.0.0.1:4242/gateway/mcp', true],
  ['/gateway/servers/demo/mcp', true],
  ['http://127.0.0.1:4242/gateway/../demo/mcp', false],
  ['http://127.0.0.1:4242/gateways/mcp', false],
  ['http://127.0.0.1:4242@evil.example/gateway/mcp', false],
  ['https://127.0.0.1:4242/gateway/mcp', false],
  ['not a URL:', false],
])('%s is behind the page’s own gateway: %s', (url, expected) => {
  expect(isBehindGateway(url, pageUrl)).toBe(expected)
})
