import type { AuthorizationRequest, ConnectionEvent, ConnectOptions } from '@x/core/client'
import { describe, expect, test, vi } from 'vitest'
import { createHost } from '../src/host.js'
import { deferred, rejection } from './mcp-fetch.js'
import { agree, createOAuthFetch, issuer, redirectUrl, url } from './oauth-fetch.js'
import { servePorts, watchPosts } from './served-port.js'
import { text } from './test-host.js'

const auth = { type: 'oauth', redirectUrl } as const

function signingHost() {
  const server = createOAuthFetch({ hello: () => text('hello') })
  const ports = servePorts(server.fetch)
  return { host: createHost({ worker: ports.worker }), server, ports }
}

const agreeing = (asked: AuthorizationRequest[] = []): NonNullable<ConnectOptions['authorize']> => {
  return async (request) => {
    const page = await request
    asked.push(page)
    return { callbackUrl: agree(page.url) }
  }
}

describe('a server that wants a sign-in', () => {
  test('leaves the connection unauthorized, by default, until authorize() is called', async () => {
    const { host } = signingHost()
    const asked: AuthorizationRequest[] = []
    const client = await host.connect({ url, auth }, { authorize: agreeing(asked) })
    expect(client.state.status).toBe('unauthorized')
    expect(await rejection(client.callTool('hello'))).toMatchObject({
      code: 'ERR_MCP_UNAUTHORIZED',
      data: { server: url, tool: 'hello', outcome: 'not-run' },
    })
    expect(asked).toEqual([])
    await client.authorize()
    expect(client.state.status).toBe('ready')
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'hello' }])
    expect(asked).toEqual([
      { server: url, url: expect.stringContaining(`${issuer}/authorize?`), redirectUrl, reason: 'first' },
    ])
  })

  test('is signed in to at once where that is wanted', async () => {
    const { host } = signingHost()
    const client = await host.connect({ url, auth }, { authorize: agreeing(), signIn: 'when-needed' })
    expect(client.state.status).toBe('ready')
  })
})

describe('the authorize hook', () => {
  test('is called in the click’s own turn, as its method, before the worker knows the page', async () => {
    const { host } = signingHost()
    const hooks = {
      opened: 0,
      async authorize(request: Promise<AuthorizationRequest>) {
        this.opened++
        return { callbackUrl: agree((await request).url) }
      },
    }
    const client = await host.connect({ url, auth }, hooks)
    const signingIn = client.authorize()
    expect(hooks.opened).toBe(1)
    await signingIn
    expect(hooks.opened).toBe(1)
  })

  test('by toolset.authorize(), too', async () => {
    const { host } = signingHost()
    let opened = 0
    const authorize: ConnectOptions['authorize'] = async (request) => {
      opened++
      return { callbackUrl: agree((await request).url) }
    }
    const set = await host.connectAll({ notes: { url, auth } }, { authorize })
    expect(set.tools).toEqual([])
    const signingIn = set.authorize('notes')
    expect(opened).toBe(1)
    await signingIn
    expect(set.tools.map(({ name }) => name)).toEqual(['notes__hello'])
  })

  test('hears that there is nothing to open after all', async () => {
    const { host } = signingHost()
    const heard = deferred<unknown>()
    let agrees = true
    const client = await host.connect(
      { url, auth },
      {
        async authorize(request) {
          if (agrees) return { callbackUrl: agree((await request).url) }
          heard.resolve(await rejection(request))
          return new Promise(() => {})
        },
      },
    )
    await client.authorize()
    agrees = false
    await client.authorize()
    expect(await heard.promise).toMatchObject({ code: 'ERR_MCP_AUTHORIZATION', data: { reason: 'not-needed' } })
  })

  test('that finds its window blocked ends authorize() with its own error', async () => {
    const { host } = signingHost()
    const client = await host.connect({ url, auth }, { authorize: () => Promise.reject(new Error('blocked')) })
    expect(await rejection(client.authorize())).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { server: url, step: 'authorize', reason: 'hook' },
      cause: { message: 'blocked' },
    })
    expect(client.state.status).toBe('unauthorized')
  })

  test.each<[string, (client: { close(): Promise<void> }, abort: AbortController) => unknown]>([
    ['the connection is closed', (client) => client.close()],
    ['the caller gives up', (_client, abort) => abort.abort(new Error('enough'))],
  ])('hears of it when %s before the page is known', async (_name, end) => {
    const { host } = signingHost()
    const heard = deferred<unknown>()
    const client = await host.connect(
      { url, auth },
      {
        authorize: async (request) => {
          heard.resolve(await rejection(request))
          return new Promise(() => {})
        },
      },
    )
    const abort = new AbortController()
    const signingIn = rejection(client.authorize({ signal: abort.signal }))
    end(client, abort)
    await signingIn
    expect(await heard.promise).toBeInstanceOf(Error)
  })

  test('is not called for a connection that no person signs in to', async () => {
    const { host } = signingHost()
    let opened = 0
    const authorize = async () => {
      opened++
      return new Promise<never>(() => {})
    }
    const hooks = { authorize, assertion: async () => 'a.b.c' }
    const client = await host.connect({ url, auth: { type: 'jwt-bearer', clientId: 'robot' } }, hooks)
    await client.authorize()
    expect(opened).toBe(0)
  })
})

describe('OF-51 The redirect URI', () => {
  test('is the page’s own address as it is now, without query and fragment, where none is configured', async () => {
    vi.stubGlobal('location', new URL('https://app.test:8443/chat?code=1#top'))
    try {
      const { host } = signingHost()
      const asked: AuthorizationRequest[] = []
      const client = await host.connect({ url, auth: { type: 'oauth' } }, { authorize: agreeing(asked) })
      await client.authorize()
      expect(asked[0]?.redirectUrl).toBe('https://app.test:8443/chat')
      expect(new URL(asked[0]!.url).searchParams.get('redirect_uri')).toBe('https://app.test:8443/chat')
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

test('the page sees no token and no verifier, whatever it listens to', async () => {
  const { host, server, ports } = signingHost()
  const told: ConnectionEvent[] = []
  const connecting = host.connect({ url, auth }, { authorize: agreeing(), onEvent: (event) => void told.push(event) })
  const posted = watchPosts(ports)
  const client = await connecting
  client.listen({ wire: 'bodies', authorization: true, state: true }, (event) => told.push(event))
  await client.authorize()
  await client.callTool('hello')
  expect(
    told.filter(({ type }) => type === 'authorization').map((event) => (event as { step: string }).step),
  ).toContain('signed-in')
  expect(server.secrets.filter(Boolean)).toHaveLength(2)
  for (const secret of server.secrets) expect(JSON.stringify([told, posted])).not.toContain(secret)
})

test('signing out leaves the connection unauthorized', async () => {
  const { host } = signingHost()
  const client = await host.connect({ url, auth }, { authorize: agreeing() })
  await client.authorize()
  await host.signOut(url)
  expect(client.state.status).toBe('unauthorized')
  await client.authorize()
  await client.callTool('hello')
})
