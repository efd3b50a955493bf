import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { authenticateClient } from '../../src/authorization/client-authentication.js'
import { createDpop } from '../../src/authorization/dpop.js'
import { requireCrypto } from '../../src/authorization/web-crypto.js'
import { AuthorizationError } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { authorizationServer, json, type TokenRequest, tokenEndpoint } from '../support/token-endpoint.js'
import { type Granted, ourTokens, sdkTokens, type TokenSubject } from './token-subjects.js'

interface TokenCase {
  name: string
  run(subject: TokenSubject): Promise<void>
  /** The SDK's own has the fault: how the case fails for it. */
  sdkFails?: RegExp
}

const granted = { access_token: 'access', token_type: 'Bearer', expires_in: 3600 }

const exchanging = (subject: TokenSubject, body: unknown, init?: ResponseInit) =>
  subject.exchange(tokenEndpoint(() => json(body, init)))

/** A code exchange whose reply is odd, and what is to be made of it. */
const reply = (name: string, body: unknown, expected: Partial<Granted>, sdkFails?: RegExp): TokenCase => ({
  name,
  async run(subject) {
    expect(await exchanging(subject, body)).toMatchObject(expected)
  },
  ...(sdkFails && { sdkFails }),
})

/** A client, and how it has to show itself. */
const showing = (
  name: string,
  client: Parameters<TokenSubject['exchange']>[1],
  check: (request: TokenRequest) => void,
  sdkFails?: RegExp,
): TokenCase => ({
  name,
  async run(subject) {
    const endpoint = tokenEndpoint(() => json(granted))
    await subject.exchange(endpoint, client)
    check(endpoint.requests[0] as TokenRequest)
  },
  ...(sdkFails && { sdkFails }),
})

const shown = ({ form, headers }: TokenRequest) => ({
  id: form.get('client_id'),
  secret: form.get('client_secret'),
  header: headers.get('authorization'),
})

/** An authorization server that takes each refresh token once, and gives a new one. */
function rotating() {
  let current = 0
  const endpoint = tokenEndpoint(({ form }) => {
    if (form.get('refresh_token') !== `refresh-${current}`) return json({ error: 'invalid_grant' }, { status: 400 })
    current++
    return json({ ...granted, access_token: `access-${current}`, refresh_token: `refresh-${current}` })
  })
  return endpoint
}

const renewing = (name: string, calls: { tabs: number; perTab: number }, sdkFails: RegExp): TokenCase => ({
  name,
  async run(subject) {
    const endpoint = rotating()
    const { given, kept } = await subject.renew(endpoint, calls)
    expect({ kept, given }).toEqual({
      kept: 'refresh-1',
      given: Array(calls.tabs * calls.perTab).fill('access-1'),
    })
    expect(endpoint.requests).toHaveLength(1)
  },
  sdkFails,
})

const form = (fields: Record<string, string>, contentType: string): Response =>
  new Response(new URLSearchParams(fields), { headers: { 'content-type': contentType } })

const reports: { id: string; title: string; cases: TokenCase[] }[] = [
  {
    id: 'RG-33',
    title: 'how the client authenticates',
    cases: [
      showing('a public client sends its id and no secret at all', { supported: ['none'] }, (request) => {
        expect(shown(request)).toEqual({ id: 'client', secret: null, header: null })
        expect(request.form.has('client_secret')).toBe(false)
      }),
      showing(
        'also with an empty secret',
        { clientSecret: '' },
        (request) => {
          expect(shown(request)).toEqual({ id: 'client', secret: null, header: null })
        },
        /requires a client_secret/,
      ),
      showing(
        'a server that takes it in the body only gets it there',
        { clientSecret: 'secret', supported: ['client_secret_post'] },
        (request) => expect(shown(request)).toEqual({ id: 'client', secret: 'secret', header: null }),
      ),
      showing('the header is the default', { clientSecret: 'secret' }, (request) =>
        expect(shown(request)).toMatchObject({ secret: null, header: `Basic ${btoa('client:secret')}` }),
      ),
      showing(
        'what the registration answered goes before what the metadata say',
        { clientSecret: 'secret', registered: 'client_secret_post', supported: ['client_secret_basic'] },
        (request) => expect(shown(request)).toEqual({ id: 'client', secret: 'secret', header: null }),
        /deeply equal/,
      ),
      showing(
        'a secret is form-encoded in the header',
        { clientSecret: 'a:b%ü' },
        (request) => expect(atob(request.headers.get('authorization')?.slice(6) ?? '')).toBe('client:a%3Ab%25%C3%BC'),
        /to be 'client:a%3Ab%25%C3%BC'/,
      ),
    ],
  },
  {
    id: 'RG-35',
    title: 'a token error with status 200',
    cases: [
      { error: 'invalid_grant', error_description: 'the code has expired' },
      { ok: false, error: 'invalid_grant', error_description: 'the code has expired' },
    ].map((body) => ({
      name: JSON.stringify(body),
      async run(subject) {
        const failure = await rejection(exchanging(subject, body))
        expect((failure as Error).message).toContain('the code has expired')
      },
    })),
  },
  {
    id: 'RG-36',
    title: 'expires_in',
    cases: [
      reply('digits in a string are a number', { ...granted, expires_in: '5250' }, { expiresInS: 5250 }),
      reply('zero is expired', { ...granted, expires_in: 0 }, { expiresInS: 0 }),
      reply('less is expired too', { ...granted, expires_in: -5 }, { expiresInS: -5 }),
      reply('absent is unknown', { access_token: 'access', token_type: 'Bearer' }, { expiresInS: undefined }),
      reply('null is unknown', { ...granted, expires_in: null }, { expiresInS: undefined }, /to match object/),
      reply('a text is unknown', { ...granted, expires_in: '3600abc' }, { expiresInS: undefined }, /NaN/),
      // Number() makes it 0, which would be "expired".
      reply('an empty text is unknown', { ...granted, expires_in: '' }, { expiresInS: undefined }, /to match object/),
    ],
  },
  {
    id: 'RG-37',
    title: 'the shape of a token reply',
    cases: [
      reply('a scope of null is none', { ...granted, scope: null }, { accessToken: 'access' }, /expected string/),
      reply('a scope with commas', { ...granted, scope: 'read,write' }, { accessToken: 'access' }),
      reply('a scope in a list', { ...granted, scope: ['read'] }, { accessToken: 'access' }, /expected string/),
      reply('no token_type is Bearer', { access_token: 'access' }, { tokenType: 'Bearer' }, /expected string/),
      reply('BEARER is Bearer', { ...granted, token_type: 'BEARER' }, { tokenType: 'Bearer' }, /to match object/),
      reply(
        'other members of null',
        { ...granted, id_token: null, refresh_token: null },
        { accessToken: 'access' },
        /expected string/,
      ),
      {
        name: 'a form, where the content type says so',
        async run(subject) {
          const body = { access_token: 'access', token_type: 'bearer', expires_in: '60' }
          const endpoint = tokenEndpoint(() => form(body, 'application/x-www-form-urlencoded; charset=utf-8'))
          expect(await subject.exchange(endpoint)).toMatchObject({ accessToken: 'access', expiresInS: 60 })
        },
        sdkFails: /JSON/,
      },
      {
        name: 'no form, where it doesn’t',
        async run(subject) {
          const body = { access_token: 'access', token_type: 'bearer' }
          await rejection(subject.exchange(tokenEndpoint(() => form(body, 'text/plain'))))
        },
      },
      ...['mac', 'DPoP'].map(
        (token_type): TokenCase => ({
          name: `a token of type ${token_type}, which nobody can use, is refused`,
          async run(subject) {
            await rejection(exchanging(subject, { ...granted, token_type }))
          },
          sdkFails: /it was fulfilled/,
        }),
      ),
    ],
  },
  {
    id: 'RG-38',
    title: 'a refresh that brings no refresh token',
    cases: [
      { name: 'absent', body: granted },
      { name: 'null', body: { ...granted, refresh_token: null }, sdkFails: /expected string/ },
      { name: 'empty', body: { ...granted, refresh_token: '' }, sdkFails: /to match object/ },
    ].map(({ name, body, sdkFails }) => ({
      name: `the old one stays: ${name}`,
      async run(subject: TokenSubject) {
        const endpoint = tokenEndpoint(() => json(body))
        expect(await subject.refresh(endpoint, 'old')).toMatchObject({ accessToken: 'access', refreshToken: 'old' })
      },
      ...(sdkFails && { sdkFails }),
    })),
  },
  {
    id: 'RG-39',
    title: 'two refreshes with one token',
    cases: [
      renewing('three calls are refused at once', { tabs: 1, perTab: 3 }, /kept: undefined/),
      renewing('twenty calls in two tabs', { tabs: 2, perTab: 10 }, /kept: undefined/),
      {
        name: 'a server that is away for now ends nothing',
        async run(subject) {
          const endpoint = tokenEndpoint(() =>
            json({ error: 'server_error' }, { status: 503, headers: { 'retry-after': '60' } }),
          )
          expect((await subject.renew(endpoint, { tabs: 1, perTab: 1 })).kept).toBe('refresh-0')
        },
      },
      {
        name: 'a grant that has ended is forgotten',
        async run(subject) {
          const endpoint = tokenEndpoint(() => json({ error: 'invalid_grant' }, { status: 400 }))
          expect(await subject.renew(endpoint, { tabs: 1, perTab: 1 })).toEqual({ kept: undefined, given: [undefined] })
        },
      },
    ],
  },
]

failOnUnhandled()

for (const { id, title, cases } of reports) {
  describe(`${id} ${title}`, () => {
    // The SDK warns of a secret or a refresh on the console.
    beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))
    afterEach(() => vi.restoreAllMocks())

    for (const { name, run, sdkFails } of cases) {
      test(name, () => run(ourTokens))
      if (!sdkFails) continue
      test(`${name}: the SDK’s own fails it`, async () => {
        const failure = await rejection(run(sdkTokens))
        expect((failure as Error).message).toMatch(sdkFails)
      })
    }
  })
}

describe('CB-13 a page without a secure context', () => {
  const crypto = { getRandomValues: globalThis.crypto.getRandomValues.bind(globalThis.crypto) } as Crypto
  const client = {
    clientId: 'client',
    authMethod: 'private_key_jwt' as const,
    privateKeyJwk: { kty: 'EC', crv: 'P-256', d: 'd' },
  }

  test.each([
    ['a hash, as PKCE needs it', async () => requireCrypto(crypto)],
    ['a key for DPoP', () => createDpop({ now: () => 0, crypto })],
    ['a signature', () => authenticateClient(client, authorizationServer, { now: () => 0, crypto })],
  ])('%s: an error that says why, and nothing weaker', async (_, ask) => {
    const random = vi.spyOn(Math, 'random')
    const error = await mcpRejection(ask())
    expect(error).toBeInstanceOf(AuthorizationError)
    expect(error.data.reason).toBe('insecure-context')
    expect(error.message).toContain('https://')
    expect(random).not.toHaveBeenCalled()
    random.mockRestore()
  })
})
