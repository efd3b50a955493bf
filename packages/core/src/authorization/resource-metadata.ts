import { AuthorizationError } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import type { Challenges } from './challenge.js'
import { textOf, textsOf, unusable } from './metadata-document.js'
import { networkZone } from './network-zone.js'
import { plainText, shownUrl } from './server-text.js'

/** Protected resource metadata (RFC 9728), as far as they are used here. */
export interface ResourceMetadata {
  /** As it was published: authorization servers compare it byte for byte. */
  resource: string
  /** Issuers. */
  authorizationServers: string[]
  scopesSupported?: string[]
  /** Its tokens must be bound to a key (RFC 9728 2). */
  dpopRequired?: true
}

/** Places that one server's challenges may name. */
const maxNamed = 3

/** The URLs that challenges name, of whatever scheme. */
export function namedByChallenges(challenges: Challenges): string[] {
  if (challenges === 'unknown') return []
  return challenges.flatMap(({ params }) => textOf(params.resource_metadata) ?? []).slice(0, maxNamed)
}

/**
 * The well-known URLs: with the endpoint's path, then the root's.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3.1}
 */
export function wellKnownForResource(serverUrl: string): string[] {
  const { origin, pathname, search } = new URL(serverUrl)
  const root = `${origin}/.well-known/oauth-protected-resource`
  return [root + withoutSlash(pathname) + search, root]
}

/** @param needsServers - False where the issuer is configured, so that it need not be named. */
export function parseResourceMetadata(members: JsonObject, needsServers: boolean): ResourceMetadata {
  const resource = textOf(members.resource)
  if (resource === undefined) throw unusable('members', 'it has no "resource"')
  const authorizationServers = textsOf(members.authorization_servers) ?? []
  if (needsServers && authorizationServers.length === 0)
    throw unusable('members', 'it names no "authorization_servers"')
  const scopesSupported = textsOf(members.scopes_supported)
  return {
    resource,
    authorizationServers,
    ...(scopesSupported && { scopesSupported }),
    ...(members.dpop_bound_access_tokens_required === true && { dpopRequired: true }),
  }
}

/**
 * Refuses metadata of another resource: whoever published them could have tokens made for it. The endpoint itself is
 * taken, and what it lies under: much of the field publishes its origin.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3.3}
 */
export function checkResource(resource: string, serverUrl: string): void {
  if (coversEndpoint(resource, serverUrl)) return
  const behindProxy = isInnerView(resource, serverUrl)
    ? '; the server seems to take its address from the request that its proxy sends: set its public URL, or forward X-Forwarded-Proto and X-Forwarded-Host'
    : '; connect to it by that URL, or have it publish this one as "resource"'
  throw new AuthorizationError(
    `The protected resource metadata are for "${plainText(resource)}", not for ${shownUrl(serverUrl)}${behindProxy}`,
    { data: { step: 'discovery', reason: 'resource-mismatch' } },
  )
}

/** The same origin, and a path that is the endpoint's or a prefix of it by whole segments. */
function coversEndpoint(resource: string, serverUrl: string): boolean {
  if (!URL.canParse(resource) || !/^[\x21-\x7e]+$/.test(resource) || resource.includes('#')) return false
  const [outer, inner] = [new URL(resource), new URL(serverUrl)]
  if (outer.origin !== inner.origin || outer.username || outer.password) return false
  if (outer.search && outer.search !== inner.search) return false
  const segments = inner.pathname.split('/')
  return withoutSlash(outer.pathname)
    .split('/')
    .every((segment, index) => segment === segments[index])
}

/** What a server behind a proxy publishes: the scheme or the host of the request that the proxy makes. */
function isInnerView(resource: string, serverUrl: string): boolean {
  if (!URL.canParse(resource)) return false
  const [outer, inner] = [new URL(resource), new URL(serverUrl)]
  if (outer.protocol === 'http:' && inner.protocol === 'https:') return true
  const zone = networkZone(outer.hostname)
  return zone !== 'public' && zone !== networkZone(inner.hostname)
}

/**
 * The resource of a server without metadata: its URL in canonical form. A query may hold a secret, which is nothing for
 * an authorization server.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri}
 */
export function canonicalResource(serverUrl: string): string {
  const { origin, pathname } = new URL(serverUrl)
  return origin + withoutSlash(pathname)
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
