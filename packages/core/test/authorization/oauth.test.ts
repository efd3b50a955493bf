import { describe, expect, test } from 'vitest'
import type { AuthorizationRequest } from '../../src/config.js'
import { toErrorData } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, issuer, redirectUrl, sentTo, signingHost, url } from '../support/oauth-world.js'
import { mcpRejection, rejection } from '../support/rejection.js'

failOnUnhandled()

const onlyCalls = ({ body }: { body: { method?: string } | undefined }) =>
  body?.method === 'tools/call' ? '' : undefined

test('nobody signs in before the server asks for it', async () => {
  const world = createWorld({ needs: onlyCalls })
  const { connect, asked } = signingHost(world)
  const client = await connect()
  await client.listTools()
  expect(world.sent.filter(({ url: at }) => at !== url)).toEqual([])
  await client.callTool('private')
  expect(asked).toEqual([
    { server: url, url: expect.stringContaining(`${issuer}/authorize?`), redirectUrl, reason: 'first' },
  ])
})

test('a sign-in from the first 401 to the call, with each step told', async () => {
  const world = createWorld()
  const { connect, asked, events, states } = signingHost(world)
  const client = await connect()
  await client.callTool('private')
  expect(asked).toHaveLength(1)
  expect(events).toEqual([
    { type: 'authorization', step: 'discovered', issuer },
    { type: 'authorization', step: 'registered', issuer },
    { type: 'authorization', step: 'asked', issuer },
    { type: 'authorization', step: 'signed-in', issuer },
  ])
  expect(states).toEqual(['ready'])
  expect(Object.fromEntries(world.pages[0]!)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: url,
    redirect_uri: redirectUrl,
  })
  expect(Object.fromEntries(world.tokenRequests[0]!)).toMatchObject({ grant_type: 'authorization_code', resource: url })
  expect(sentTo(world, url).at(-1)?.headers.get('authorization')).toBe('Bearer access-3')
})

describe('a token that is refused', () => {
  test('is renewed once for twenty calls, with the metadata looked up anew', async () => {
    const world = createWorld()
    const { connect, asked, events } = signingHost(world)
    const client = await connect()
    world.accepted.clear()
    const before = world.sent.length
    await Promise.all(Array.from({ length: 20 }, (_, index) => client.callTool(`tool-${index}`)))
    expect(asked).toHaveLength(1)
    expect(world.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token'])
    expect(world.sent.slice(before).some(({ url: at }) => at.includes('oauth-protected-resource'))).toBe(true)
    expect(events.map(({ step }) => step)).toContain('renewed')
  })

  test('goes to no other authorization server, when the MCP server has moved to one', async () => {
    const moved = 'https://new.example'
    const world = createWorld()
    let isMoved = false
    const refreshed: string[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const at = String(input)
      if (!isMoved || at === url) return world.fetch(input, init)
      if (at.includes('oauth-protected-resource'))
        return Response.json({ resource: url, authorization_servers: [moved] })
      refreshed.push(String(init?.body))
      const answer = await world.fetch(at.replace(moved, issuer), init)
      return new Response((await answer.text()).replaceAll(issuer, moved), answer)
    }
    const { connect, asked, timers } = signingHost(world, { fetch })
    const client = await connect()
    timers.advance(30_000)
    isMoved = true
    world.accepted.clear()
    await client.callTool('private')
    expect(asked.map((page) => new URL(page.url).origin)).toEqual([issuer, moved])
    expect(refreshed.join()).not.toContain('refresh-')
  })

  test('by a server that moves again and again: somebody signs in anew at once, three times', async () => {
    const world = createWorld()
    let moves = 0
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const at = String(input)
      const here = `https://as-${moves}.example`
      if (moves === 0 || at === url) return world.fetch(input, init)
      if (at.includes('oauth-protected-resource'))
        return Response.json({ resource: url, authorization_servers: [here] })
      const answer = await world.fetch(at.replace(here, issuer), init)
      return new Response((await answer.text()).replaceAll(issuer, here), answer)
    }
    const { connect, asked } = signingHost(world, { fetch })
    const client = await connect()
    const move = () => {
      moves += 1
      world.accepted.clear()
    }
    for (let turn = 0; turn < 3; turn++) {
      move()
      await Promise.all([client.callTool('private'), client.callTool('private')])
    }
    expect(asked.map((page) => new URL(page.url).hostname)).toEqual([
      'as.example',
      'as-1.example',
      'as-2.example',
      'as-3.example',
    ])
    move()
    expect(await mcpRejection(client.callTool('private'))).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED' })
    expect(asked).toHaveLength(4)
  })

  test('and whose refresh token is, too: somebody signs in anew', async () => {
    const world = createWorld()
    const { connect, asked, timers } = signingHost(world)
    const client = await connect()
    timers.advance(30_000)
    world.accepted.clear()
    world.refreshTokens.clear()
    await client.callTool('private')
    expect(asked.map(({ reason }) => reason)).toEqual(['first', 'expired'])
  })

  test('is asked for anew with all that was granted', async () => {
    const world = createWorld({
      needs: ({ body }) => (body?.method === 'tools/call' ? 'write' : ''),
      challenge: 'Bearer scope="read"',
    })
    const { connect, asked, timers } = signingHost(world)
    const client = await connect()
    await client.callTool('private')
    timers.advance(30_000)
    world.accepted.clear()
    world.refreshTokens.clear()
    await client.listTools({ refresh: true })
    expect(asked.map(({ scopes }) => scopes)).toEqual([['read'], ['read', 'write'], ['read', 'write']])
  })

  test('of several calls, in vain: each has an error of its own', async () => {
    const world = createWorld({ needs: onlyCalls })
    const { connect } = signingHost(world)
    const client = await connect({ hooks: { authorize: () => Promise.reject(new Error('no window')) } })
    const errors = await Promise.all([mcpRejection(client.callTool('a')), mcpRejection(client.callTool('b'))])
    expect(errors.map(({ code, data }) => [code, data.tool, data.outcome])).toEqual([
      ['ERR_MCP_AUTHORIZATION', 'a', 'not-run'],
      ['ERR_MCP_AUTHORIZATION', 'b', 'not-run'],
    ])
  })

  test('while the authorization server is down: the call fails, and nobody is asked to sign in', async () => {
    let isDown = false
    const world = createWorld({ tokenAnswer: () => (isDown ? new Response(null, { status: 503 }) : undefined) })
    const { connect, asked, timers } = signingHost(world)
    const client = await connect()
    world.accepted.clear()
    isDown = true
    const failing = mcpRejection(client.callTool('private'))
    for (let turns = 0; turns < 20; turns++) {
      await new Promise(setImmediate)
      timers.advance(2_000)
    }
    expect(await failing).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { step: 'refresh', status: 503, tool: 'private', outcome: 'not-run' },
    })
    expect(asked).toHaveLength(1)
    isDown = false
    timers.advance(300_000)
    await client.callTool('private')
    expect(asked).toHaveLength(1)
  })
})

test('a token that is about to expire is renewed before it is used', async () => {
  const world = createWorld({ expiresIn: 100 })
  const { connect, timers } = signingHost(world)
  const client = await connect()
  timers.advance(95_000)
  await client.callTool('private')
  expect(world.tokenRequests).toHaveLength(2)
  expect(sentTo(world, url).filter(({ response }) => response?.status === 401)).toHaveLength(1)
})

test('a second connection of the host needs nobody', async () => {
  const world = createWorld()
  const { connect, asked } = signingHost(world)
  await connect()
  await connect()
  expect(asked).toHaveLength(1)
})

test('the tokens of one server go to no other, also of the same name', async () => {
  const world = createWorld()
  const other: (string | null)[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!String(input).startsWith('https://other.example')) return world.fetch(input, init)
    other.push(new Request(input, init).headers.get('authorization'))
    return new Response(null, { status: 401 })
  }
  const { host, hooks } = signingHost(world, { fetch })
  const auth = { type: 'oauth', redirectUrl } as const
  await host.open({ url, auth }, hooks, 'notes')
  await rejection(host.open({ url: 'https://other.example/mcp', auth }, hooks, 'notes'))
  expect(other.length).toBeGreaterThan(1)
  expect(other.filter(Boolean)).toEqual([])
})

describe('the authorize hook', () => {
  test('is called in the turn of authorize(), before its page is known', async () => {
    const world = createWorld({ needs: onlyCalls })
    let called = false
    const { connect } = signingHost(world)
    const client = await connect({
      hooks: {
        authorize: async (request) => {
          called = true
          return { callbackUrl: world.approve(await request) }
        },
      },
    })
    const signingIn = client.authorize()
    expect(called).toBe(true)
    await signingIn
    expect(world.tokenRequests).toHaveLength(1)
  })

  test('hears that there is nothing to open, where the tokens are good', async () => {
    const world = createWorld()
    const heard: unknown[] = []
    const { connect, timers } = signingHost(world)
    let approves = true
    const client = await connect({
      hooks: {
        async authorize(request) {
          if (approves) return { callbackUrl: world.approve(await request) }
          heard.push(await mcpRejection(request))
          return new Promise(() => {})
        },
      },
    })
    approves = false
    await client.authorize()
    expect(heard).toMatchObject([{ code: 'ERR_MCP_AUTHORIZATION', data: { reason: 'not-needed' } }])
    expect(timers.pending()).toBe(0)
  })

  test('that fails at once ends the sign-in, whatever is still looked up', async () => {
    const world = createWorld()
    const fetch: typeof globalThis.fetch = (input, init) =>
      String(input).includes('.well-known') ? new Promise(() => {}) : world.fetch(input, init)
    const { connect } = signingHost(world, { fetch })
    const error = await mcpRejection(connect({ hooks: { authorize: () => Promise.reject(new Error('no window')) } }))
    expect(error).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { server: url, step: 'authorize', reason: 'hook' },
      cause: { message: 'no window' },
    })
  })

  test('hears why there is no page', async () => {
    const world = createWorld({ resource: { resource: 'https://evil.example/mcp' } })
    const { connect } = signingHost(world)
    let heard: unknown
    const authorize = async (request: Promise<AuthorizationRequest>) => {
      heard = await mcpRejection(request)
      return new Promise<never>(() => {})
    }
    expect(await mcpRejection(connect({ hooks: { authorize } }))).toMatchObject({
      data: { reason: 'resource-mismatch' },
    })
    expect(heard).toMatchObject({ data: { step: 'discovery', reason: 'resource-mismatch', server: url } })
  })

  test('has ten minutes, which count against no other deadline', async () => {
    const world = createWorld()
    const { connect, timers } = signingHost(world)
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const connecting = mcpRejection(
      connect({
        hooks: {
          async authorize(request) {
            await request
            asked()
            return new Promise(() => {})
          },
        },
      }),
    )
    await isAsked
    await new Promise(setImmediate)
    timers.advance(10 * 60_000)
    expect(await connecting).toMatchObject({ data: { step: 'authorize', reason: 'timeout' } })
  })

  test('is let go of when the caller of authorize() gives up; the next one begins anew', async () => {
    const world = createWorld({ needs: onlyCalls })
    const { connect, asked } = signingHost(world)
    const client = await connect({
      hooks: {
        async authorize(request) {
          asked.push(await request)
          if (asked.length > 1) return { callbackUrl: world.approve(await request) }
          return new Promise(() => {})
        },
      },
    })
    const abort = new AbortController()
    const signingIn = rejection(client.authorize({ signal: abort.signal }))
    await new Promise<void>((resolve) => {
      const look = () => (asked.length > 0 ? resolve() : setImmediate(look))
      look()
    })
    abort.abort('enough')
    expect(await signingIn).toBe('enough')
    await client.authorize()
    expect(asked).toHaveLength(2)
  })

  test('need not settle, nor discovery, for the caller of authorize() to give up', async () => {
    const world = createWorld({ needs: onlyCalls })
    const fetch: typeof globalThis.fetch = (input, init) =>
      String(input).includes('.well-known') ? new Promise(() => {}) : world.fetch(input, init)
    const { connect } = signingHost(world, { fetch })
    const client = await connect({ hooks: { authorize: () => new Promise(() => {}) } })
    const abort = new AbortController()
    const signingIn = rejection(client.authorize({ signal: abort.signal }))
    abort.abort('enough')
    expect(await signingIn).toBe('enough')
  })

  test('missing: the error says what is needed', async () => {
    const { connect } = signingHost(createWorld())
    const error = await mcpRejection(connect({ hooks: { authorize: undefined as never } }))
    expect(error).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED', data: { server: url, reason: 'sign-in' } })
    expect(error.message).toContain('authorize hook')
  })
})

test('no secret is in any event, state or error', async () => {
  const world = createWorld({ challenge: 'Bearer scope="read"' })
  const told: unknown[] = []
  const { connect, timers } = signingHost(world)
  const client = await connect({ hooks: { onEvent: (event) => void told.push(event) } })
  timers.advance(30_000)
  world.accepted.clear()
  await client.callTool('private')
  world.accepted.clear()
  world.refreshTokens.clear()
  await client.callTool('private')
  const text =
    JSON.stringify(told) + JSON.stringify(toErrorData(await rejection(client.callTool('x', {}, { timeoutMs: 0 }))))
  const secrets = world.tokenRequests.flatMap((form) =>
    ['code', 'code_verifier', 'refresh_token'].flatMap((name) => form.get(name) ?? []),
  )
  expect(secrets.length).toBeGreaterThan(3)
  for (const secret of [...secrets, ...world.pages.map((page) => page.get('state')!), 'access-'])
    expect(text).not.toContain(secret)
})
