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
      // Not the clock: an assertion of a client whose clock is an hour behind has expired.
      await server.change({ settings: { toldTtlSeconds: 1 } })
      const client = await stage.connect({ auth })
      check('the tool runs for the machine', (await textOf(client.callTool('whoami'))) === 'nobody by signing-machine')
      const [token] = await log('authorization-server', 'token', { grant_type: 'client_credentials' })
      check('the client has signed for itself', token?.details.client_assertion_type?.endsWith(':jwt-bearer') === true)
      check('the resource is named', token?.details.resource === server.resource)
      while ((await log('authorization-server', 'token')).length === 1) await client.callTool('whoami')
      const refused = (await log('mcp-server')).filter(({ status }) => status === 401)
      check('a new token came before the old one had expired', refused.length === 1)
      check('nobody was asked', stage.requests.length === 0)
      await client.close()
    },
  },
  {
    name: 'client credentials, secret',
    async run(stage, { clientSecret }) {
      const { check } = stage
      const auth: Machine = { type: 'client-credentials', clientId: 'machine', clientSecret, scopes: ['mcp:read'] }
      const refused = await stage.failure(stage.connect({ auth: { ...auth, clientSecret: 'another secret' } }))
      check('another secret is refused', refused?.code === 'ERR_MCP_AUTHORIZATION')
      const client = await stage.connect({ auth })
      check('the tool runs for the machine', (await textOf(client.callTool('whoami'))) === 'nobody by machine')
      await client.close()
    },
  },
]
