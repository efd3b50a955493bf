import { expect } from 'vitest'
import { checkUrl } from '../../src/authorization/url-guard.js'
import { byteSource } from '../support/byte-source.js'
import { mcpRejection } from '../support/rejection.js'
import { type ScriptedFetch, scriptedFetch } from '../support/scripted-fetch.js'
import { type Answer, scriptedWeb, serverMetadata } from '../support/scripted-web.js'
import { createTimers } from '../support/timers.js'
import { type SignInCase, testSignInReports, unauthorized } from './sign-in.js'
import { url } from './subject.js'

const pathForm = 'https://server.example/.well-known/oauth-protected-resource/mcp'
const issuer = 'https://as.example'
const asForm = `${issuer}/.well-known/oauth-authorization-server`
const config = { clientId: 'mine' }

const web = (metadata: object, others: Record<string, Answer> = {}) =>
  scriptedWeb({
    [pathForm]: { resource: url, authorization_servers: [issuer] },
    [asForm]: serverMetadata(issuer, metadata),
    ...others,
  })

/** What an authorization endpoint must not be; whether the SDK opens it all the same. */
const dangerous: [endpoint: string, reason: string, sdkOpens: boolean][] = [
  ['javascript:alert(1)', 'scheme', false],
  [' javascript:alert(1)', 'scheme', false],
  ['java\nscript:alert(1)', 'scheme', false],
  ['JaVaScRiPt:alert(1)', 'scheme', false],
  ['javascript://as.example/%0aalert(1)', 'scheme', false],
  ['data:text/html,<script>alert(1)</script>', 'scheme', false],
  ['vbscript:msgbox(1)', 'scheme', false],
  ['blob:https://as.example/8c7f', 'scheme', true],
  ['file:///etc/passwd', 'scheme', true],
  ['file://as.example/share', 'scheme', true],
  ['ms-settings:privacy', 'scheme', true],
  ['intent://as.example/#Intent;scheme=https;end', 'scheme', true],
  ['myapp://authorize', 'scheme', true],
  ['ftp://as.example/authorize', 'scheme', true],
  ['wss://as.example/authorize', 'scheme', true],
  ['view-source:https://as.example/', 'scheme', true],
  ['http://as.example/authorize', 'insecure', true],
  ['http://localhost/authorize', 'insecure', true],
  ['https://user:pw@as.example/authorize', 'user-info', true],
  ['https://as.example@evil.example/authorize', 'user-info', true],
  ['https://as.example/authorize#x', 'fragment', true],
  ['https://as.example/authorize#?response_type=token&', 'fragment', true],
  ['https://as.example\\@evil.example/', 'malformed', true],
  ['https://as.example/auth orize"|calc"', 'malformed', true],
  ['https://as.example/$(calc)`calc`', 'malformed', true],
]

/** Inner hosts, in every way of writing them. */
const inner = [
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '0177.1',
  '[::1]',
  '[::ffff:7f00:1]',
  '0.0.0.0',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'app.localhost',
  '10.0.0.1',
  '192.168.0.1',
  '172.16.0.1',
  '100.64.0.1',
  '[fd00::1]',
  '[fe80::1]',
  'metadata.google.internal',
  'metadata.google.internal.',
  'intranet',
  'printer.local',
]

/** Everything that was sent went to the two public hosts. */
function onlyPublic({ sent }: ScriptedFetch): void {
  for (const request of sent) {
    const { host } = new URL(request.url)
    if (host !== 'server.example' && host !== 'as.example') throw new Error(`it was sent to ${request.url}`)
  }
}

testSignInReports([
  {
    id: 'SC-132',
    title: 'A dangerous authorization URL',
    cases: [
      ...dangerous.map(
        ([endpoint, reason, sdkOpens]): SignInCase => ({
          name: `${JSON.stringify(endpoint)} is never given out`,
          async run(subject) {
            const { fetch } = web({ authorization_endpoint: endpoint })
            expect(await mcpRejection(subject.begin(fetch, { config }))).toMatchObject({
              code: 'ERR_MCP_AUTHORIZATION',
              data: { step: 'discovery', reason },
            })
          },
          ...(sdkOpens && { sdkFails: /it was fulfilled with/ }),
        }),
      ),
      ...['token_endpoint', 'registration_endpoint', 'revocation_endpoint'].flatMap((name) =>
        dangerous.map(
          ([endpoint, reason]): SignInCase => ({
            name: `${JSON.stringify(endpoint)} is no ${name} either`,
            async run(subject) {
              const { fetch } = web({ [name]: endpoint })
              const error = await mcpRejection(subject.begin(fetch, { config }))
              expect(error.data.reason).toBe(reason)
              expect(error.message).toContain(name)
            },
          }),
        ),
      ),
      {
        name: 'it is checked again with its parameters',
        async run() {
          const page = checkUrl('https://as.example/authorize?tenant=1', url, 'authorization_endpoint')
          page.searchParams.set('state', '#\\@evil.example/ "x"\n')
          expect(checkUrl(page.href, url, 'authorization URL').href).toBe(page.href)
          page.hash = 'x'
          expect(() => checkUrl(page.href, url, 'authorization URL')).toThrow(/fragment/)
        },
      },
    ],
  },
  {
    id: 'SC-133',
    title: 'Inner addresses by way of discovery',
    cases: [
      ...inner.flatMap((host): SignInCase[] => {
        const target = `https://${host}/latest`
        return [
          {
            name: `the challenge names ${host}: nothing is sent there`,
            async run(subject) {
              const scripted = web({})
              const refusal = unauthorized(`Bearer resource_metadata="${target}"`)
              await subject.begin(scripted.fetch, { refusal, config })
              onlyPublic(scripted)
            },
            sdkFails: /it was sent to/,
          },
          {
            name: `the resource’s metadata name ${host}: nothing is sent there`,
            async run(subject) {
              const scripted = web({}, { [pathForm]: { resource: url, authorization_servers: [`https://${host}`] } })
              // Whether it rejects is another matter: the SDK goes on to guess.
              await subject.begin(scripted.fetch, { config }).catch(() => {})
              onlyPublic(scripted)
            },
            sdkFails: /it was sent to/,
          },
          {
            name: `registration lies at ${host}: nothing is sent there`,
            async run(subject) {
              const scripted = web({ registration_endpoint: `https://${host}/register` })
              await subject.begin(scripted.fetch).catch(() => {})
              onlyPublic(scripted)
            },
            sdkFails: /it was sent to/,
          },
          {
            name: `a person is not sent to ${host}`,
            async run(subject) {
              const { fetch } = web({ authorization_endpoint: `https://${host}/authorize` })
              expect(await mcpRejection(subject.begin(fetch, { config }))).toMatchObject({
                data: { reason: 'private-address' },
              })
            },
            sdkFails: /it was fulfilled with/,
          },
        ]
      }),
      ...['http://169.254.169.254/', `${issuer}/elsewhere`].flatMap((location) =>
        [301, 302, 307, 308].map(
          (status): SignInCase => ({
            name: `a ${status} to ${location} is not followed`,
            async run(subject) {
              const scripted = web({}, { [asForm]: new Response(null, { status, headers: { location } }) })
              const error = await mcpRejection(subject.begin(scripted.fetch, { config }))
              expect(error.data.reason).toBe('redirect')
              expect(scripted.sent.map((request) => request.url)).not.toContain(location)
            },
          }),
        ),
      ),
      ...[21, 22, 25, 80, 110, 993].map(
        (port): SignInCase => ({
          name: `port ${port} is another service’s`,
          async run(subject) {
            const scripted = web({}, { [pathForm]: { resource: url, authorization_servers: [`${issuer}:${port}`] } })
            await subject.begin(scripted.fetch, { config }).catch(() => {})
            onlyPublic(scripted)
          },
          sdkFails: /it was sent to/,
        }),
      ),
      {
        name: 'of a body of 10 MB no more is read than the limit',
        async run(subject) {
          const chunks = Array.from({ length: 160 }, () => new Uint8Array(65_536).fill(32))
          const source = byteSource(chunks)
          const { fetch } = scriptedFetch((sent) =>
            sent.url === pathForm ? new Response(source.body) : new Response(null, { status: 404 }),
          )
          expect(await mcpRejection(subject.begin(fetch, { config }))).toMatchObject({ data: { reason: 'too-large' } })
          expect(source.pulled()).toBeLessThan(1_200_000)
        },
      },
      {
        name: 'a body that never ends is given up',
        async run(subject) {
          const timers = createTimers()
          const source = byteSource(['{'], 'stall')
          const { fetch } = scriptedFetch((sent) => {
            if (sent.url !== pathForm) return new Response(null, { status: 404 })
            // Once the answer has been handed over.
            setImmediate(() => timers.advance(15_000))
            return new Response(source.body)
          })
          const error = await mcpRejection(subject.begin(fetch, { config, guard: { setTimer: timers.setTimer } }))
          expect(error).toMatchObject({ data: { reason: 'timeout' } })
          await source.cancelled
        },
      },
      {
        name: 'a server on loopback may have its authorization server there, and nowhere else inside',
        async run(subject) {
          const serverUrl = 'http://localhost:3000/mcp'
          const local = 'http://127.0.0.1:9000'
          const begin = (own: string) => {
            const scripted = scriptedWeb({
              'http://localhost:3000/.well-known/oauth-protected-resource/mcp': {
                resource: serverUrl,
                authorization_servers: [own],
              },
              [`${own}/.well-known/oauth-authorization-server`]: serverMetadata(own),
            })
            return subject.begin(scripted.fetch, { serverUrl, config })
          }
          expect((await begin(local)).page).toBe(`${local}/authorize`)
          for (const other of ['http://10.0.0.1', 'https://10.0.0.1', 'https://169.254.169.254'])
            expect(await mcpRejection(begin(other))).toMatchObject({ code: 'ERR_MCP_AUTHORIZATION' })
        },
        sdkFails: /it was fulfilled with/,
      },
    ],
  },
])
