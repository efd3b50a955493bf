import { describe, expect, test, vi } from 'vitest'
import type { ConnectOptions } from '../../src/config.js'
import { arrival, legacyServer, reply } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, redirectUrl, sentTo, signingHost, url } from '../support/oauth-world.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

const onDemand = (hooks: ConnectOptions = {}) => ({ hooks: { signIn: 'on-demand' as const, ...hooks } })
const needed = { code: 'ERR_MCP_UNAUTHORIZED', data: { server: url, outcome: 'not-run' } }
const onlyCalls = ({ body }: { body: { method?: string } | undefined }) =>
  body?.method === 'tools/call' ? '' : undefined

describe('on demand, of a server that lets nobody in', () => {
  test('connect resolves without a link; calls are rejected, and nothing is sent', async () => {
    const world = createWorld()
    const { connect, asked, events, states } = signingHost(world)
    const client = await connect(onDemand())
    expect(client.state).toMatchObject({ status: 'unauthorized', error: needed })
    expect(client.state.server).toBeUndefined()
    const sent = world.sent.length
    expect(await mcpRejection(client.callTool('private'))).toMatchObject({
      ...needed,
      data: { ...needed.data, method: 'tools/call', tool: 'private' },
    })
    expect(await mcpRejection(client.listTools())).toMatchObject(needed)
    expect(world.sent.length).toBe(sent)
    expect([asked, states]).toEqual([[], ['unauthorized']])
    expect(events.map(({ step }) => step)).toEqual(['sign-in-needed'])
  })

  test('authorize() signs in and makes the handshake', async () => {
    const world = createWorld()
    const { connect, asked, states } = signingHost(world)
    const client = await connect(onDemand())
    await client.authorize()
    expect(client.state).toMatchObject({ status: 'ready', server: { name: 'scripted' } })
    expect(states).toEqual(['unauthorized', 'ready'])
    await client.callTool('private')
    expect(asked).toHaveLength(1)
  })

  test('so it is with a server of earlier revisions', async () => {
    const world = createWorld()
    const legacy = legacyServer()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await world.fetch(input, init)
      return String(input) === url && response.status !== 401 ? legacy(world.sent.at(-1)!) : response
    }
    const { connect } = signingHost(world, { fetch })
    const client = await connect(onDemand())
    expect(client.state.status).toBe('unauthorized')
    await client.authorize()
    expect(client.state).toMatchObject({ status: 'ready', server: { era: 'legacy' } })
    await client.callTool('private')
    await client.close()
  })

  test('a denial leaves it as it was, and the next try may do', async () => {
    const world = createWorld()
    const { connect, asked } = signingHost(world)
    let declines = true
    const client = await connect(
      onDemand({
        async authorize(request) {
          const page = await request
          asked.push(page)
          const state = new URL(page.url).searchParams.get('state')
          return { callbackUrl: declines ? `${redirectUrl}?error=access_denied&state=${state}` : world.approve(page) }
        },
      }),
    )
    expect(await mcpRejection(client.authorize())).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { server: url, step: 'callback', reason: 'access_denied' },
    })
    expect(client.state.status).toBe('unauthorized')
    expect(await mcpRejection(client.callTool('private'))).toMatchObject(needed)
    declines = false
    await client.authorize()
    await client.callTool('private')
  })

  test('a handshake that refuses the new token leaves it as it was', async () => {
    const world = createWorld({ tokenAnswer: () => Response.json({ access_token: 'bad', token_type: 'Bearer' }) })
    const { connect, states } = signingHost(world)
    const client = await connect(onDemand())
    expect(await mcpRejection(client.authorize())).toMatchObject({
      code: 'ERR_MCP_UNAUTHORIZED',
      data: { server: url },
    })
    expect(client.state.status).toBe('unauthorized')
    expect(new Set(states)).toEqual(new Set(['unauthorized']))
  })

  test('two clicks: one sign-in', async () => {
    const world = createWorld()
    const { connect, asked } = signingHost(world)
    const client = await connect(onDemand())
    await Promise.all([client.authorize(), client.authorize()])
    expect(asked).toHaveLength(1)
  })

  test('it can be closed, and aborted, like any other', async () => {
    const { connect } = signingHost(createWorld())
    const abort = new AbortController()
    const [closed, aborted] = [await connect(onDemand()), await connect(onDemand({ signal: abort.signal }))]
    await closed.close()
    abort.abort(new Error('enough'))
    expect([closed.state.status, aborted.state.status]).toEqual(['closed', 'closed'])
    expect(await mcpRejection(closed.authorize())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  })

  test('what is listened to before is listened to afterwards', async () => {
    const capabilities = { tools: { listChanged: true } }
    const world = createWorld({
      own: {
        'server/discover': (sent) =>
          reply(sent, { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' }),
        'subscriptions/listen': () => new Promise(() => {}),
      },
    })
    const { connect } = signingHost(world)
    const client = await connect(onDemand())
    client.on('list-changed', () => {})
    await new Promise(setImmediate)
    expect(sentTo(world, url)).toHaveLength(1)
    await client.authorize()
    await arrival(world, 'subscriptions/listen')
    await client.close()
  })
})

describe('on demand, of a server that lets some in', () => {
  test('a call that needs a sign-in makes the connection unauthorized; the handshake is made anew', async () => {
    const world = createWorld({ needs: onlyCalls })
    const { connect, states, asked } = signingHost(world)
    const client = await connect(onDemand())
    await client.listTools()
    expect(await mcpRejection(client.callTool('private'))).toMatchObject(needed)
    expect(client.state.status).toBe('unauthorized')
    expect(asked).toEqual([])
    await client.authorize()
    await client.callTool('private')
    expect(states).toEqual(['ready', 'unauthorized', 'ready'])
  })

  test('a grant that dies later, too', async () => {
    const world = createWorld()
    const { connect, states, asked } = signingHost(world)
    const client = await connect(onDemand())
    await client.authorize()
    world.accepted.clear()
    world.refreshTokens.clear()
    expect(await mcpRejection(client.callTool('private'))).toMatchObject(needed)
    expect(states.at(-1)).toBe('unauthorized')
    await client.authorize()
    await client.callTool('private')
    expect(asked.map(({ reason }) => reason)).toEqual(['first', 'expired'])
  })

  test('a server that refuses what it has just renewed, too; then authorize() asks, though the token looks good', async () => {
    let isBroken = false
    const world = createWorld({
      tokenAnswer: (form) =>
        isBroken && form.get('grant_type') === 'refresh_token'
          ? Response.json({ access_token: 'useless', token_type: 'Bearer', expires_in: 3_600 })
          : undefined,
    })
    const { connect, states, asked } = signingHost(world)
    const client = await connect(onDemand())
    await client.authorize()
    world.accepted.clear()
    isBroken = true
    expect(await mcpRejection(client.callTool('private'))).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED' })
    expect(states.at(-1)).toBe('unauthorized')
    await client.authorize()
    await client.callTool('private')
    expect(asked.map(({ reason }) => reason)).toEqual(['first', 'expired'])
  })

  test('each call that it was refused to has an error of its own', async () => {
    const world = createWorld({ needs: onlyCalls })
    const { connect } = signingHost(world)
    const client = await connect(onDemand())
    const errors = await Promise.all([mcpRejection(client.callTool('a')), mcpRejection(client.callTool('b'))])
    expect(errors.map(({ data }) => data.tool)).toEqual(['a', 'b'])
    const later = await mcpRejection(client.listTools({ refresh: true }))
    expect(later.data).toMatchObject({ method: 'tools/list' })
    expect(later.data.tool).toBeUndefined()
    expect(client.state.error?.data?.tool).toBeUndefined()
  })

  test('a call that needs more scope is rejected, the others run; authorize() asks for it', async () => {
    const world = createWorld({
      needs: (sent) => (onlyCalls(sent) === undefined ? '' : 'write'),
      challenge: 'Bearer scope="read"',
    })
    const { connect, asked } = signingHost(world)
    const client = await connect(onDemand())
    await client.authorize()
    expect(await mcpRejection(client.callTool('private'))).toMatchObject({
      ...needed,
      data: { ...needed.data, status: 403, reason: 'insufficient_scope' },
    })
    expect(client.state.status).toBe('ready')
    await client.listTools({ refresh: true })
    await client.authorize()
    await client.callTool('private')
    // Now nothing is missing.
    await client.authorize()
    expect(asked.map(({ reason, scopes }) => [reason, scopes])).toEqual([
      ['first', ['read']],
      ['scope', ['read', 'write']],
    ])
  })
})

describe('signing out', () => {
  test('forgets the tokens, tells the authorization server, and leaves the connection unauthorized', async () => {
    const world = createWorld({ metadata: { revocation_endpoint: 'https://as.example/revoke' } })
    const { connect, host, states } = signingHost(world)
    const client = await connect(onDemand())
    await client.authorize()
    await host.signOut(url)
    expect(client.state.status).toBe('unauthorized')
    expect(await mcpRejection(client.callTool('private'))).toMatchObject(needed)
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
    const revoked = sentTo(world, 'https://as.example/revoke').map(({ init }) => new URLSearchParams(String(init.body)))
    expect(revoked.map((form) => form.get('token_type_hint'))).toEqual(['refresh_token', 'access_token'])
    await client.authorize()
    expect(states).toEqual(['unauthorized', 'ready', 'unauthorized', 'ready'])
  })

  test('of a server that nobody has signed in to leaves it as it is', async () => {
    const { connect, host } = signingHost(createWorld({ needs: onlyCalls }))
    const client = await connect(onDemand())
    await host.signOut()
    expect(client.state.status).toBe('ready')
    await client.listTools({ refresh: true })
  })

  test('of another server changes nothing', async () => {
    const { connect, host } = signingHost(createWorld())
    const client = await connect(onDemand())
    await client.authorize()
    await host.signOut('https://other.example/mcp')
    await client.callTool('private')
  })

  test('while the code is exchanged: its tokens are not kept', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const world = createWorld()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await world.fetch(input, init)
      if (String(input).endsWith('/token')) await released
      return response
    }
    const { connect, host, asked } = signingHost(world, { fetch })
    const client = await connect(onDemand())
    const signingIn = mcpRejection(client.authorize())
    await vi.waitUntil(() => world.tokenRequests.length > 0)
    await host.signOut()
    release()
    expect(await signingIn).toMatchObject({ data: { reason: 'signed-out' } })
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
    await client.authorize()
    expect(asked).toHaveLength(2)
  })

  test('while somebody signs in ends that', async () => {
    const world = createWorld()
    const { connect, host } = signingHost(world)
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const client = await connect(
      onDemand({
        async authorize(request) {
          await request
          asked()
          return new Promise(() => {})
        },
      }),
    )
    const signingIn = mcpRejection(client.authorize())
    await isAsked
    await host.signOut()
    expect(await signingIn).toMatchObject({ data: { reason: 'signed-out' } })
  })
})

test('a configuration without a sign-in has none', async () => {
  const world = createWorld({ needs: () => undefined })
  const { host } = signingHost(world)
  const client = await host.connect(url)
  expect(await mcpRejection(client.authorize())).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'auth' } })
})
