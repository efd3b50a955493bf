import { linkedSignal, onAbort, untilAborted } from '../abort.js'
import type { AuthorizationRequest, ResolvedConfig, TokenStore } from '../config.js'
import { AuthorizationError, McpError, UnauthorizedError, withDetails } from '../errors.js'
import { createBoundTokens } from './bound-tokens.js'
import { type Challenges, readChallenges } from './challenge.js'
import type { Authorization, AuthorizationHooks, AuthorizationTools } from './credentials.js'
import type { Discovered } from './discovery.js'
import { createFlows } from './flow.js'
import { createGrants } from './grants.js'
import { ownError } from './own-error.js'
import { createParties, type OAuthConfig } from './parties.js'
import { challengedScopes, chooseScopes, toScopes } from './scopes.js'
import { beginInteraction, type Interaction } from './sign-in.js'
import { endsGrant } from './token-request.js'
import { refresh, type Tokens } from './tokens.js'
import { createGuardedFetch } from './url-guard.js'

type Reason = AuthorizationRequest['reason']

/** Sign-ins under way, by store and key: one for any number of connections of a host. */
const signIns = new WeakMap<TokenStore, Map<string, Promise<void>>>()
/** Milliseconds after a sign-in, good or not, for which none is begun unasked: a server may refuse whatever it gets. */
const restMs = 30_000
/** Sign-ins that one connection begins for all that, since the server's tokens come from another issuer now. */
const maxMoves = 3
/** New scopes that one connection asks for unasked. */
const maxStepUps = 5

/**
 * OAuth as MCP has it, for one server: nobody signs in before the server asks for it.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization}
 */
export function createOAuth(
  config: ResolvedConfig,
  auth: OAuthConfig,
  hooks: AuthorizationHooks,
  tools: AuthorizationTools,
): Authorization {
  const { name: server, url: serverUrl } = config
  const { store, now, setTimer, closing, emit } = tools
  const { issuer, sendResource = true } = auth
  const configured = issuer === undefined ? [] : [issuer]
  const fetch = createGuardedFetch({ fetch: tools.fetch, serverUrl, configured, setTimer })
  const key = `x/tokens ${JSON.stringify(['oauth', auth.clientId ?? null, serverUrl])}`
  const grants = createGrants(store)
  const parties = createParties({ server, serverUrl, issuer, key, grants, fetch, tools })
  const flows = createFlows({ ...tools, server, serverUrl, configured, fetch })
  const tokens = createBoundTokens({
    key,
    tools,
    renew,
    usable: ({ issuer: from, clientId }) =>
      (issuer === undefined || withoutSlash(from) === withoutSlash(issuer)) &&
      (auth.clientId === undefined || auth.clientId === clientId),
  })
  const underWay = signIns.get(store) ?? new Map<string, Promise<void>>()
  signIns.set(store, underWay)
  /** What the server wants, by its last refusal. */
  let asked: string[] = []
  let lacksScope = false
  /** What has just been obtained is refused: another renewal would change nothing. */
  let isHopeless = false
  let isSignedIn = false
  /** What was granted last. */
  let granted: Pick<Tokens, 'scope' | 'issuer'> | undefined
  /** The token that was refused last: whatever the store says, it is no good. */
  let refusedLast: string | undefined
  let restUntil = 0
  let signedInAt: string | undefined
  let moves = 0
  let signOuts = 0
  let cancel = (_reason: unknown) => {}
  const steppedUp = new Set<string>()

  async function renew(current: Tokens | undefined): Promise<Tokens> {
    const discovered = await parties.server()
    const client = await parties.knownClient(auth, discovered)
    if (!current || !client)
      throw new AuthorizationError('The client that the tokens belong to is no longer known; sign in again', {
        data: { step: 'refresh', reason: 'invalid_client' },
      })
    const { issuer, metadata } = discovered
    const { resource } = current
    const context = { server: { issuer, metadata }, client, resource, sendResource, fetch, now, dpop: tokens.dpop }
    try {
      const renewed = await refresh(current, { ...context, crypto: tools.crypto, onFinding: tools.report })
      emit({ type: 'authorization', step: 'renewed', issuer })
      return renewed
    } catch (error) {
      if (isClientGone(error)) await parties.forgetClient(auth, discovered)
      throw error
    }
  }

  /** Tokens that can be used, other than those that were refused; undefined when somebody has to sign in. */
  async function current(refused?: string): Promise<Tokens | undefined> {
    try {
      return await tokens.get(refused)
    } catch (error) {
      // The refresh token is another authorization server's, or none any more.
      if (endsGrant(error) || (McpError.is(error) && error.data.reason === 'issuer')) return undefined
      throw McpError.is(error) ? withDetails(error, { server }) : error
    }
  }

  function needed(reason: 'sign-in' | 'insufficient_scope', why: string): UnauthorizedError {
    return new UnauthorizedError(why, {
      data: { server, status: reason === 'sign-in' ? 401 : 403, reason, outcome: 'not-run' },
    })
  }

  const wantsSignIn = `${server} wants somebody to sign in: call authorize(), from a click`
  const askForSignIn = () => {
    emit({ type: 'authorization', step: 'sign-in-needed', ...(asked.length > 0 && { scopes: asked }) })
    tools.onSignInNeeded(needed('sign-in', wantsSignIn))
  }

  /** Signs in because a request was refused, where that is for us to decide. */
  async function signInUnasked(reason: Reason): Promise<void> {
    if (underWay.has(key)) return signIn(reason)
    if (hooks.signIn === 'on-demand') {
      askForSignIn()
      throw needed('sign-in', wantsSignIn)
    }
    if (!hooks.authorize)
      throw needed('sign-in', `${server} wants somebody to sign in, and there is no authorize hook to ask by`)
    if (now() < restUntil) {
      const { issuer } = await parties.server()
      const hasMoved = issuer !== signedInAt
      // Somebody else who found that out may have begun meanwhile.
      if (!underWay.has(key) && !(hasMoved && moves++ < maxMoves))
        throw needed('sign-in', `${server} refuses the tokens of the last sign-in; it is not begun anew for now`)
    }
    return signIn(reason)
  }

  async function stepUp(refused: string | undefined, challenges: Challenges): Promise<boolean> {
    const before = await current()
    // Somebody has signed in meanwhile.
    if (before && before.accessToken !== refused) return true
    asked = [...new Set([...toScopes(before?.scope), ...challengedScopes(challenges)])]
    const wanted = [...asked].sort().join(' ')
    emit({ type: 'authorization', step: 'step-up', scopes: asked })
    lacksScope = true
    if (hooks.signIn === 'on-demand')
      throw needed(
        'insufficient_scope',
        `${server} wants more to be granted (${wanted}): call authorize(), from a click`,
      )
    if (!hooks.authorize || steppedUp.has(wanted) || steppedUp.size >= maxStepUps)
      throw needed('insufficient_scope', `${server} refuses what was granted, and wants "${wanted}"`)
    steppedUp.add(wanted)
    await signIn('scope')
    return true
  }

  /** One for all who need it. The hook is called before this returns. */
  function signIn(reason: Reason, o: { isNeeded?: boolean; signal?: AbortSignal | undefined } = {}): Promise<void> {
    const joined = underWay.get(key)
    if (joined)
      return own(untilAborted(o.signal, joined)).then(() => {
        isHopeless = false
      })
    const { isNeeded = true } = o
    const stop = linkedSignal(closing)
    const stopWaiting = onAbort(o.signal, () => stop.abort(o.signal?.reason))
    cancel = stop.abort
    const running = interact(reason, { isNeeded, signal: stop.signal }).finally(() => {
      stopWaiting()
      stop.end()
      restUntil = now() + restMs
      underWay.delete(key)
    })
    underWay.set(key, running)
    return own(running)
  }

  async function interact(
    reason: Reason,
    o: { isNeeded: boolean; signal: AbortSignal },
    isLast = false,
  ): Promise<void> {
    const { isNeeded, signal } = o
    const interaction = beginInteraction({ ...tools, server, hook: hooks.authorize!, signal })
    let discovered: Discovered | undefined
    try {
      if (!isNeeded && (await interaction.preparing(current(refusedLast)))) {
        interaction.end(notNeeded(server))
        return
      }
      discovered = await interaction.preparing(parties.server(true))
      await signInAt(discovered, reason, interaction)
      lacksScope = isHopeless = false
    } catch (error) {
      interaction.end(error)
      if (discovered && isClientGone(error) && !isLast) {
        await parties.forgetClient(auth, discovered)
        return interact(reason, o, true)
      }
      const why = McpError.is(error) ? error.data.reason : undefined
      emit({ type: 'authorization', step: 'failed', ...(why !== undefined && { reason: why }) })
      throw McpError.is(error) ? withDetails(error, { server }) : error
    }
  }

  async function signInAt(discovered: Discovered, reason: Reason, interaction: Interaction): Promise<void> {
    const { issuer } = discovered
    const signOutsBefore = signOuts
    // Of another issuer they may mean nothing to this one.
    const before = granted?.issuer === issuer ? toScopes(granted.scope) : []
    const scopes = chooseScopes({ challenged: asked, granted: before, configured: auth.scopes, discovered })
    await interaction.preparing(tokens.bind(discovered))
    const { client, isNew } = await interaction.preparing(parties.client(auth, discovered, scopes))
    const url = await interaction.preparing(flows.begin({ discovered, client, scopes, sendResource }))
    const named = scopes.length > 0 ? { scopes } : {}
    emit({ type: 'authorization', step: 'asked', issuer, ...named })
    const page = { server, url, redirectUrl: client.redirectUrl, ...named, reason }
    const callbackUrl = await interaction.ask(page).catch(async (error) => {
      // A server that has forgotten the client shows a page of its own, from which nobody ever comes back.
      if (!isNew) await parties.forgetClient(auth, discovered)
      throw error
    })
    await flows.finish(callbackUrl, {
      dpop: tokens.dpop,
      async keep(obtained) {
        // While the code was exchanged, which nothing can call back.
        if (signOuts !== signOutsBefore) throw signedOut(server)
        await tokens.set(obtained)
        const kept = client.source === 'configured' ? {} : { client }
        await grants.set(tokens.key, { server, serverUrl, discovered, ...kept })
      },
    })
    signedInAt = issuer
    emit({ type: 'authorization', step: 'signed-in', issuer, ...named })
  }

  return {
    async headers(request) {
      const given = await current()
      isSignedIn = given !== undefined
      granted = given ?? granted
      return given ? tokens.headers(given, request) : {}
    },
    async renew(refusedHeaders, { status, headers }) {
      const challenges = readChallenges(headers)
      if (tokens.isNonceWanted(challenges, headers)) return true
      const refused = tokens.sentIn(refusedHeaders)
      if (status === 403) return stepUp(refused, challenges)
      parties.doubt(challenges)
      refusedLast = refused ?? refusedLast
      asked = challengedScopes(challenges)
      if (!tokens.mustBind(challenges) && !isHopeless && (await current(refused))) return true
      await signInUnasked(refused === undefined ? 'first' : 'expired')
      return true
    },
    refused(refusedHeaders) {
      refusedLast = tokens.sentIn(refusedHeaders)
      isHopeless = refusedLast !== undefined
      if (isHopeless && hooks.signIn === 'on-demand') askForSignIn()
    },
    observe: tokens.observe,
    forget() {
      signOuts++
      cancel(signedOut(server))
      refusedLast = granted = undefined
      lacksScope = isHopeless = false
      restUntil = 0
      emit({ type: 'authorization', step: 'signed-out' })
      // Who was never signed in is none the worse for it.
      if (isSignedIn && hooks.signIn === 'on-demand') tools.onSignInNeeded(signedOut(server))
    },
    authorize(signal) {
      const hook = hooks.authorize
      if (!hook) return Promise.reject(needed('sign-in', `${server} can't be signed in to without the authorize hook`))
      const reason = lacksScope ? 'scope' : refusedLast === undefined ? 'first' : 'expired'
      return signIn(reason, { isNeeded: lacksScope || isHopeless, signal })
    },
  }
}

const own = (running: Promise<void>) =>
  running.catch((error) => {
    throw ownError(error)
  })

const notNeeded = (server: string) =>
  new AuthorizationError(`Nobody has to sign in at ${server}: there are tokens that are good`, {
    data: { server, step: 'authorize', reason: 'not-needed' },
  })

const signedOut = (server: string) =>
  new UnauthorizedError(`${server} was signed out of: call authorize(), from a click`, {
    data: { server, reason: 'signed-out' },
  })

const withoutSlash = (url: string) => url.replace(/\/$/, '')

/** The authorization server knows the client no more. */
function isClientGone(error: unknown): boolean {
  if (!McpError.is(error)) return false
  const { step, reason = '', status = 0 } = error.data
  const ofTokens = step === 'token' || step === 'refresh'
  return ofTokens && status < 500 && (reason === 'invalid_client' || reason === 'unauthorized_client')
}
