import type { Journey } from './journey.js'
import { textOf } from './stage.js'

const stepUp =
  (protocolVersion: '2025-11-25' | '2026-07-28'): Journey['run'] =>
  async (stage) => {
    const { check, log } = stage
    const client = await stage.connect({ protocolVersion })
    await client.callTool('whoami')
    check('the tool runs', (await textOf(client.callTool('write', { text: 'a line' }))) === 'wrote a line')
    const [, second, ...others] = stage.requests
    check('asked once more, for the scope', second?.reason === 'scope' && others.length === 0)
    const scopes = new URL(second?.url ?? 'http://localhost').searchParams.get('scope')?.split(' ') ?? []
    check('for both scopes', scopes.includes('mcp:read') && scopes.includes('mcp:write'))
    const calls = await log('mcp-server', 'tools/call', { tool: 'write' })
    check('refused once, then run once', calls.map(({ status }) => status).join() === '403,200')
    check('the person consented once more', (await stage.forms()).join() === 'login,consent,consent')
    await client.close()
  }

/** Beyond what a first sign-in gives. */
export const moreAccessJourneys: Journey[] = [
  { name: 'step-up, 2026-07-28', run: stepUp('2026-07-28') },
  { name: 'step-up, 2025-11-25', run: stepUp('2025-11-25') },
  {
    name: 'step-up that is denied',
    async run(stage) {
      const { check, log } = stage
      const client = await stage.connect()
      await stage.answer({ consent: 'deny' })
      const failure = await stage.failure(client.callTool('write', { text: 'a line' }))
      check('fails as an authorization', failure?.code === 'ERR_MCP_AUTHORIZATION')
      check('the tool did not run', (failure?.data as { outcome?: string })?.outcome === 'not-run')
      check('it was asked for once', (await log('mcp-server', 'tools/call', { tool: 'write' })).length === 1)
      check('what was granted is kept', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      await client.close()
    },
  },
  {
    name: 'DPoP',
    server: { dpop: true },
    async run(stage) {
      const { check, log, server } = stage
      const client = await stage.connect()
      check('the tool runs', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      const tokens = await log('authorization-server', 'token')
      check(
        'every token request is proven',
        tokens.every(({ details }) => details.proof === 'dpop'),
      )
      check('the nonce is taken up', tokens.map(({ status }) => status).join() === '400,200')
      const [, ...withToken] = await log('mcp-server')
      check(
        'the token is used as a bound one',
        withToken.every(({ details }) => details.scheme === 'DPoP'),
      )
      check(
        'every proof is taken',
        withToken.every(({ status }) => status < 400),
      )
      await server.change({ clockAheadSeconds: 3_601 })
      check('the tool runs after a refresh', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      const renewed = await log('authorization-server', 'token', { grant_type: 'refresh_token' })
      check(
        'which is proven too',
        renewed.some(({ status, details }) => status === 200 && details.proof === 'dpop'),
      )
      check('nobody signed in again', stage.requests.length === 1)
      await client.close()
    },
  },
]
