import { describe, expect, test } from 'vitest'
import type { AssertionRequest, AuthConfig } from '../../src/config.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, issuer, sentTo, signingHost, url } from '../support/oauth-world.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

const auth: AuthConfig = { type: 'client-credentials', clientId: 'robot', clientSecret: 's3cret' }

/** Gives a token for any machine's grant. */
function machineWorld(options: Parameters<typeof createWorld>[0] = {}) {
  let count = 0
  const world = createWorld({
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    ...options,
    tokenAnswer(form) {
      const access_token = `machine-${++count}`
      world.accepted.set(access_token, form.get('scope') ?? '')
      return Response.json({ access_token, token_type: 'Bearer', expires_in: 100 })
    },
  })
  return world
}

test('a token is got when the server asks for one, without anybody', async () => {
  const world = machineWorld()
  const { connect, asked, events } = signingHost(world)
  await (await connect({ config: { auth } })).callTool('private')
  expect(asked).toEqual([])
  expect(world.tokenRequests.map((form) => Object.fromEntries(form))).toEqual([
    { grant_type: 'client_credentials', client_id: 'robot', client_secret: 's3cret', resource: url },
  ])
  expect(events.map(({ step }) => step)).toEqual(['discovered', 'signed-in'])
})

test('none is got of a server that asks for none', async () => {
  const world = machineWorld({ needs: () => undefined })
  const { connect } = signingHost(world)
  await (await connect({ config: { auth } })).callTool('public')
  expect(world.sent.every(({ url: at }) => at === url)).toBe(true)
})

test('it is got anew before it expires, and when it is refused: once for any number of calls', async () => {
  const world = machineWorld()
  const { connect, timers } = signingHost(world)
  const client = await connect({ config: { auth } })
  timers.advance(95_000)
  await client.callTool('a')
  expect(world.tokenRequests).toHaveLength(2)
  world.accepted.clear()
  await Promise.all([client.callTool('a'), client.callTool('b'), client.callTool('c')])
  expect(world.tokenRequests).toHaveLength(3)
})

test('more scope is asked for by itself, and once', async () => {
  const world = machineWorld({
    needs: ({ body }) => (body?.method === 'tools/call' ? 'write' : ''),
    challenge: 'Bearer scope="read"',
  })
  const { connect } = signingHost(world)
  await (await connect({ config: { auth } })).callTool('private')
  expect(world.tokenRequests.map((form) => form.get('scope'))).toEqual(['read', 'read write'])
})

test('that is not enough: an error that says so', async () => {
  const world = machineWorld({ needs: () => 'write' })
  const { connect } = signingHost(world)
  // The authorization server gives what it likes.
  world.accepted.set = (token) => Map.prototype.set.call(world.accepted, token, 'nothing')
  expect(await mcpRejection(connect({ config: { auth } }))).toMatchObject({ data: { status: 403 } })
})

describe('the assertion hook', () => {
  test('gives a workload’s JWT', async () => {
    const world = machineWorld()
    const requests: AssertionRequest[] = []
    const { connect } = signingHost(world)
    const assertion = async (request: AssertionRequest) => {
      requests.push(request)
      return 'a.b.c'
    }
    await connect({ config: { auth: { type: 'jwt-bearer', clientId: 'robot' } }, hooks: { assertion } })
    expect(requests).toEqual([{ server: url, kind: 'jwt-bearer', audience: issuer, issuer, resource: url }])
    expect(world.tokenRequests[0]!.get('assertion')).toBe('a.b.c')
  })

  test('gives an enterprise’s identity token, which its identity provider turns into a grant', async () => {
    const world = machineWorld()
    const identityProvider = 'https://idp.example'
    const asked: URLSearchParams[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const at = String(input)
      if (!at.startsWith(identityProvider)) return world.fetch(input, init)
      if (at.includes('.well-known'))
        return Response.json({
          issuer: identityProvider,
          authorization_endpoint: `${identityProvider}/authorize`,
          token_endpoint: `${identityProvider}/token`,
        })
      asked.push(new URLSearchParams(String(init?.body)))
      return Response.json({
        access_token: 'j.a.g',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      })
    }
    const { connect } = signingHost(world, { fetch })
    await connect({
      config: { auth: { type: 'enterprise', clientId: 'robot', clientSecret: 's3cret', identityProvider } },
      hooks: { assertion: async () => 'i.d.t' },
    })
    expect(Object.fromEntries(asked[0]!)).toMatchObject({ subject_token: 'i.d.t', audience: issuer, resource: url })
    expect(world.tokenRequests[0]!.get('assertion')).toBe('j.a.g')
  })

  test('missing: the error says so, and the connection is none', async () => {
    const { connect } = signingHost(machineWorld())
    expect(await mcpRejection(connect({ config: { auth: { type: 'jwt-bearer', clientId: 'robot' } } }))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key: 'auth', server: url },
    })
  })
})

test('a refused client is an error that says so; its secret is in none', async () => {
  const world = createWorld({ tokenAnswer: () => Response.json({ error: 'invalid_client' }, { status: 401 }) })
  const { connect } = signingHost(world)
  const error = await mcpRejection(connect({ config: { auth } }))
  expect(error).toMatchObject({
    code: 'ERR_MCP_AUTHORIZATION',
    data: { step: 'token', reason: 'invalid_client', server: url },
  })
  expect(error.message).not.toContain('s3cret')
  expect(sentTo(world, `${issuer}/token`).length).toBeLessThan(3)
})
