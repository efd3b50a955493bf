import { expect, test } from 'vitest'
import { reply } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, redirectUrl, signingHost, url } from '../support/oauth-world.js'

failOnUnhandled()

const tools = [{ name: 'read', inputSchema: { type: 'object' } }]
const own: NonNullable<Parameters<typeof createWorld>[0]>['own'] = {
  'tools/list': (sent) => reply(sent, { tools, ttlMs: 0, cacheScope: 'private' }),
}
const auth = { type: 'oauth', redirectUrl } as const

test('a server that wants a sign-in joins the set without tools, and with them after authorize()', async () => {
  const { host, hooks, asked } = signingHost(createWorld({ own }))
  const set = await host.connectAll({ notes: { url, auth } }, { ...hooks, signIn: 'on-demand' })
  expect(set.tools).toEqual([])
  expect(set.servers.notes?.state).toMatchObject({ status: 'unauthorized', error: { data: { server: 'notes' } } })
  await set.authorize('notes')
  expect(set.tools.map(({ name }) => name)).toEqual(['notes__read'])
  expect(set.servers.notes?.state.error).toBeUndefined()
  expect(asked).toMatchObject([{ server: 'notes' }])
})

test('the hook is called in the turn of authorize()', async () => {
  const { host } = signingHost(createWorld({ own }))
  let isCalled = false
  const authorize = async () => {
    isCalled = true
    return Promise.reject(new Error('not now'))
  }
  const set = await host.connectAll({ notes: { url, auth } }, { signIn: 'on-demand', authorize })
  const signingIn = set.authorize('notes').catch((error) => error)
  expect(isCalled).toBe(true)
  expect(await signingIn).toMatchObject({ data: { server: 'notes', reason: 'hook' } })
})

test('a list that wants a sign-in leaves the server in the set as well', async () => {
  const world = createWorld({ own, needs: ({ body }) => (body?.method === 'tools/list' ? '' : undefined) })
  const { host, hooks } = signingHost(world)
  const set = await host.connectAll({ notes: { url, auth } }, { ...hooks, signIn: 'on-demand' })
  expect(set.servers.notes?.state.status).toBe('unauthorized')
  await set.servers.notes?.client?.authorize()
  await new Promise<void>((resolve) => {
    const look = () => (set.tools.length > 0 ? resolve() : setImmediate(look))
    look()
  })
})

test('a server whose grant dies keeps its tools, and says so', async () => {
  const world = createWorld({ own })
  const { host, hooks } = signingHost(world)
  const set = await host.connectAll({ notes: { url, auth } }, { ...hooks, signIn: 'on-demand' })
  await set.authorize('notes')
  await host.signOut('notes')
  expect(set.servers.notes?.state.status).toBe('unauthorized')
  expect(set.tools).toHaveLength(1)
})
