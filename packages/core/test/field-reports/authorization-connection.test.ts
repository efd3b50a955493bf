import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, issuer, redirectUrl, sentTo, signingHost, url } from '../support/oauth-world.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

const ofCalls = ({ body }: { body: { method?: string } | undefined }) => body?.method === 'tools/call'

describe('CB-04 A challenge that CORS hides', () => {
  test('the sign-in begins all the same', async () => {
    const world = createWorld({ challenge: '' })
    const hidden: typeof fetch = async (input, init) => {
      const response = await world.fetch(input, init)
      return response.status === 401 ? new Response(null, { status: 401 }) : response
    }
    const { connect, asked } = signingHost(world, { fetch: hidden })
    await (await connect()).callTool('private')
    expect(asked).toHaveLength(1)
  })
})

describe('OF-48 Sign-ins that overlap', () => {
  test('three 401 at once: one person is asked once', async () => {
    const world = createWorld({ needs: (sent) => (ofCalls(sent) ? '' : undefined) })
    const { connect, asked } = signingHost(world)
    const client = await connect()
    await Promise.all([client.callTool('a'), client.callTool('b'), client.callTool('c')])
    expect(asked).toHaveLength(1)
    expect(world.tokenRequests).toHaveLength(1)
  })

  test('two connections to one server: once, too', async () => {
    const world = createWorld({ needs: (sent) => (ofCalls(sent) ? '' : undefined) })
    const { connect, asked } = signingHost(world)
    const [one, other] = await Promise.all([connect(), connect()])
    await Promise.all([one.callTool('a'), other.callTool('b')])
    expect(asked).toHaveLength(1)
  })
})

describe('RG-32 A client that the server forgot', () => {
  test.each(['invalid_client', 'unauthorized_client'])(
    '%s: registered once more, and begun once more',
    async (error) => {
      let refusals = 0
      const world = createWorld({
        tokenAnswer: () => (refusals++ === 0 ? Response.json({ error }, { status: 401 }) : undefined),
      })
      const { connect, asked } = signingHost(world)
      await connect()
      expect(asked).toHaveLength(2)
      expect(sentTo(world, `${issuer}/register`)).toHaveLength(2)
      const [first, second] = world.pages.map((page) => page.get('client_id'))
      expect(first).not.toBe(second)
    },
  )

  test('for ever: twice and no more', async () => {
    const world = createWorld({ tokenAnswer: () => Response.json({ error: 'invalid_client' }, { status: 401 }) })
    const { connect, asked } = signingHost(world)
    expect(await mcpRejection(connect())).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { step: 'token', reason: 'invalid_client', server: url },
    })
    expect(asked).toHaveLength(2)
  })

  test('at a refresh: somebody signs in anew, as another client', async () => {
    const world = createWorld()
    const { connect, asked, timers } = signingHost(world)
    const client = await connect()
    timers.advance(30_000)
    world.accepted.clear()
    world.clients.clear()
    await client.callTool('private')
    expect(asked.map(({ reason }) => reason)).toEqual(['first', 'expired'])
    expect(sentTo(world, `${issuer}/register`)).toHaveLength(2)
  })

  test('at a page from which nobody comes back: given up, the registration is forgotten', async () => {
    const world = createWorld()
    const { connect, host } = signingHost(world)
    await (await connect()).close()
    await host.signOut(url)
    const authorize = async (request: Promise<unknown>) => {
      await request
      throw new Error('closed')
    }
    expect(await mcpRejection(connect({ hooks: { authorize } }))).toMatchObject({ data: { reason: 'hook' } })
    await (await connect()).callTool('private')
    expect(sentTo(world, `${issuer}/register`)).toHaveLength(2)
  })

  test('kept by issuer and redirect URI: another one is registered for itself', async () => {
    const world = createWorld()
    const { connect, host } = signingHost(world)
    await connect()
    await host.signOut()
    await connect({ config: { auth: { type: 'oauth', redirectUrl: 'https://app.example/other' } } })
    await host.signOut()
    await connect()
    expect(
      sentTo(world, `${issuer}/register`).map(({ body }) => (body as { redirect_uris?: unknown }).redirect_uris),
    ).toEqual([[redirectUrl], ['https://app.example/other']])
  })
})

describe('RG-41 Signing in for ever', () => {
  const refusing = () =>
    createWorld({
      own: {},
      challenge: 'Bearer error="invalid_token"',
      tokenAnswer: () => Response.json({ access_token: 'bad', token_type: 'Bearer' }),
    })

  test('a server that always answers 401: once, then its challenge', async () => {
    const world = refusing()
    const { connect, asked } = signingHost(world)
    expect(await mcpRejection(connect())).toMatchObject({
      code: 'ERR_MCP_UNAUTHORIZED',
      data: { status: 401, reason: 'invalid_token' },
    })
    expect(asked).toHaveLength(1)
  })

  test('the next request waits for a pause, but nobody who asks for it does', async () => {
    const world = createWorld({
      needs: (sent) => (ofCalls(sent) ? '' : undefined),
      tokenAnswer: () => Response.json({ access_token: 'bad', token_type: 'Bearer' }),
    })
    const { connect, asked, timers } = signingHost(world)
    const client = await connect()
    const refused = { code: 'ERR_MCP_UNAUTHORIZED', data: { tool: 'a', outcome: 'not-run' } }
    expect(await mcpRejection(client.callTool('a'))).toMatchObject(refused)
    expect(await mcpRejection(client.callTool('a'))).toMatchObject(refused)
    expect(asked).toHaveLength(1)
    await client.authorize()
    expect(asked).toHaveLength(2)
    timers.advance(30_000)
    expect(await mcpRejection(client.callTool('a'))).toMatchObject(refused)
    expect(asked).toHaveLength(3)
  })
})

describe('RG-42 A call that needs more scope', () => {
  const needing = (scope: string) => (sent: Parameters<typeof ofCalls>[0]) => (ofCalls(sent) ? scope : '')

  test('a new authorization for what was granted and what is wanted, and no refresh', async () => {
    const world = createWorld({ needs: needing('write'), challenge: 'Bearer scope="read"' })
    const { connect, asked } = signingHost(world)
    await (await connect()).callTool('private')
    expect(asked.map(({ reason, scopes }) => [reason, scopes])).toEqual([
      ['first', ['read']],
      ['scope', ['read', 'write']],
    ])
    expect(world.tokenRequests.map((form) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'authorization_code',
    ])
  })

  test('a new authorization: the SDK fails it, and refreshes to the same scopes', async () => {
    const world = createWorld()
    world.clients.add('client')
    world.refreshTokens.add('refresh-0')
    const opened: URL[] = []
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl] },
      clientInformation: () => ({ client_id: 'client', issuer }),
      tokens: () => ({ access_token: 'access-0', refresh_token: 'refresh-0', token_type: 'Bearer', issuer }),
      saveTokens() {},
      codeVerifier: () => '',
      saveCodeVerifier() {},
      redirectToAuthorization: (page) => void opened.push(page),
    }
    expect(await auth(provider, { serverUrl: url, scope: 'read write', fetchFn: world.fetch })).toBe('AUTHORIZED')
    expect(opened).toEqual([])
    expect(world.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['refresh_token'])
  })

  test('that is granted and refused again: an error that says so, and nobody is asked again', async () => {
    const world = createWorld({ needs: needing('write'), challenge: 'Bearer scope="read"' })
    const { connect, asked } = signingHost(world)
    const client = await connect({
      hooks: {
        async authorize(request) {
          const page = await request
          asked.push(page)
          // The person allows less than was asked for.
          return { callbackUrl: world.approve({ ...page, url: page.url.replace('+write', '') }) }
        },
      },
    })
    for (let calls = 0; calls < 4; calls++)
      expect(await mcpRejection(client.callTool('private'))).toMatchObject({
        data: { status: 403, tool: 'private', outcome: 'not-run' },
      })
    expect(asked).toHaveLength(2)
    // What needs less still runs.
    await client.listTools({ refresh: true })
  })
})

describe('RG-43 Which scopes are asked for', () => {
  const lists = {
    resource: { scopes_supported: ['a', 'b'] },
    metadata: { scopes_supported: ['a', 'b', 'admin', 'offline_access'] },
  }
  test.each<[string, Parameters<typeof createWorld>[0], string[] | undefined]>([
    ['the challenge’s', { ...lists, challenge: 'Bearer scope="a"' }, ['a', 'offline_access']],
    ['else the resource’s', lists, ['a', 'b', 'offline_access']],
    ['else none', { metadata: lists.metadata }, undefined],
    ['no offline_access where the server doesn’t list it', { resource: lists.resource }, ['a', 'b']],
    [
      'nor where it gives no refresh tokens',
      { ...lists, metadata: { ...lists.metadata, grant_types_supported: ['authorization_code'] } },
      ['a', 'b'],
    ],
  ])('%s', async (_name, options, scopes) => {
    const world = createWorld(options)
    const { connect, asked } = signingHost(world)
    await connect()
    expect(asked[0]!.scopes).toEqual(scopes)
    expect(world.pages[0]!.get('scope')).toBe(scopes?.join(' ') ?? null)
  })
})
