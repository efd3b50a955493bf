import { AuthorizationError, ConfigError } from '../errors.js'
import { chooseAuthMethod } from './client-authentication.js'
import type { ClientInformation } from './client-information.js'
import { type RegistrationOptions, register } from './dynamic-registration.js'
import { checkRedirectUrl } from './redirect-url.js'
import { plainText } from './server-text.js'

export type { ClientInformation } from './client-information.js'

export interface ResolveClientOptions extends RegistrationOptions {
  /** What was registered before. Leave it out to register anew, after the server has forgotten the client. */
  stored?: ClientInformation
  now(): number
}

/**
 * The client to sign in as: the configured one, else the one that was registered with this issuer and redirect URL, else the
 * app's own metadata document where the server takes it, else one that is registered now.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a redirect URL or a `clientMetadataUrl` that no server may take.
 * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`, `data.step` is `registration`; `data.reason` is `client-required`
 *   when a person has to register the client, or why the registration failed.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration}
 */
export async function resolveClient(options: ResolveClientOptions): Promise<ClientInformation> {
  const { config, discovered, redirectUrl, stored, now } = options
  const { issuer, metadata } = discovered
  checkRedirectUrl(redirectUrl)
  const { clientId, clientSecret, clientMetadataUrl } = config
  if (clientMetadataUrl !== undefined) checkMetadataUrl(clientMetadataUrl)
  if (clientId !== undefined) {
    const authMethod = chooseAuthMethod({ clientSecret, supported: metadata.token_endpoint_auth_methods_supported })
    return {
      clientId,
      ...(clientSecret && authMethod !== 'none' && { clientSecret }),
      authMethod,
      source: 'configured',
      redirectUrl,
      issuer,
    }
  }
  if (stored && isUsable(stored, issuer, redirectUrl, now())) return stored
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported)
    return { clientId: clientMetadataUrl, authMethod: 'none', source: 'metadata-document', redirectUrl, issuer }
  if (metadata.registration_endpoint === undefined) throw clientRequired(options)
  const registered = await register(metadata.registration_endpoint, options)
  return { ...registered, source: 'dynamic', redirectUrl, issuer }
}

/** A client id is the authorization server's that gave it, and no server takes another redirect URL than the registered. */
function isUsable(stored: ClientInformation, issuer: string, redirectUrl: string, now: number): boolean {
  const { source, expiresAt } = stored
  if (source !== 'dynamic' || stored.issuer !== issuer || stored.redirectUrl !== redirectUrl) return false
  return expiresAt === undefined || expiresAt > now
}

/**
 * A client id that is a URL is compared as text: it must be what every server makes of it.
 *
 * @see {@link https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-3}
 */
function checkMetadataUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isFit =
    url?.protocol === 'https:' && url.pathname !== '/' && !url.username && !url.password && !text.includes('#')
  // The parser resolves dot segments, so that another text comes out.
  if (!isFit || url.href !== text)
    throw new ConfigError(
      '"clientMetadataUrl" in "auth" must be an https:// URL with a path, without user name, fragment and dot segments',
      { data: { key: 'auth' } },
    )
}

function clientRequired({ discovered, redirectUrl }: ResolveClientOptions): AuthorizationError {
  const { issuer, metadata } = discovered
  const document = metadata.client_id_metadata_document_supported ? ', or give "clientMetadataUrl"' : ''
  return new AuthorizationError(
    `The authorization server ${plainText(issuer)} registers no clients by itself: register one there with the redirect URL ${redirectUrl}, and give its "clientId" in "auth"${document}`,
    { data: { step: 'registration', reason: 'client-required' } },
  )
}
