import { describe, expect, test } from 'vitest'
import { type Challenges, parseChallenges } from '../../src/authorization/challenge.js'
import { type Discovered, discover } from '../../src/authorization/discovery.js'
import { createGuardedFetch } from '../../src/authorization/url-guard.js'
import { closedError } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'
import { type Answer, page, scriptedWeb, serverMetadata } from '../support/scripted-web.js'
import { createTimers } from '../support/timers.js'

failOnUnhandled()

const serverUrl = 'https://server.example/mcp'
const pathForm = 'https://server.example/.well-known/oauth-protected-resource/mcp'
const rootForm = 'https://server.example/.well-known/oauth-protected-resource'
const asForm = 'https://as.example/.well-known/oauth-authorization-server'

const resource = (own: object = {}) => ({
  resource: serverUrl,
  authorization_servers: ['https://as.example'],
  ...own,
})

interface Own {
  serverUrl?: string
  challenges?: Challenges
  issuer?: string
  signal?: AbortSignal
}

function discovery(answers: Record<string, Answer>, own: Own = {}) {
  const { fetch, sent } = scriptedWeb(answers)
  const options = { serverUrl, challenges: 'unknown' as const, ...own }
  const guarded = createGuardedFetch({
    fetch,
    serverUrl: options.serverUrl,
    ...(own.issuer && { configured: [own.issuer] }),
    setTimer: createTimers().setTimer,
  })
  return {
    run: (): Promise<Discovered> => discover({ ...options, fetch: guarded }),
    asked: () => sent.map((s) => s.url),
    sent,
  }
}

describe('what is found', () => {
  test('names the resource, the issuer, the endpoints and the scopes', async () => {
    const { run, sent } = discovery({
      [pathForm]: resource({ scopes_supported: ['read', 'write'] }),
      [asForm]: serverMetadata('https://as.example'),
    })
    expect(await run()).toEqual({
      resource: serverUrl,
      issuer: 'https://as.example',
      metadata: serverMetadata('https://as.example'),
      scopesSupported: ['read', 'write'],
      resourceMetadataFound: true,
    })
    // Nothing that would need a preflight.
    for (const { headers } of sent) expect([...headers]).toEqual([['accept', 'application/json']])
  })

  test('leaves out members that are null, empty, of a wrong type or unknown', async () => {
    const { run } = discovery({
      [pathForm]: resource({ scopes_supported: null }),
      [asForm]: serverMetadata('https://as.example', {
        registration_endpoint: '',
        revocation_endpoint: null,
        jwks_uri: 'javascript:alert(1)',
        scopes_supported: 'openid',
        grant_types_supported: null,
        token_endpoint_auth_methods_supported: ['none', null, 3],
        client_id_metadata_document_supported: 'true',
        authorization_response_iss_parameter_supported: true,
      }),
    })
    const found = await run()
    expect(found).not.toHaveProperty('scopesSupported')
    expect(found.metadata).toEqual({
      issuer: 'https://as.example',
      authorization_endpoint: 'https://as.example/authorize',
      token_endpoint: 'https://as.example/token',
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  test('may lack an authorization endpoint where no grant uses it', async () => {
    const machine = { authorization_endpoint: undefined, grant_types_supported: ['client_credentials'] }
    const { run } = discovery({ [pathForm]: resource(), [asForm]: serverMetadata('https://as.example', machine) })
    expect((await run()).metadata).not.toHaveProperty('authorization_endpoint')
    const person = { authorization_endpoint: undefined, grant_types_supported: undefined }
    const other = discovery({ [pathForm]: resource(), [asForm]: serverMetadata('https://as.example', person) })
    expect((await mcpRejection(other.run())).message).toContain('it has no "authorization_endpoint"')
  })

  test('is looked up at the next authorization server, when the first can’t be read', async () => {
    const { run } = discovery({
      [pathForm]: resource({ authorization_servers: ['https://down.example', 'https://as.example'] }),
      'https://down.example/.well-known/oauth-authorization-server': new TypeError('Failed to fetch'),
      [asForm]: serverMetadata('https://as.example'),
    })
    expect((await run()).issuer).toBe('https://as.example')
  })

  test('is the same on loopback, in plain http', async () => {
    const local = 'http://localhost:3000/mcp'
    const issuer = 'http://127.0.0.1:9000'
    const { run } = discovery(
      {
        'http://localhost:3000/.well-known/oauth-protected-resource/mcp': resource({
          resource: local,
          authorization_servers: [issuer],
        }),
        [`${issuer}/.well-known/oauth-authorization-server`]: serverMetadata(issuer),
      },
      { serverUrl: local },
    )
    expect(await run()).toMatchObject({ resource: local, issuer })
  })
})

describe('a server without protected resource metadata', () => {
  const own = {
    'https://server.example/.well-known/oauth-authorization-server': serverMetadata('https://server.example'),
  }

  test('is its own authorization server, by its metadata', async () => {
    const { run, asked } = discovery(own)
    expect(await run()).toEqual({
      resource: serverUrl,
      issuer: 'https://server.example',
      metadata: serverMetadata('https://server.example'),
      resourceMetadataFound: false,
    })
    expect(asked().slice(0, 2)).toEqual([pathForm, rootForm])
  })

  test('is not, when it has said where its metadata are: what fails now is no reason to sign in elsewhere', async () => {
    const challenges = parseChallenges('Bearer resource_metadata="https://server.example/meta"')
    const { run, asked } = discovery(own, { challenges })
    expect(await mcpRejection(run())).toMatchObject({ data: { step: 'discovery', reason: 'http' } })
    expect(asked()).toEqual(['https://server.example/meta', pathForm, rootForm])
  })

  test('keeps its query, which may be a key, to itself', async () => {
    const withKey = 'https://server.example/mcp/?key=s3cret'
    const { run } = discovery(own, { serverUrl: withKey })
    expect((await run()).resource).toBe(serverUrl)
    const error = await mcpRejection(discovery({}, { serverUrl: withKey }).run())
    expect(error.message).not.toContain('s3cret')
  })
})

describe('the configured issuer', () => {
  const answers = {
    [pathForm]: resource({ scopes_supported: ['read'] }),
    [asForm]: serverMetadata('https://as.example'),
    'https://other.example/.well-known/oauth-authorization-server': serverMetadata('https://other.example'),
  }

  test('is the only one that is used, whatever the server names', async () => {
    const { run, asked } = discovery(answers, { issuer: 'https://other.example' })
    expect(await run()).toMatchObject({
      issuer: 'https://other.example',
      resource: serverUrl,
      scopesSupported: ['read'],
    })
    expect(asked()).not.toContain(asForm)
  })

  test('needs no metadata of the resource, or none that name a server', async () => {
    for (const metadata of [{}, { [pathForm]: { resource: serverUrl } }]) {
      const { run } = discovery(
        { ...answers, [pathForm]: new Response(null, { status: 404 }), ...metadata },
        { issuer: 'https://other.example' },
      )
      expect(await run()).toMatchObject({ issuer: 'https://other.example', resource: serverUrl })
    }
  })

  test('may lie in the app’s own network, where no server may lead', async () => {
    const inner = 'https://login.corp'
    const form = `${inner}/.well-known/oauth-authorization-server`
    const own = { [pathForm]: resource({ authorization_servers: [inner] }), [form]: serverMetadata(inner) }
    expect(await discovery(own, { issuer: inner }).run()).toMatchObject({ issuer: inner })
    const { run, asked } = discovery(own)
    expect(await mcpRejection(run())).toMatchObject({ data: { reason: 'private-address' } })
    expect(asked()).not.toContain(form)
  })

  test('is not replaced by another when it can’t be read', async () => {
    const { run, asked } = discovery(answers, { issuer: 'https://gone.example' })
    expect(await mcpRejection(run())).toMatchObject({ data: { step: 'discovery', reason: 'http' } })
    expect(asked()).not.toContain(asForm)
  })
})

describe('when nothing is found', () => {
  test('the error lists each URL and why, and tells what they have in common', async () => {
    const { run } = discovery({
      [pathForm]: page(),
      [rootForm]: new Response('oops', { status: 503 }),
      'https://server.example/.well-known/oauth-authorization-server': new Response('[]'),
      'https://server.example/.well-known/openid-configuration': new TypeError('Failed to fetch'),
    })
    const error = await mcpRejection(run())
    expect(error).toMatchObject({ code: 'ERR_MCP_AUTHORIZATION', data: { step: 'discovery', reason: 'metadata' } })
    expect(error.message).toContain(`${pathForm}: it answered with a page`)
    expect(error.message).toContain(`${rootForm}: it answered 503`)
    expect(error.message).toContain(
      'https://server.example/.well-known/oauth-authorization-server: it is no JSON object',
    )
    expect(error.message).toContain('https://server.example/.well-known/openid-configuration gave no readable answer')
  })

  test('a network that fails is told apart from metadata that are wrong', async () => {
    const failing = new Proxy({}, { get: () => new TypeError('Failed to fetch') })
    expect(await mcpRejection(discovery(failing).run())).toMatchObject({ data: { reason: 'network' } })
    expect(await mcpRejection(discovery({}).run())).toMatchObject({ data: { reason: 'http' } })
  })

  test('a server that is not on https is told so', async () => {
    const { run, sent } = discovery({}, { serverUrl: 'http://server.example/mcp' })
    expect(await mcpRejection(run())).toMatchObject({ data: { reason: 'insecure' } })
    expect(sent).toEqual([])
  })

  test('an abort ends it at once, whatever its reason is', async () => {
    const abort = new AbortController()
    const reason = closedError('one', 'tools/list', {})
    const { run, sent } = discovery(
      {
        [pathForm]: () => {
          abort.abort(reason)
          return page()
        },
      },
      { signal: abort.signal },
    )
    expect(await rejection(run())).toBe(reason)
    expect(sent).toHaveLength(1)
  })
})

test('a hostile server makes us ask a bounded number of times', async () => {
  const many = Array.from({ length: 100 }, (_, index) => `https://as${index}.example/tenant`)
  const named = many.map((url) => `Bearer resource_metadata="${url}"`).join(', ')
  const { run, sent } = discovery(
    { [rootForm]: resource({ authorization_servers: many }) },
    { challenges: parseChallenges(named) },
  )
  await mcpRejection(run())
  // Three that are named and two that are known; three forms of three issuers.
  expect(sent).toHaveLength(3 + 2 + 3 * 3)
})

test('the text of a server is cut, and plain, in an error', async () => {
  const evil = `https://as.example/\u202e\u0007\n${'x'.repeat(10_000)}`
  const { run } = discovery({ [pathForm]: resource({ resource: evil }) })
  const { message } = await mcpRejection(run())
  expect(message).not.toMatch(/[\p{C}]/u)
  expect(message.length).toBeLessThan(600)
})
