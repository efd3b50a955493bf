import type { ResolvedConfig } from '../config.js'
import { AuthorizationError, McpError, UnauthorizedError, withDetails } from '../errors.js'
import type { AuthorizationServer } from './authorization-server.js'
import { createBoundTokens } from './bound-tokens.js'
import { readChallenges } from './challenge.js'
import type { Authorization, AuthorizationHooks, AuthorizationTools } from './credentials.js'
import { createGrants } from './grants.js'
import { type MachineAuth, machineTokens } from './machine.js'
import type { Unusable } from './metadata-document.js'
import { createParties } from './parties.js'
import { challengedScopes, chooseScopes, toScopes } from './scopes.js'
import { readServerMetadata } from './server-metadata.js'
import type { Tokens } from './tokens.js'
import { checkUrl, createGuardedFetch, type GuardedFetch } from './url-guard.js'

/** Authorization of a client that acts without a person at hand. The server is asked first what it wants. */
export function createMachineAuthorization(
  config: ResolvedConfig,
  auth: MachineAuth,
  hooks: AuthorizationHooks,
  tools: AuthorizationTools,
): Authorization {
  const { name: server, url: serverUrl } = config
  const { store, now, setTimer, closing, emit } = tools
  const configured = auth.type === 'enterprise' ? [auth.identityProvider] : []
  const fetch = createGuardedFetch({ fetch: tools.fetch, serverUrl, configured, setTimer })
  const key = `x/tokens ${JSON.stringify([auth.type, auth.clientId, serverUrl])}`
  const grants = createGrants(store)
  const parties = createParties({ server, serverUrl, key, grants, fetch, tools })
  let isAsked = false
  let asked: string[] = []
  const steppedUp = new Set<string>()
  const tokens = createBoundTokens({
    key,
    tools,
    renew,
    // Before the server has said that it wants a token, there is nothing to get one for.
    renewable: (current) => isAsked || current !== undefined,
    usable: ({ clientId }) => clientId === auth.clientId,
  })

  async function renew(current: Tokens | undefined): Promise<Tokens> {
    const discovered = await parties.server()
    const { issuer, metadata, resource } = discovered
    const scopes = chooseScopes({ challenged: asked, configured: auth.scopes, discovered })
    const identityProvider = auth.type === 'enterprise' ? await findIdentityProvider(auth.identityProvider) : undefined
    const obtained = await machineTokens({
      auth: { ...auth, scopes: scopes.filter((scope) => scope !== 'offline_access') },
      serverName: server,
      assertion: hooks.assertion,
      identityProvider,
      ...{ server: { issuer, metadata }, resource, fetch, now, dpop: tokens.dpop },
      ...{ crypto: tools.crypto, onFinding: tools.report, signal: closing },
    })
    await grants.set(tokens.key, { server, serverUrl, discovered })
    emit({ type: 'authorization', step: current ? 'renewed' : 'signed-in', issuer })
    return obtained
  }

  async function findIdentityProvider(issuer: string): Promise<AuthorizationServer> {
    const unusable: Unusable[] = []
    const metadata = await readServerMetadata(issuer, (url, what) => checkUrl(url, serverUrl, what, configured), {
      ...{ fetch: fetch satisfies GuardedFetch, unusable, signal: closing },
    })
    if (metadata) return { issuer: metadata.issuer, metadata }
    const attempts = unusable.map(({ url, why }) => (why.includes(url) ? why : `${url}: ${why}`)).join('; ')
    throw new AuthorizationError(`The identity provider is not to be found. Tried: ${attempts}`, {
      data: { step: 'discovery', reason: unusable.at(-1)?.reason ?? 'metadata' },
    })
  }

  async function current(refused?: string): Promise<Tokens | undefined> {
    try {
      return await tokens.get(refused)
    } catch (error) {
      if (!McpError.is(error)) throw error
      emit({
        type: 'authorization',
        step: 'failed',
        ...(error.data.reason !== undefined && { reason: error.data.reason }),
      })
      throw withDetails(error, { server })
    }
  }

  async function obtain(refused?: string): Promise<boolean> {
    isAsked = true
    if (!tokens.dpop) await tokens.bind(await parties.server())
    return (await current(refused)) !== undefined
  }

  return {
    async headers(request) {
      const given = await current()
      return given ? tokens.headers(given, request) : {}
    },
    async renew(refusedHeaders, { status, headers }) {
      const challenges = readChallenges(headers)
      if (tokens.isNonceWanted(challenges, headers)) return true
      const refused = tokens.sentIn(refusedHeaders)
      tokens.mustBind(challenges)
      if (status === 403) {
        const wanted = [...new Set([...toScopes((await current())?.scope), ...challengedScopes(challenges)])]
        const name = [...wanted].sort().join(' ')
        if (steppedUp.has(name))
          throw new UnauthorizedError(`${server} refuses what was granted, and wants "${name}"`, {
            data: { server, status, reason: 'insufficient_scope', outcome: 'not-run' },
          })
        steppedUp.add(name)
        emit({ type: 'authorization', step: 'step-up', scopes: wanted })
        asked = wanted
      } else {
        parties.doubt(challenges)
        asked = challengedScopes(challenges)
      }
      return obtain(refused)
    },
    observe: tokens.observe,
    async authorize() {
      await obtain()
    },
  }
}
