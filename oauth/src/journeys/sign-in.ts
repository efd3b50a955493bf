import type { Journey } from './journey.js'
import { textOf } from './stage.js'

const signIn =
  (protocolVersion: '2025-11-25' | '2026-07-28'): Journey['run'] =>
  async (stage) => {
    const { check, log, server } = stage
    await stage.answer({ wrongPasswords: ['guess'] })
    const client = await stage.connect({ protocolVersion })
    check(`speaks ${protocolVersion}`, client.state.server?.protocolVersion === protocolVersion)
    check('is ready', client.state.status === 'ready')
    check('two tools', (await client.listTools()).length === 2)
    const told = await textOf(client.callTool('whoami'))

    const registrations = await log('authorization-server', 'registration')
    const [registration] = registrations
    check('registered once', registrations.length === 1 && registration?.status === 201)
    check('the tool ran in the name of the person', told === `ada by ${registration?.details.client_id}`)
    check('the person signed in and consented', (await stage.forms()).join() === 'login,login,consent')
    const [authorization, ...others] = await log('authorization-server', 'authorization')
    check('authorized once', authorization !== undefined && others.length === 0)
    check('PKCE by S256', authorization?.details.code_challenge_method === 'S256')
    check('the challenge is a hash', /^[\w-]{43}$/.test(authorization?.details.code_challenge ?? ''))
    check('the resource is named at the authorization endpoint', authorization?.details.resource === server.resource)
    check('only what the server asked for', authorization?.details.scope?.split(' ').includes('mcp:write') === false)
    const tokens = await log('authorization-server', 'token')
    check('one token, by the code', tokens.length === 1 && tokens[0]?.details.grant_type === 'authorization_code')
    check('the resource is named at the token endpoint', tokens[0]?.details.resource === server.resource)
    const [first, ...later] = await log('mcp-server')
    check('the server was asked without a token first', first?.status === 401 && first.details.scheme === 'none')
    check('and then with it', later.length > 0 && later.every(({ details }) => details.scheme === 'Bearer'))
    check(
      'which was good',
      later.every(({ status }) => status !== 401 && status !== 403),
    )
    await client.close()
  }

/** Anonymous, then signed in, in both eras. */
export const signInJourneys: Journey[] = [
  { name: 'sign-in, 2026-07-28', run: signIn('2026-07-28') },
  { name: 'sign-in, 2025-11-25', run: signIn('2025-11-25') },
  { name: 'sign-in, tokens are JWTs', server: { jwt: true }, run: signIn('2026-07-28') },
  {
    name: 'sign-in from a click',
    async run(stage) {
      const { check } = stage
      const client = await stage.connect({}, { signIn: 'on-demand' })
      check('connected without a sign-in', client.state.status === 'unauthorized')
      check('nobody was asked', stage.requests.length === 0)
      const failure = await stage.failure(client.callTool('whoami'))
      check('a call says that somebody has to sign in', failure?.code === 'ERR_MCP_UNAUTHORIZED')
      await client.authorize()
      check('is ready', client.state.status === 'ready')
      check('signed in for the first time', stage.requests[0]?.reason === 'first')
      check('the tool runs', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      await client.close()
    },
  },
  {
    name: 'a client that was registered before',
    async run(stage, { clientSecret }) {
      const { redirectUrl, check, log } = stage
      const client = await stage.connect({ auth: { type: 'oauth', redirectUrl, clientId: 'app', clientSecret } })
      check('the tool runs as this client', (await textOf(client.callTool('whoami'))) === 'ada by app')
      check('nothing was registered', (await log('authorization-server', 'registration')).length === 0)
      const [token] = await log('authorization-server', 'token')
      check('the client authenticated by its secret', token?.status === 200)
      await client.close()
    },
  },
  {
    name: 'denial',
    async run(stage) {
      const { check, log } = stage
      await stage.answer({ consent: 'deny' })
      const failure = await stage.failure(stage.connect())
      check('fails as an authorization', failure?.code === 'ERR_MCP_AUTHORIZATION')
      check('says that it was denied', (failure?.data as { reason?: string })?.reason === 'access_denied')
      check('asked once', stage.requests.length === 1)
      check('no token was asked for', (await log('authorization-server', 'token')).length === 0)
    },
  },
]
