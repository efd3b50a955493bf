import { expect } from 'vitest'
import { mcpRejection } from '../support/rejection.js'
import { type Answer, scriptedWeb, serverMetadata } from '../support/scripted-web.js'
import { type SignInCase, testSignInReports } from './sign-in.js'
import { url } from './subject.js'

const issuer = 'https://as.example'
const register = `${issuer}/register`
const clientMetadataUrl = 'https://app.example/client.json'

const web = (metadata: object, registration: Answer = { client_id: 'registered', redirect_uris: [] }) =>
  scriptedWeb({
    'https://server.example/.well-known/oauth-protected-resource/mcp': {
      resource: url,
      authorization_servers: [issuer],
    },
    [`${issuer}/.well-known/oauth-authorization-server`]: serverMetadata(issuer, metadata),
    [register]: registration,
  })

const withDocument = { client_id_metadata_document_supported: true }
const withoutRegistration = { registration_endpoint: undefined }

testSignInReports([
  {
    id: 'RG-31',
    title: 'No registration endpoint',
    cases: [
      ...(
        [
          ['a configured client, first', withDocument, { clientId: 'mine', clientMetadataUrl }, 'mine'],
          ['the metadata document, where it is taken', withDocument, { clientMetadataUrl }, clientMetadataUrl],
          ['registration, where it is not', {}, { clientMetadataUrl }, 'registered'],
          ['registration, where there is no document', withDocument, {}, 'registered'],
          ['a configured client', withoutRegistration, { clientId: 'mine' }, 'mine'],
          [
            'the metadata document',
            { ...withDocument, ...withoutRegistration },
            { clientMetadataUrl },
            clientMetadataUrl,
          ],
        ] as const
      ).map(
        ([what, metadata, config, clientId]): SignInCase => ({
          name: `${Object.keys(metadata).join(', ')}: ${what}`,
          async run(subject) {
            const { fetch, sent } = web(metadata)
            expect((await subject.begin(fetch, { config })).clientId).toBe(clientId)
            expect(sent.some((request) => request.url === register)).toBe(clientId === 'registered')
          },
        }),
      ),
      ...[withoutRegistration, { ...withoutRegistration, ...withDocument }].map(
        (metadata): SignInCase => ({
          name: `${Object.keys(metadata).join(', ')}: else the error asks for a client id, and says for which redirect URL`,
          async run(subject) {
            const { fetch } = web(metadata)
            const error = await mcpRejection(subject.begin(fetch))
            expect(error).toMatchObject({
              code: 'ERR_MCP_AUTHORIZATION',
              data: { step: 'registration', reason: 'client-required' },
            })
            for (const part of [issuer, 'clientId', 'https://app.example/callback'])
              expect(error.message).toContain(part)
            expect(error.message.includes('clientMetadataUrl')).toBe(
              'client_id_metadata_document_supported' in metadata,
            )
          },
        }),
      ),
    ],
  },
  {
    id: 'RG-34',
    title: 'A registration’s reply',
    cases: [
      ...(
        [
          ['201 with the id alone', { client_id: 'c' }, 201],
          ['200 with the id alone', { client_id: 'c' }, 200],
          [
            'optional members null',
            { client_id: 'c', client_secret: null, client_uri: null, logo_uri: null, scope: null, contacts: null },
            201,
          ],
          [
            'optional members empty',
            { client_id: 'c', client_secret: '', token_endpoint_auth_method: '', client_uri: '', redirect_uris: [] },
            201,
          ],
          ['redirect URIs null', { client_id: 'c', redirect_uris: null }, 201],
        ] as const
      ).map(
        ([what, reply, status]): SignInCase => ({
          name: `${what} is a registration`,
          async run(subject) {
            const { fetch } = web({}, Response.json(reply, { status }))
            expect((await subject.begin(fetch)).clientId).toBe('c')
          },
          // Empty URIs alone it puts up with.
          ...(what !== 'optional members empty' && { sdkFails: /redirect_uris/ }),
        }),
      ),
      ...[{}, { client_id: null }, { client_id: '' }, { error: 'invalid_client_metadata' }, []].map(
        (reply): SignInCase => ({
          name: `${JSON.stringify(reply)} is none`,
          async run(subject) {
            const { fetch } = web({}, Response.json(reply, { status: 201 }))
            expect(await mcpRejection(subject.begin(fetch))).toMatchObject({ data: { step: 'registration' } })
          },
        }),
      ),
    ],
  },
  {
    id: 'OF-51',
    title: 'Where a sign-in comes back to',
    cases: [
      ...[
        'https://app.example/callback',
        'https://app.example:8443/cb?app=1',
        'http://localhost:5173/callback',
        'http://127.0.0.1:5173/',
        'http://[::1]/callback',
      ].map(
        (redirectUrl): SignInCase => ({
          name: `${redirectUrl} is registered`,
          async run(subject) {
            const { fetch, sent } = web({})
            await subject.begin(fetch, { redirectUrl })
            expect(sent.find((request) => request.url === register)?.body).toMatchObject({
              redirect_uris: [redirectUrl],
            })
          },
        }),
      ),
      ...[
        'http://app.example/callback',
        'http://192.168.1.5:5173/callback',
        'http://localhost.evil.example/',
        'myapp://callback',
        'myapp://localhost/callback',
        'com.example.app:/callback',
        'javascript:alert(1)',
        'urn:ietf:wg:oauth:2.0:oob',
        'https://app.example/callback#token',
        'https://user@app.example/callback',
        '/callback',
      ].map(
        (redirectUrl): SignInCase => ({
          name: `${redirectUrl} is refused, before anything is registered`,
          async run(subject) {
            const { fetch, sent } = web({})
            for (const config of [{}, { clientId: 'mine' }])
              expect(await mcpRejection(subject.begin(fetch, { redirectUrl, config }))).toMatchObject({
                code: 'ERR_MCP_CONFIG',
                data: { key: 'auth', reason: 'redirect-url' },
              })
            expect(sent.map((request) => request.url)).not.toContain(register)
          },
        }),
      ),
    ],
  },
])
