import type { JsonObject } from '../protocol.js'
import { note, type Reading, readFirst, textOf, textsOf, unusable } from './metadata-document.js'
import { plainText } from './server-text.js'

/**
 * An authorization server's metadata: the members that are used here. Every endpoint has been checked; a member that
 * is `null`, empty or of a wrong type is absent.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2}
 */
export interface AuthorizationServerMetadata {
  issuer: string
  /** Absent where no grant uses it. */
  authorization_endpoint?: string
  token_endpoint: string
  registration_endpoint?: string
  revocation_endpoint?: string
  scopes_supported?: string[]
  response_types_supported?: string[]
  grant_types_supported?: string[]
  token_endpoint_auth_methods_supported?: string[]
  token_endpoint_auth_signing_alg_values_supported?: string[]
  revocation_endpoint_auth_methods_supported?: string[]
  code_challenge_methods_supported?: string[]
  dpop_signing_alg_values_supported?: string[]
  client_id_metadata_document_supported?: true
  authorization_response_iss_parameter_supported?: true
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const
const lists = [
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'revocation_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'dpop_signing_alg_values_supported',
] as const
const flags = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'] as const

/** Refuses what must not be fetched or opened. */
type CheckUrl = (url: string, what: string) => URL

/** The metadata of the authorization server with this issuer; undefined when no document of it is of use. */
export async function readServerMetadata(
  issuer: string,
  check: CheckUrl,
  reading: Reading,
): Promise<AuthorizationServerMetadata | undefined> {
  try {
    checkIssuer(issuer, check)
  } catch (error) {
    note(issuer, error, reading)
    return undefined
  }
  return readFirst(wellKnownForIssuer(issuer), (members) => parseServerMetadata(members, issuer, check), reading)
}

/** RFC 8414 2: a URL without query and fragment. */
function checkIssuer(issuer: string, check: CheckUrl): void {
  const { search } = check(issuer, 'issuer')
  if (search) throw unusable('malformed', 'an issuer has no query')
}

/**
 * The well-known URLs of an issuer, in the order that MCP sets: OAuth, then OpenID; with a path, inserted, then appended.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery}
 */
function wellKnownForIssuer(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

function parseServerMetadata(members: JsonObject, issuer: string, check: CheckUrl): AuthorizationServerMetadata {
  const named = textOf(members.issuer)
  if (named === undefined) throw unusable('members', 'it has no "issuer"')
  if (!sameIssuer(named, issuer)) throw issuerMismatch(named, issuer)
  const checked = endpoints.flatMap((name) => {
    const url = textOf(members[name])
    if (url === undefined) return []
    check(url, name)
    return [[name, url]]
  })
  const metadata = Object.fromEntries([
    ...checked,
    ...lists.flatMap((name) => {
      const values = textsOf(members[name])
      return values ? [[name, values]] : []
    }),
    ...flags.flatMap((name) => (members[name] === true ? [[name, true]] : [])),
  ]) as Omit<AuthorizationServerMetadata, 'issuer'>
  const grants = metadata.grant_types_supported ?? ['authorization_code']
  if (metadata.token_endpoint === undefined) throw unusable('members', 'it has no "token_endpoint"')
  if (metadata.authorization_endpoint === undefined && grants.includes('authorization_code'))
    throw unusable('members', 'it has no "authorization_endpoint"')
  return { issuer: named, ...metadata }
}

/** RFC 8414 3.3: identical. An empty path with and without its slash is one URL, which many write either way. */
function sameIssuer(one: string, other: string): boolean {
  return one === other || withoutEmptyPath(one) === withoutEmptyPath(other)
}

function withoutEmptyPath(issuer: string): string {
  return issuer.replace(/^(https?:\/\/[^/?#]+)\/$/, '$1')
}

function issuerMismatch(named: string, expected: string) {
  const slash =
    named.replace(/\/$/, '') === expected.replace(/\/$/, '') ? ', which differs by the slash at the end' : ''
  return unusable(
    'issuer-mismatch',
    `its issuer is "${plainText(named)}", but "${plainText(expected)}" was expected${slash}; correct what the servers publish, or set "issuer" in "auth" to the one that is right`,
  )
}
