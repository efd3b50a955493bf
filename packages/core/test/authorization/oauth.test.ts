import { expect, test } from 'vitest'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, issuer, redirectUrl, sentTo, signingHost, url } from '../support/oauth-world.js'

failOnUnhandled()

test('nobody signs in before the server asks for it', async () => {
  const world = createWorld({ needs: ({ body }) => (body?.method === 'tools/call' ? '' : undefined) })
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
