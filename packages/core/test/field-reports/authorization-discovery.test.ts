import { expect } from 'vitest'
import { browserFetch } from '../support/browser-fetch.js'
import { mcpRejection } from '../support/rejection.js'
import { type Answer, page, scriptedWeb, serverMetadata } from '../support/scripted-web.js'
import { type SignInCase, testSignInReports, unauthorized } from './sign-in.js'
import { url } from './subject.js'

const named = 'https://server.example/meta/data'
const pathForm = 'https://server.example/.well-known/oauth-protected-resource/mcp'
const rootForm = 'https://server.example/.well-known/oauth-protected-resource'
const issuer = 'https://as.example'
const asForm = `${issuer}/.well-known/oauth-authorization-server`
const openIdForm = `${issuer}/.well-known/openid-configuration`
const ownForm = 'https://server.example/.well-known/oauth-authorization-server'

const config = { clientId: 'mine' }
const challenge = unauthorized(`Bearer resource_metadata="${named}"`)
const resource = (own: object = {}) => ({ resource: url, authorization_servers: [issuer], ...own })
const server = { [asForm]: serverMetadata(issuer) }

/** What a candidate may answer that is of no use. */
const useless: [what: string, answer: Answer][] = [
  ['404', new Response(null, { status: 404 })],
  ['401', unauthorized()],
  ['500', new Response(null, { status: 500 })],
  ['502', new Response(null, { status: 502 })],
]

const ofNoUse: [what: string, answer: Answer][] = [
  ['a page', page()],
  ['broken JSON', new Response('{"resource":', { headers: { 'content-type': 'application/json' } })],
  ['an empty body', new Response(null, { status: 200 })],
  ['JSON without what is required', { error: 'not found' }],
]

testSignInReports([
  {
    id: 'CB-04',
    title: 'A challenge that the page may not read',
    cases: [pathForm, rootForm].map((place) => ({
      name: `metadata are found at ${place}`,
      async run(subject) {
        const inPage = browserFetch(async () => challenge, { origin: true })
        const refusal = await inPage(url)
        expect(refusal.headers.get('www-authenticate')).toBeNull()
        const { fetch, sent } = scriptedWeb({ [place]: resource(), ...server })
        const begun = await subject.begin(browserFetch(fetch, { origin: true }), { refusal, config })
        expect(begun).toMatchObject({ page: `${issuer}/authorize`, resource: url })
        expect(sent.map((request) => request.url)).not.toContain(named)
      },
    })),
  },
  {
    id: 'CB-05',
    title: 'A well-known URL without CORS',
    cases: [
      ...[
        { closed: [pathForm], answers: { [rootForm]: resource(), ...server } },
        { closed: [asForm], answers: { [pathForm]: resource(), [openIdForm]: serverMetadata(issuer) } },
        { closed: [pathForm, rootForm], answers: { [ownForm]: serverMetadata('https://server.example') } },
      ].map(
        ({ closed, answers }): SignInCase => ({
          name: `${closed.join(' and ')}: the next is tried, without a preflight`,
          async run(subject) {
            const { fetch } = scriptedWeb({ ...answers, ...Object.fromEntries(closed.map((one) => [one, resource()])) })
            // The open ones answer no preflight either: allowHeaders is empty.
            const inPage: typeof fetch = (input, init) =>
              browserFetch(fetch, { origin: !closed.includes(String(input)) })(input, init)
            const begun = await subject.begin(inPage, { config })
            expect(begun.page).toMatch(/\/authorize$/)
          },
        }),
      ),
      {
        name: 'when all are closed, the error lists each and why',
        async run(subject) {
          const { fetch } = scriptedWeb({ [pathForm]: resource(), ...server })
          const inPage: typeof fetch = (input, init) =>
            browserFetch(fetch, { origin: String(input).startsWith('https://server.example') })(input, init)
          const error = await mcpRejection(subject.begin(inPage, { config }))
          expect(error).toMatchObject({ code: 'ERR_MCP_AUTHORIZATION', data: { step: 'discovery', reason: 'network' } })
          for (const candidate of [asForm, openIdForm]) expect(error.message).toContain(`${candidate} gave no readable`)
          expect(error.message).toContain('CORS')
        },
      },
    ],
  },
  {
    id: 'OD-19',
    title: 'Where protected resource metadata are',
    cases: [
      {
        name: 'at the challenge’s URL, first',
        async run(subject) {
          const { fetch, sent } = scriptedWeb({ [named]: resource(), [pathForm]: resource(), ...server })
          await subject.begin(fetch, { refusal: challenge.clone(), config })
          expect(sent.map((request) => request.url)).toEqual([named, asForm])
        },
      },
      ...useless.flatMap(([what, answer]): SignInCase[] => [
        {
          name: `after ${what} for the challenge’s, with the endpoint’s path`,
          async run(subject) {
            const { fetch } = scriptedWeb({ [named]: answer, [pathForm]: resource(), ...server })
            expect((await subject.begin(fetch, { refusal: challenge.clone(), config })).page).toBe(
              `${issuer}/authorize`,
            )
          },
        },
        {
          name: `after ${what} for the path’s, at the root`,
          async run(subject) {
            const { fetch } = scriptedWeb({ [pathForm]: answer, [rootForm]: resource(), ...server })
            expect((await subject.begin(fetch, { config })).page).toBe(`${issuer}/authorize`)
          },
          // It goes on to the server's own origin, where it guesses a page.
          ...(what === '500' && { sdkFails: /expected 'https:\/\/server\.example\/authorize'/ }),
        },
      ]),
    ],
  },
  {
    id: 'OD-20',
    title: 'Where an authorization server’s metadata are',
    cases: [
      ...(
        [
          [issuer, [asForm, openIdForm]],
          [
            `${issuer}/realms/x`,
            [
              `${issuer}/.well-known/oauth-authorization-server/realms/x`,
              `${issuer}/.well-known/openid-configuration/realms/x`,
              `${issuer}/realms/x/.well-known/openid-configuration`,
            ],
          ],
        ] as [string, string[]][]
      ).flatMap(([own, forms]) =>
        forms.map(
          (form, index): SignInCase => ({
            name: `of ${own}, at ${form} alone`,
            async run(subject) {
              const openId = {
                jwks_uri: `${own}/jwks`,
                subject_types_supported: [],
                id_token_signing_alg_values_supported: [],
              }
              const { fetch, sent } = scriptedWeb({
                [pathForm]: resource({ authorization_servers: [own] }),
                [form]: serverMetadata(own, openId),
              })
              expect((await subject.begin(fetch, { config })).page).toBe(`${own}/authorize`)
              expect(sent.map((request) => request.url)).toEqual([pathForm, ...forms.slice(0, index + 1)])
            },
          }),
        ),
      ),
      {
        name: 'nowhere: no page is guessed',
        async run(subject) {
          for (const answers of [{ [pathForm]: resource() }, {}]) {
            const { fetch } = scriptedWeb(answers)
            expect(await mcpRejection(subject.begin(fetch, { config }))).toMatchObject({ data: { step: 'discovery' } })
          }
        },
        sdkFails: /it was fulfilled with .*\/authorize/,
      },
    ],
  },
  {
    id: 'OD-21',
    title: 'A page instead of metadata',
    cases: [
      ...ofNoUse.flatMap(([what, answer]): SignInCase[] => [
        {
          name: `${what} of the resource: the next is tried`,
          async run(subject) {
            const { fetch } = scriptedWeb({ [pathForm]: answer, [rootForm]: resource(), ...server })
            expect((await subject.begin(fetch, { config })).page).toBe(`${issuer}/authorize`)
          },
          sdkFails: /expected 'https:\/\/server\.example\/authorize'/,
        },
        {
          name: `${what} of the authorization server: the next is tried`,
          async run(subject) {
            const { fetch } = scriptedWeb({
              [pathForm]: resource(),
              [asForm]: answer,
              [openIdForm]: serverMetadata(issuer),
            })
            expect((await subject.begin(fetch, { config })).page).toBe(`${issuer}/authorize`)
          },
          sdkFails: /JSON|invalid_type/,
        },
      ]),
      {
        name: 'JSON of a host that knows no type for it is taken',
        async run(subject) {
          const untyped = new Response(JSON.stringify(resource()), {
            headers: { 'content-type': 'application/octet-stream' },
          })
          const { fetch } = scriptedWeb({ [pathForm]: untyped, ...server })
          expect((await subject.begin(fetch, { config })).page).toBe(`${issuer}/authorize`)
        },
      },
    ],
  },
  {
    id: 'OD-22',
    title: 'The `resource` that is sent',
    cases: [
      ...[
        'https://server.example',
        'https://server.example/',
        'https://SERVER.example/mcp',
        'https://server.example:443/mcp/',
        'https://server.example/%6Dcp/../mcp',
      ].map(
        (published): SignInCase => ({
          name: `${published}: as it was published`,
          async run(subject) {
            const { fetch } = scriptedWeb({ [pathForm]: resource({ resource: published }), ...server })
            expect((await subject.begin(fetch, { config })).resource).toBe(published)
          },
        }),
      ),
      ...(
        [
          ['https://server.example/mcp/', 'https://server.example/mcp'],
          ['https://server.example/', 'https://server.example'],
          ['HTTPS://Server.Example/MCP?tenant=1', 'https://server.example/MCP'],
        ] as const
      ).map(
        ([serverUrl, canonical]): SignInCase => ({
          name: `without metadata, for ${serverUrl}: the canonical URI`,
          async run(subject) {
            const { fetch } = scriptedWeb({ [ownForm]: serverMetadata('https://server.example') })
            expect((await subject.begin(fetch, { serverUrl, config })).resource).toBe(canonical)
          },
        }),
      ),
    ],
  },
  {
    id: 'OD-23',
    title: 'A challenge of another scheme',
    cases: [
      ...['Negotiate', 'Basic realm="x"', 'Negotiate YII==, NTLM'].map(
        (header): SignInCase => ({
          name: `${header}: the well-known URLs are tried all the same`,
          async run(subject) {
            const { fetch } = scriptedWeb({ [pathForm]: resource(), ...server })
            const begun = await subject.begin(fetch, { refusal: unauthorized(header), config })
            expect(begun.page).toBe(`${issuer}/authorize`)
          },
        }),
      ),
      {
        name: 'a Bearer challenge after it is heard',
        async run(subject) {
          const { fetch } = scriptedWeb({ [named]: resource(), ...server })
          const refusal = unauthorized(`Basic realm="x", Bearer resource_metadata="${named}"`)
          expect((await subject.begin(fetch, { refusal, config })).page).toBe(`${issuer}/authorize`)
        },
        sdkFails: /expected 'https:\/\/server\.example\/authorize'/,
      },
      {
        name: 'where there is nothing, the error names the schemes',
        async run(subject) {
          const { fetch } = scriptedWeb({})
          const refusal = unauthorized('Negotiate, Basic realm="x"')
          const error = await mcpRejection(subject.begin(fetch, { refusal, config }))
          expect(error.message).toContain('asks for Negotiate, Basic')
        },
      },
    ],
  },
  {
    id: 'OD-25',
    title: 'Metadata with an inner address',
    cases: ['http://server.example/mcp', 'http://localhost:3000/mcp', 'https://localhost/mcp'].map((inner) => ({
      name: `${inner} is refused, with both values and the likely cause`,
      async run(subject) {
        const { fetch, sent } = scriptedWeb({ [pathForm]: resource({ resource: inner }), ...server })
        const error = await mcpRejection(subject.begin(fetch, { config }))
        expect(error).toMatchObject({ data: { step: 'discovery', reason: 'resource-mismatch' } })
        for (const part of [inner, url, 'X-Forwarded-Proto']) expect(error.message).toContain(part)
        expect(sent).toHaveLength(1)
      },
    })),
  },
  {
    id: 'OD-26',
    title: 'Metadata that name an ancestor',
    cases: [
      ...[
        'https://server.example',
        'https://server.example/',
        'https://server.example/a',
        'https://server.example/a/',
        'https://server.example/a/mcp',
        'https://server.example/a/mcp/',
      ].map(
        (ancestor): SignInCase => ({
          name: `${ancestor} is taken, and sent so`,
          async run(subject) {
            const serverUrl = 'https://server.example/a/mcp'
            const { fetch } = scriptedWeb({ [`${rootForm}/a/mcp`]: resource({ resource: ancestor }), ...server })
            expect((await subject.begin(fetch, { serverUrl, config })).resource).toBe(ancestor)
          },
        }),
      ),
      ...[
        'https://server.example/b',
        'https://server.example/a/mc',
        'https://server.example/a/mcpx',
        'https://server.example/a/mcp/x',
        'https://server.example/a/mcp?x=1',
        'https://server.example/a#x',
        'https://server.example:8443/a/mcp',
        'https://evil.example/a/mcp',
        'https://server.example.evil.example/a/mcp',
        'https://server.example@evil.example/',
        'https://user@server.example/a/mcp',
        'api://server.example/a/mcp',
        'the server',
      ].map(
        (other): SignInCase => ({
          name: `${other} is refused`,
          async run(subject) {
            const serverUrl = 'https://server.example/a/mcp'
            const metadata = resource({ resource: other })
            const { fetch, sent } = scriptedWeb({ [`${rootForm}/a/mcp`]: metadata, [rootForm]: resource(), ...server })
            const error = await mcpRejection(subject.begin(fetch, { serverUrl, config }))
            expect(error).toMatchObject({ data: { reason: 'resource-mismatch' } })
            expect(sent).toHaveLength(1)
          },
        }),
      ),
    ],
  },
  {
    id: 'OD-27',
    title: 'An issuer that does not echo',
    cases: [
      ...(
        [
          ['https://as.example', 'https://as.example/'],
          ['https://as.example/', 'https://as.example'],
        ] as const
      ).map(
        ([expected, echoed]): SignInCase => ({
          name: `${expected} and ${echoed} are the same`,
          async run(subject) {
            const { fetch } = scriptedWeb({
              [pathForm]: resource({ authorization_servers: [expected] }),
              [asForm]: serverMetadata(echoed),
            })
            const { discovered, page } = await subject.begin(fetch, { config })
            expect(page).toBe(`${issuer}/authorize`)
            expect(discovered?.issuer ?? echoed).toBe(echoed)
          },
          ...(echoed.endsWith('/') && { sdkFails: /issuer/i }),
        }),
      ),
      ...(
        [
          ['https://as.example/realm', 'https://as.example/realm/', 'differs by the slash'],
          ['https://as.example', 'https://other.example', ''],
          ['https://as.example', 'https://AS.example', ''],
          ['https://as.example', 'https://as.example:443', ''],
          ['https://as.example', 'http://as.example', ''],
          ['https://as.example/a', 'https://as.example/b', ''],
        ] as const
      ).map(
        ([expected, echoed, hint]): SignInCase => ({
          name: `${echoed} instead of ${expected} is refused, and both are told`,
          async run(subject) {
            const { pathname } = new URL(expected)
            const { fetch } = scriptedWeb({
              [pathForm]: resource({ authorization_servers: [expected] }),
              [asForm + pathname.replace(/\/$/, '')]: serverMetadata(echoed, {
                authorization_endpoint: `${issuer}/authorize`,
              }),
            })
            const error = await mcpRejection(subject.begin(fetch, { config }))
            expect(error).toMatchObject({ data: { step: 'discovery', reason: 'issuer-mismatch' } })
            for (const part of [`"${echoed}"`, `"${expected}"`, hint]) expect(error.message).toContain(part)
          },
        }),
      ),
      {
        name: 'nor is a façade taken that was found without protected resource metadata',
        async run(subject) {
          const { fetch } = scriptedWeb({ [ownForm]: serverMetadata(issuer) })
          expect(await mcpRejection(subject.begin(fetch, { config }))).toMatchObject({
            data: { reason: 'issuer-mismatch' },
          })
        },
      },
      {
        name: 'the configured issuer overrides what the server names',
        async run(subject) {
          const { fetch } = scriptedWeb({
            [pathForm]: resource({ authorization_servers: ['https://facade.example'] }),
            'https://facade.example/.well-known/oauth-authorization-server': serverMetadata(issuer),
            ...server,
          })
          const begun = await subject.begin(fetch, { config: { ...config, issuer } })
          expect(begun).toMatchObject({ page: `${issuer}/authorize`, resource: url })
        },
      },
    ],
  },
  {
    id: 'OD-29',
    title: 'Which issuer is expected',
    cases: [
      {
        name: 'that of the chosen authorization server, not the endpoint’s',
        async run(subject) {
          const { fetch } = scriptedWeb({ [pathForm]: resource(), ...server })
          const { discovered } = await subject.begin(fetch, { config })
          expect(discovered).toMatchObject({ issuer, metadata: { issuer } })
        },
      },
    ],
  },
  {
    id: 'OD-30',
    title: 'An authorization server that refuses `resource`',
    cases: [
      {
        name: 'there is one to send by default, with metadata and without',
        async run(subject) {
          const own = { [ownForm]: serverMetadata('https://server.example') }
          for (const answers of [{ [pathForm]: resource(), ...server }, own]) {
            const { fetch } = scriptedWeb(answers)
            expect((await subject.begin(fetch, { config })).resource).toBe(url)
          }
        },
        sdkFails: /expected '' to be/,
      },
    ],
  },
])
