import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OauthServer, startOauthServer } from '../src/start-server.js'
import { askForToken, callTool, signInRaw, tokensRaw } from './raw-sign-in.js'

let server: OauthServer

beforeAll(async () => {
  server = await startOauthServer()
})
afterAll(() => server.close())

const refresh = (client_id: string, refresh_token: string) =>
  askForToken(server.issuer, { grant_type: 'refresh_token', refresh_token, client_id })

test('a person signs in by forms, and a tool runs in their name', async () => {
  const { callback, forms, state } = await signInRaw(server, 'mcp:read', { wrongPasswords: ['guess'] })
  expect(forms).toEqual(['login', 'login', 'consent'])
  expect(callback.get('state')).toBe(state)
  expect(callback.get('iss')).toBe(server.issuer)
  const { reply, client_id } = await tokensRaw(server, 'mcp:read')
  const response = await callTool(server.resource, reply.access_token!, 'whoami')
  expect(await response.text()).toContain(`ada by ${client_id}`)
})

test('a person who refuses is led back with an error and no code', async () => {
  const { callback } = await signInRaw(server, 'mcp:read', { consent: 'deny' })
  expect(callback.get('error')).toBe('access_denied')
  expect(callback.has('code')).toBe(false)
})

test('a verifier that does not fit the challenge gets nothing', async () => {
  const { client_id, callback } = await signInRaw(server, 'mcp:read')
  const { status, reply } = await askForToken(server.issuer, {
    grant_type: 'authorization_code',
    code: callback.get('code')!,
    redirect_uri: 'http://127.0.0.1:9/callback',
    code_verifier: 'x'.repeat(43),
    client_id,
  })
  expect([status, reply.error]).toEqual([400, 'invalid_grant'])
})

test('a refresh token that was used before ends the grant', async () => {
  const { reply, client_id } = await tokensRaw(server, 'mcp:read')
  const renewed = await refresh(client_id, reply.refresh_token!)
  expect(renewed.reply.refresh_token).not.toBe(reply.refresh_token)
  expect((await refresh(client_id, reply.refresh_token!)).reply.error).toBe('invalid_grant')
  expect((await refresh(client_id, renewed.reply.refresh_token!)).reply.error).toBe('invalid_grant')
  expect((await callTool(server.resource, renewed.reply.access_token!, 'whoami')).status).toBe(401)
})

test('an access token expires with the clock of the servers', async () => {
  const { reply } = await tokensRaw(server, 'mcp:read')
  expect((await callTool(server.resource, reply.access_token!, 'whoami')).status).toBe(200)
  await server.change({ clockAheadSeconds: 3_601 })
  expect((await callTool(server.resource, reply.access_token!, 'whoami')).status).toBe(401)
})

test('a tool that needs more is refused with what it needs', async () => {
  const { reply } = await tokensRaw(server, 'mcp:read')
  const response = await callTool(server.resource, reply.access_token!, 'write', { text: 'x' })
  expect(response.status).toBe(403)
  expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope"/)
  expect(response.headers.get('www-authenticate')).toMatch(/scope="mcp:write"/)
})

test('the log names no secret, and the secrets are told apart', async () => {
  const { reply } = await tokensRaw(server, 'mcp:read')
  const { log, secrets } = await server.read()
  const kinds = new Set(secrets.map(({ kind }) => kind))
  expect([...kinds]).toEqual(
    expect.arrayContaining(['access_token', 'refresh_token', 'code', 'code_verifier', 'state']),
  )
  expect(secrets).toContainEqual({ kind: 'access_token', value: reply.access_token })
  for (const { value } of secrets) expect(JSON.stringify(log)).not.toContain(value)
})

test('a token that is a JWT is taken for what its signature says', async () => {
  const other = await startOauthServer({ jwt: true })
  try {
    const { reply } = await tokensRaw(other, 'mcp:read')
    expect(reply.access_token!.split('.')).toHaveLength(3)
    expect((await callTool(other.resource, reply.access_token!, 'whoami')).status).toBe(200)
    expect((await callTool(other.resource, `${reply.access_token}x`, 'whoami')).status).toBe(401)
  } finally {
    await other.close()
  }
})
