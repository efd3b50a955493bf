import type { AuthConfig } from '@x/core'
import type { Journey } from './journey.js'
import { textOf } from './stage.js'

type Machine = Extract<AuthConfig, { type: 'client-credentials' }>

/** Nobody is at hand. */
export const machineJourneys: Journey[] = [
  {
    name: 'client credentials, private_key_jwt',
    async run(stage, { privateKeyJwk }) {
      const { check, log, server } = stage
      const auth: Machine = {
        type: 'client-credentials',
        clientId: 'signing-machine',
        privateKeyJwk,
        scopes: ['mcp:read'],
      }
      const client = await stage.connect({ auth })
      check('the tool runs for the machine', (await textOf(client.callTool('whoami'))) === 'nobody by signing-machine')
      const [token] = await log('authorization-server', 'token', { grant_type: 'client_credentials' })
      check('the client has signed for itself', token?.details.client_assertion_type?.endsWith(':jwt-bearer') === true)
      check('the resource is named', token?.details.resource === server.resource)
      await server.change({ clockAheadSeconds: 3_601 })
      check('the tool runs after expiry', (await textOf(client.callTool('whoami'))) === 'nobody by signing-machine')
      check('nobody was asked', stage.requests.length === 0)
      await client.close()
    },
  },
  {
    name: 'client credentials, secret',
    async run(stage, { clientSecret }) {
      const { check } = stage
      const auth: Machine = { type: 'client-credentials', clientId: 'machine', clientSecret, scopes: ['mcp:read'] }
      const client = await stage.connect({ auth })
      check('the tool runs for the machine', (await textOf(client.callTool('whoami'))) === 'nobody by machine')
      const refused = await stage.failure(stage.connect({ auth: { ...auth, clientSecret: 'another secret' } }))
      check('another secret is refused', refused?.code === 'ERR_MCP_AUTHORIZATION')
      await client.close()
    },
  },
]
