import { type Challenges, isOfOAuth } from './challenge.js'
import type { Discovered } from './discovery.js'

/** The scopes that a challenge asks for; empty where it doesn't say. */
export function challengedScopes(challenges: Challenges): string[] {
  if (challenges === 'unknown') return []
  const named = challenges.find((challenge) => isOfOAuth(challenge) && challenge.params.scope)
  return toScopes(named?.params.scope)
}

/**
 * What to ask for: what the challenge names, else all that the resource says it has, else nothing at all: the
 * authorization server then decides. Whatever else it may have to offer is not asked for.
 *
 * @param o.configured - The app's own, asked for beside the challenge's.
 * @param o.granted - What there is already, so that it isn't lost by asking for more.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy}
 */
export function chooseScopes(o: {
  challenged: string[]
  granted?: string[] | undefined
  configured?: string[] | undefined
  discovered: Pick<Discovered, 'scopesSupported' | 'metadata'>
}): string[] {
  const { challenged, granted = [], configured = [], discovered } = o
  const named = new Set([...configured, ...granted, ...challenged])
  const scopes = named.size > 0 ? named : new Set(discovered.scopesSupported)
  const { scopes_supported: offered = [], grant_types_supported: grants } = discovered.metadata
  // Without any scope the server decides; one alone would take that from it.
  if (scopes.size > 0 && offered.includes('offline_access') && (grants?.includes('refresh_token') ?? true))
    scopes.add('offline_access')
  return [...scopes]
}

/** A `scope` parameter's scopes; some servers put commas between them. */
export function toScopes(scope: string | undefined): string[] {
  return scope?.split(/[\s,]+/).filter((one) => one !== '') ?? []
}
