import { describe, expect, test } from 'vitest'
import { endsGrant, isTransient } from '../../src/authorization/token-request.js'
import { exchangeCode, type GrantContext, readTokens, refresh, type Tokens } from '../../src/authorization/tokens.js'
import type { GuardedFetch } from '../../src/authorization/url-guard.js'
import { AuthorizationError, toErrorData } from '../../src/errors.js'
import type { Finding } from '../../src/protocol.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { authorizationServer, issuer, json, tokenEndpoint } from '../support/token-endpoint.js'

const resource = 'https://mcp.example/mcp'
const grant = { code: 'the-code', codeVerifier: 'the-verifier', redirectUrl: 'https://app.example/callback' }
const granted = { access_token: 'access', token_type: 'Bearer', expires_in: 3600 }
const held: Tokens = {
  accessToken: 'old-access',
  tokenType: 'Bearer',
  refreshToken: 'old-refresh',
  obtainedAt: 0,
  scope: 'read write',
  issuer,
  resource,
  clientId: 'client',
}

function context(fetch: GuardedFetch, own: Partial<GrantContext> = {}): GrantContext {
  return {
    server: authorizationServer,
    client: { clientId: 'client', authMethod: 'none' },
    fetch,
    now: () => 1_000_000,
    resource,
    ...own,
  }
}

describe('the exchange of a code', () => {
  test('sends the code, its verifier, the redirect URL and the resource', async () => {
    const endpoint = tokenEndpoint(() => json({ ...granted, refresh_token: 'refresh', scope: 'read' }))
    const tokens = await exchangeCode(grant, context(endpoint.fetch))
    expect(endpoint.requests).toHaveLength(1)
    const [request] = endpoint.requests
    expect(request?.url).toBe('https://as.example/token')
    expect(Object.fromEntries(request!.form)).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code',
      code_verifier: 'the-verifier',
      redirect_uri: 'https://app.example/callback',
      resource,
      client_id: 'client',
    })
    // Nothing that a browser would send a preflight for.
    expect([...request!.headers.keys()]).toEqual(['accept'])
    expect(tokens).toEqual({
      accessToken: 'access',
      tokenType: 'Bearer',
      refreshToken: 'refresh',
      obtainedAt: 1_000_000,
      expiresAt: 1_000_000 + 3_600_000,
      scope: 'read',
      issuer,
      resource,
      clientId: 'client',
    })
  })

  test('leaves the resource out where it is refused', async () => {
    const endpoint = tokenEndpoint(() => json(granted))
    await exchangeCode(grant, context(endpoint.fetch, { sendResource: false }))
    expect(endpoint.requests[0]?.form.has('resource')).toBe(false)
  })

  test('takes the scope that was asked for where the reply names none', async () => {
    const endpoint = tokenEndpoint(() => json(granted))
    expect((await exchangeCode({ ...grant, scope: 'read' }, context(endpoint.fetch))).scope).toBe('read')
  })

  test('counts the life of a token from when it was asked for', async () => {
    let now = 5_000
    const endpoint = tokenEndpoint(() => {
      now = 25_000
      return json({ ...granted, expires_in: 60 })
    })
    expect((await exchangeCode(grant, context(endpoint.fetch, { now: () => now }))).expiresAt).toBe(65_000)
  })

  test.each([
    [59.9, 59_000],
    // Ten years: what is beyond a date would be null in a store.
    [1e308, 315_360_000_000],
  ])('takes a life of %d seconds as %d ms', async (expires_in, ms) => {
    const { fetch } = tokenEndpoint(() => json({ ...granted, expires_in }))
    expect((await exchangeCode(grant, context(fetch, { now: () => 0 }))).expiresAt).toBe(ms)
  })

  test('needs a token endpoint', async () => {
    const { fetch, requests } = tokenEndpoint(() => json(granted))
    const error = await mcpRejection(exchangeCode(grant, context(fetch, { server: { issuer, metadata: {} } })))
    expect(error.data).toMatchObject({ step: 'token', reason: 'token-endpoint' })
    expect(requests).toEqual([])
  })
})

describe('an access token that can’t be used', () => {
  test.each([
    ['empty', ''],
    ['a number', 7],
    ['of two lines', 'a\r\nx-injected: 1'],
    ['not ASCII', 'tökên'],
  ])('%s', async (_, access_token) => {
    const { fetch } = tokenEndpoint(() => json({ ...granted, access_token }))
    const error = await mcpRejection(exchangeCode(grant, context(fetch)))
    expect(error).toBeInstanceOf(AuthorizationError)
    expect(error.data).toEqual({ step: 'token', reason: 'invalid-response', status: 200 })
  })

  test('bound to a key that nobody has', async () => {
    const { fetch } = tokenEndpoint(() => json({ ...granted, token_type: 'DPoP' }))
    expect((await mcpRejection(exchangeCode(grant, context(fetch)))).data.reason).toBe('token-type')
  })
})

test('what was mended is told', async () => {
  const findings: Finding[] = []
  const { fetch } = tokenEndpoint(() => json({ access_token: 'access' }))
  await exchangeCode(grant, context(fetch, { onFinding: (finding) => findings.push(finding) }))
  expect(findings.map(({ code }) => code)).toEqual(['token-type-missing'])
})

describe('a refresh', () => {
  test('keeps what the reply leaves out', async () => {
    const endpoint = tokenEndpoint(() => json(granted))
    const tokens = await refresh(held, context(endpoint.fetch))
    expect(Object.fromEntries(endpoint.requests[0]!.form)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'old-refresh',
      resource,
      client_id: 'client',
    })
    expect(tokens).toMatchObject({ accessToken: 'access', refreshToken: 'old-refresh', scope: 'read write' })
  })

  test('does not keep when the old access token expired', async () => {
    const { fetch } = tokenEndpoint(() => json({ access_token: 'access', token_type: 'Bearer' }))
    expect(await refresh({ ...held, expiresAt: 1 }, context(fetch))).not.toHaveProperty('expiresAt')
  })

  test.each([
    ['issuer', { issuer: 'https://other.example' }],
    ['client', { clientId: 'other' }],
  ])('goes to no other %s', async (_, other) => {
    const { fetch, requests } = tokenEndpoint(() => json(granted))
    const error = await mcpRejection(refresh({ ...held, ...other }, context(fetch)))
    expect(error.data).toEqual({ step: 'refresh', reason: 'issuer' })
    expect(requests).toEqual([])
  })
})

describe('a failure', () => {
  const failing = (answer: () => Response | Promise<Response>) =>
    mcpRejection(refresh(held, context(tokenEndpoint(answer).fetch)))

  test.each([
    ['invalid_grant', 400, { error: 'invalid_grant' }, 'invalid_grant', 'ends'],
    ['invalid_client', 401, { error: 'invalid_client' }, 'invalid_client', 'ends'],
    ['another error', 400, { error: 'invalid_scope' }, 'invalid_scope', 'neither'],
    ['temporarily_unavailable', 400, { error: 'temporarily_unavailable' }, 'temporarily_unavailable', 'transient'],
    ['503', 503, 'busy', 'http', 'transient'],
    ['429', 429, {}, 'http', 'transient'],
    // A proxy in front of a server that is down may answer anything.
    ['a 502 that says invalid_grant', 502, { error: 'invalid_grant' }, 'invalid_grant', 'transient'],
    ['a 404', 404, '<html>', 'http', 'neither'],
  ])('%s', async (_, status, body, reason, what) => {
    const error = await failing(() => json(body, { status }))
    expect(error.data).toMatchObject({ step: 'refresh', reason, status })
    expect({ ends: endsGrant(error), transient: isTransient(error) }).toEqual({
      ends: what === 'ends',
      transient: what === 'transient',
    })
  })

  test('of the network is transient', async () => {
    const error = await failing(() => Promise.reject(new TypeError('fetch failed')))
    expect(error.data).toEqual({ step: 'refresh', reason: 'network' })
    expect(isTransient(error)).toBe(true)
    expect(endsGrant(error)).toBe(false)
  })

  test('of the guard is told as it is, with the step', async () => {
    const refused = new AuthorizationError('no such address', { data: { reason: 'private-address' } })
    const error = await failing(() => Promise.reject(refused))
    expect(error.data).toEqual({ step: 'refresh', reason: 'private-address' })
    expect(isTransient(error)).toBe(false)
  })

  test.each([
    ['seconds', '120', 120_000],
    ['a date', new Date(1_000_000 + 45_000).toUTCString(), 45_000],
    ['a date that has passed', new Date(0).toUTCString(), 0],
    ['nonsense', 'soon', undefined],
  ])('tells how long the server wants to be left alone: %s', async (_, value, ms) => {
    const error = await failing(() => json({}, { status: 503, headers: { 'retry-after': value } }))
    expect(error.data.retryAfterMs).toBe(ms)
  })

  test('when aborted is the signal’s reason', async () => {
    const abort = new AbortController()
    const endpoint = tokenEndpoint(() => {
      abort.abort(new Error('enough'))
      return Promise.reject(new Error('aborted'))
    })
    const error = await rejection(refresh(held, context(endpoint.fetch, { signal: abort.signal })))
    expect((error as Error).message).toBe('enough')
  })
})

describe('what a server says', () => {
  const told = async (body: unknown, init: ResponseInit = { status: 400 }) =>
    mcpRejection(
      exchangeCode(
        grant,
        context(tokenEndpoint(() => json(body, init)).fetch, {
          client: { clientId: 'client', clientSecret: 'the secret', authMethod: 'client_secret_basic' },
        }),
      ),
    )

  test('is one line of plain text, and cut', async () => {
    const text = `first\nsecond\u202E\u0007${'x'.repeat(5_000)}`
    const { message } = await told({ error: 'invalid_request', error_description: text })
    expect(message).toContain('invalid_request (first second xxx')
    expect(message.length).toBeLessThan(400)
  })

  test('never holds what was sent', async () => {
    const basic = btoa('client:the+secret')
    const quoted = `code the-code, verifier the-verifier, the secret, the+secret, ${basic}`
    for (const body of [
      { error: 'invalid_grant', error_description: quoted },
      { error: quoted },
      { error: 'code.the-code' },
    ]) {
      const text = JSON.stringify(toErrorData(await told(body)))
      for (const secret of ['the-code', 'the-verifier', 'the secret', 'the+secret', basic])
        expect(text).not.toContain(secret)
    }
  })

  test('gives no reason that is no code', async () => {
    const error = await told({ error: 'something went wrong' })
    expect(error.data.reason).toBe('refused')
    expect(error.message).toContain('something went wrong')
  })
})

describe('tokens from a store', () => {
  test('are read as they were written', () => {
    const full: Tokens = { ...held, expiresAt: 5, tokenType: 'DPoP', keyThumbprint: 'key' }
    for (const tokens of [held, full]) expect(readTokens(JSON.parse(JSON.stringify(tokens)))).toEqual(tokens)
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [1]],
    ['without an issuer', { ...held, issuer: null }],
    ['with another type', { ...held, tokenType: 'mac' }],
    ['with a time that is none', { ...held, expiresAt: null }],
  ])('are none when %s', (_, value) => {
    expect(readTokens(value as never)).toBeUndefined()
  })
})
