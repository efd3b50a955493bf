import { AuthorizationError } from '../errors.js'
import type { Challenges } from './challenge.js'
import { type Reading, readFirst, type Unusable } from './metadata-document.js'
import {
  canonicalResource,
  checkResource,
  namedByChallenges,
  parseResourceMetadata,
  wellKnownForResource,
} from './resource-metadata.js'
import { type AuthorizationServerMetadata, readServerMetadata } from './server-metadata.js'
import { plainText, shownUrl } from './server-text.js'
import { checkUrl, type GuardedFetch } from './url-guard.js'

export type { AuthorizationServerMetadata } from './server-metadata.js'

/** Where a server's tokens come from. */
export interface Discovered {
  /** The `resource` parameter, to be sent as it is. */
  resource: string
  /** The issuer by the authorization server's own metadata: what a callback's `iss` is compared with. */
  issuer: string
  metadata: AuthorizationServerMetadata
  /** Scopes of the protected resource. */
  scopesSupported?: string[]
  resourceMetadataFound: boolean
  /** The resource's tokens must be bound to a key. */
  dpopRequired?: true
}

/** Authorization servers of one resource that are tried. */
const maxServers = 3

/**
 * Finds the authorization server of an MCP server: by its protected resource metadata, else, as revision 2025-03-26 has
 * it, at its own origin. Only what a document says is used: no endpoint is ever guessed.
 *
 * @param challenges - Of the 401; `unknown` where they could not be read.
 * @param issuer - The configured one: no other is used, whatever the server names.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`, `data.step` is `discovery`; `data.reason` is `resource-mismatch`,
 *   `issuer-mismatch`, what all documents that are there have in common (`network`, `html`, `insecure`, …), `http` where
 *   there is none, or `metadata`. The message lists each URL and why it was of no use.
 * @throws The signal's reason when aborted.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery}
 */
export async function discover(options: {
  serverUrl: string
  challenges: Challenges
  fetch: GuardedFetch
  issuer?: string
  signal?: AbortSignal
}): Promise<Discovered> {
  const { serverUrl, challenges, fetch, issuer, signal } = options
  const reading: Reading = { fetch, unusable: [], ...(signal && { signal }) }
  const named = namedByChallenges(challenges)
  const found = await readFirst(
    [...named, ...wellKnownForResource(serverUrl)],
    (members) => parseResourceMetadata(members, issuer === undefined),
    reading,
  )
  // At once: metadata of another resource are no reason to look elsewhere.
  if (found) checkResource(found.resource, serverUrl)
  // A server that names its metadata is none of 2025-03-26: what can't be read now must not turn into another sign-in.
  const ownOrigin = named.length === 0 ? [new URL(serverUrl).origin] : []
  const issuers = issuer === undefined ? (found?.authorizationServers ?? ownOrigin) : [issuer]
  const check = (url: string, what: string) => checkUrl(url, serverUrl, what, issuer === undefined ? [] : [issuer])
  for (const candidate of issuers.slice(0, maxServers)) {
    const metadata = await readServerMetadata(candidate, check, reading)
    if (!metadata) continue
    return {
      resource: found?.resource ?? canonicalResource(serverUrl),
      issuer: metadata.issuer,
      metadata,
      ...(found?.scopesSupported && { scopesSupported: found.scopesSupported }),
      resourceMetadataFound: found !== undefined,
      ...(found?.dpopRequired && { dpopRequired: true }),
    }
  }
  throw notFound(serverUrl, challenges, reading.unusable)
}

function notFound(serverUrl: string, challenges: Challenges, unusable: Unusable[]): AuthorizationError {
  // That some document isn't there is expected, and tells less than anything else.
  const telling = new Set(unusable.map(({ reason }) => reason).filter((reason) => reason !== 'http'))
  const [first = 'http'] = telling
  const reason = telling.has('issuer-mismatch') ? 'issuer-mismatch' : telling.size > 1 ? 'metadata' : first
  const attempts = unusable.map(({ url, why }) => (why.includes(url) ? why : `${url}: ${why}`)).join('; ')
  return new AuthorizationError(
    `No authorization server is to be found for ${shownUrl(serverUrl)}${otherSchemes(challenges)}. Tried: ${attempts}`,
    { data: { step: 'discovery', reason } },
  )
}

/** What the server asks for instead, where that is not OAuth. */
function otherSchemes(challenges: Challenges): string {
  if (challenges === 'unknown') return ' (its WWW-Authenticate header is not to be seen)'
  const schemes = [...new Set(challenges.map(({ scheme }) => plainText(scheme, 30)))]
  if (schemes.length === 0 || schemes.some((scheme) => /^(bearer|dpop)$/i.test(scheme))) return ''
  return `, which asks for ${schemes.join(', ')}: use "auth" of type "bearer" or "api-key", or "headers"`
}
