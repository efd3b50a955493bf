import type { Journey } from './journey.js'
import { type Stage, textOf } from './stage.js'

const refreshes = async ({ log }: Stage) => log('authorization-server', 'token', { grant_type: 'refresh_token' })

/** Past the end of an access token, and of everything. */
const hourSeconds = 3_601
const weekSeconds = 7 * 86_400
export const parallelCalls = 20

const atOnce =
  (protocolVersion: '2025-11-25' | '2026-07-28'): Journey['run'] =>
  async (stage) => {
    const { check, server, report } = stage
    const client = await stage.connect({ protocolVersion })
    await client.callTool('whoami')
    await server.change({ clockAheadSeconds: hourSeconds })
    const calls = Array.from({ length: parallelCalls }, () => textOf(client.callTool('whoami')))
    const settled = await Promise.allSettled(calls)
    for (const outcome of settled) if (outcome.status === 'rejected') stage.record('errors', outcome.reason)
    const succeeded = settled.filter((one) => one.status === 'fulfilled' && one.value.startsWith('ada by ')).length
    const renewed = await refreshes(stage)
    report.parallel = { calls: succeeded, refreshes: renewed.length }
    check(`${parallelCalls} calls succeed`, succeeded === parallelCalls)
    check('one refresh for all', renewed.length === 1 && renewed[0]?.status === 200)
    check('nobody signed in again', stage.requests.length === 1)
    // Had the old refresh token been used twice, the grant would have ended.
    await server.change({ clockAheadSeconds: hourSeconds })
    check('the rotated token is good', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
    check('by one more refresh', (await refreshes(stage)).length === 2)
    await client.close()
  }

/** How people stay signed in. */
export const renewalJourneys: Journey[] = [
  { name: '20 calls on an expired, rotating token, 2026-07-28', run: atOnce('2026-07-28') },
  { name: '20 calls on an expired, rotating token, 2025-11-25', run: atOnce('2025-11-25') },
  {
    name: 'refresh before expiry',
    async run(stage) {
      const { check, log, server } = stage
      await server.change({ settings: { toldTtlSeconds: 1 } })
      const client = await stage.connect()
      const asked = (await log('mcp-server')).filter(({ status }) => status === 401).length
      while ((await refreshes(stage)).length === 0) await client.callTool('whoami')
      const refused = (await log('mcp-server')).filter(({ status }) => status === 401).length
      check('the server saw no token that had expired', refused === asked)
      check('nobody signed in again', stage.requests.length === 1)
      await client.close()
    },
  },
  {
    name: 'a refresh token that does not rotate',
    async run(stage) {
      const { check, server } = stage
      await server.change({ settings: { rotate: false } })
      const client = await stage.connect()
      for (const _ of [1, 2]) {
        await server.change({ clockAheadSeconds: hourSeconds })
        check('the tool runs', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      }
      check('refreshed twice', (await refreshes(stage)).filter(({ status }) => status === 200).length === 2)
      await client.close()
    },
  },
  {
    name: 'a token endpoint that is down for a moment',
    async run(stage) {
      const { check, log, server } = stage
      const client = await stage.connect()
      await server.change({ clockAheadSeconds: hourSeconds, settings: { failNextToken: 'temporarily_unavailable' } })
      check('the tool runs', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      const failed = await log('authorization-server', 'token', { error: 'temporarily_unavailable' })
      check('the endpoint was down', failed.length === 1)
      check('nobody signed in again', stage.requests.length === 1)
      await client.close()
    },
  },
  {
    name: 'a grant that has ended',
    async run(stage) {
      const { check, server } = stage
      const client = await stage.connect({}, { signIn: 'on-demand' })
      await client.authorize()
      check('the tool runs', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      await server.change({ clockAheadSeconds: weekSeconds })
      const failure = await stage.failure(client.callTool('whoami'))
      check('a call says that somebody has to sign in', failure?.code === 'ERR_MCP_UNAUTHORIZED')
      check('the connection says so too', client.state.status === 'unauthorized')
      check('the refresh was refused once', (await refreshes(stage)).length === 1)
      await client.authorize()
      check('signed in anew, since it had expired', stage.requests[1]?.reason === 'expired')
      check('the person saw the forms again', (await stage.forms()).join() === 'login,consent,login,consent')
      check('the tool runs again', (await textOf(client.callTool('whoami'))).startsWith('ada by '))
      await client.close()
    },
  },
  {
    name: 'sign-out',
    async run(stage) {
      const { check, log, host, server } = stage
      const client = await stage.connect()
      await client.callTool('whoami')
      await host.signOut(server.resource)
      const revoked = async () =>
        (await log('authorization-server', 'revocation')).filter(({ status }) => status === 200)
      await stage.until(async () => (await revoked()).length === 2)
      check('both tokens were revoked', (await revoked()).length === 2)
      const again = await stage.connect({}, { signIn: 'on-demand' })
      check('nothing is left to connect with', again.state.status === 'unauthorized')
      await again.close()
      await client.close()
    },
  },
]
