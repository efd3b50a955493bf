import { expect, test } from 'vitest'
import { beginning, redirectUrl, serverUrl, testFlows } from '../support/flows.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

test('the page carries what OAuth 2.1 and MCP want, beside what its URL has already', async () => {
  const { flows } = testFlows()
  const flow = { ...beginning({ authorization_endpoint: 'https://as.example/authorize?tenant=a' }), scopes: ['a', 'b'] }
  const page = new URL(await flows.begin(flow))
  expect(page.origin + page.pathname).toBe('https://as.example/authorize')
  expect(Object.fromEntries(page.searchParams)).toEqual({
    tenant: 'a',
    response_type: 'code',
    client_id: 'client',
    redirect_uri: redirectUrl,
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    scope: 'a b',
    resource: serverUrl,
  })
})

test('a resource is left out where it is configured so, here and at the exchange', async () => {
  const { begin, finish, requests } = testFlows()
  const page = await begin({ ...beginning(), sendResource: false })
  await finish({ state: page.get('state'), code: 'c0de' })
  expect([page.get('resource'), requests[0]!.form.get('resource')]).toEqual([null, null])
})

test('offline_access asks for consent, without which OpenID gives no refresh token', async () => {
  const { begin } = testFlows()
  expect((await begin({ ...beginning(), scopes: ['offline_access'] })).get('prompt')).toBe('consent')
})

test.each([undefined, [], ['plain']])('code_challenge_methods_supported %j: refused', async (methods) => {
  const { begin } = testFlows()
  expect(await mcpRejection(begin(beginning({ code_challenge_methods_supported: methods })))).toMatchObject({
    code: 'ERR_MCP_AUTHORIZATION',
    data: { server: 'notes', step: 'authorize', reason: 'pkce' },
  })
})

test.each([
  [undefined, 'malformed'],
  ['javascript:alert(1)', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['http://as.example/authorize', 'insecure'],
])('authorization_endpoint %j: refused', async (authorization_endpoint, reason) => {
  const { begin } = testFlows()
  expect(await mcpRejection(begin(beginning({ authorization_endpoint })))).toMatchObject({
    data: { server: 'notes', step: 'authorize', reason },
  })
})

test('a callback with neither code nor error is none', async () => {
  const { begin, finish, requests } = testFlows()
  const state = (await begin()).get('state')
  expect(await mcpRejection(finish({ state }))).toMatchObject({ data: { reason: 'code' } })
  expect(requests).toEqual([])
})

test('another realm over the same store gets the outcome, and sends nothing', async () => {
  const first = testFlows()
  const state = (await first.begin()).get('state')
  await first.finish({ state, code: 'c0de' })
  // As another realm has it: the same records, in a store object of its own.
  const { get, set, delete: erase, exclusively } = first.store
  const second = testFlows({ store: { get, set, delete: erase, exclusively } })
  await second.finish({ state, code: 'c0de' })
  expect([second.requests, second.kept]).toEqual([[], []])
})

test('what is past is not kept', async () => {
  const { begin, store, timers } = testFlows()
  await begin()
  timers.advance(10 * 60_000)
  await begin()
  expect(Object.keys((await store.get('x/flows')) as object)).toHaveLength(1)
})
