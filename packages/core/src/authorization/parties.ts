import type { AuthConfig } from '../config.js'
import { ConfigError, McpError, withDetails } from '../errors.js'
import type { Json } from '../protocol.js'
import type { Challenges } from './challenge.js'
import type { ClientInformation } from './client-information.js'
import type { AuthorizationTools } from './credentials.js'
import { type Discovered, discover } from './discovery.js'
import type { Grants } from './grants.js'
import { isObject } from './metadata-document.js'
import { ownError } from './own-error.js'
import { resolveClient } from './registration.js'
import { isTransient } from './token-request.js'
import type { GuardedFetch } from './url-guard.js'

export interface PartiesOptions {
  server: string
  serverUrl: string
  /** The only issuer that may be used. */
  issuer?: string | undefined
  /** Under which the grant is kept. */
  key: string
  grants: Grants
  fetch: GuardedFetch
  tools: Pick<AuthorizationTools, 'store' | 'now' | 'closing' | 'emit'>
}

/** Who gives the tokens of one MCP server, and as whom they are asked for. */
export interface Parties {
  /**
   * The authorization server, as far as is known: looked up where nothing is, and again after {@link Parties.doubt}.
   *
   * @param anew - Whether what is known doesn't do at all.
   */
  server(anew?: boolean): Promise<Discovered>
  /** The MCP server has refused its tokens: the authorization server may be another one now. */
  doubt(challenges: Challenges): void
  /** The client to sign in as, registered where it has to be; `isNew` says that it was. */
  client(
    auth: OAuthConfig,
    discovered: Discovered,
    scopes: string[],
  ): Promise<{ client: ClientInformation; isNew: boolean }>
  /** The client that there is, without registering one. */
  knownClient(auth: OAuthConfig, discovered: Discovered): Promise<ClientInformation | undefined>
  /** The authorization server has forgotten the client. */
  forgetClient(auth: OAuthConfig, discovered: Discovered): Promise<void>
}

export type OAuthConfig = Extract<AuthConfig, { type: 'oauth' }>

export function createParties(options: PartiesOptions): Parties {
  const { server, serverUrl, issuer, key, grants, fetch, tools } = options
  const { store, now, closing, emit } = tools
  let challenges: Challenges = 'unknown'
  let inDoubt = false
  let known: Discovered | undefined
  let lookingUp: Promise<Discovered> | undefined

  async function lookUp(): Promise<Discovered> {
    inDoubt = false
    try {
      known = await discover({ serverUrl, challenges, fetch, signal: closing, ...(issuer !== undefined && { issuer }) })
      emit({ type: 'authorization', step: 'discovered', issuer: known.issuer })
      return known
    } catch (error) {
      inDoubt = true
      throw McpError.is(error) ? withDetails(error, { server }) : error
    }
  }

  const clientKey = ({ issuer }: Discovered, redirectUrl: string) => `x/client ${JSON.stringify([issuer, redirectUrl])}`

  /** Not at the same time as another: the server would get two clients. */
  const resolve = (auth: OAuthConfig, discovered: Discovered, scopes: string[] = []) => {
    const redirectUrl = redirectUrlOf(auth, server)
    const at = clientKey(discovered, redirectUrl)
    return store.exclusively(at, async () => {
      const stored = toClient(await store.get(at))
      const client = await resolveClient({
        config: auth,
        discovered,
        redirectUrl,
        scopes,
        fetch,
        now,
        signal: closing,
        ...(stored && { stored }),
      })
      const isNew = client.source === 'dynamic' && client.clientId !== stored?.clientId
      if (isNew) {
        await store.set(at, { ...client })
        emit({ type: 'authorization', step: 'registered', issuer: discovered.issuer })
      }
      return { client, isNew }
    })
  }

  return {
    async server(anew = false) {
      known ??= (await grants.get(key))?.discovered
      if (known && !inDoubt && !anew) return known
      const before = known
      lookingUp ??= lookUp().finally(() => {
        lookingUp = undefined
      })
      return lookingUp.catch((error) => {
        // What can't be asked now has not changed, as far as anybody knows.
        if (before && !anew && isTransient(error)) return before
        throw ownError(error)
      })
    },
    doubt(said) {
      inDoubt = true
      challenges = said
    },
    client: resolve,
    async knownClient(auth, discovered) {
      const { registration_endpoint: _, ...metadata } = discovered.metadata
      try {
        return (await resolve(auth, { ...discovered, metadata })).client
      } catch (error) {
        if (McpError.is(error) && error.data.reason === 'client-required') return undefined
        throw error
      }
    },
    forgetClient: (auth, discovered) => store.delete(clientKey(discovered, redirectUrlOf(auth, server))),
  }
}

function redirectUrlOf({ redirectUrl }: OAuthConfig, server: string): string {
  if (redirectUrl !== undefined) return redirectUrl
  throw new ConfigError(
    '"auth" of type "oauth" needs "redirectUrl": the page of the app that a sign-in comes back to',
    {
      data: { server, key: 'auth' },
    },
  )
}

/** A client as a store gave it back. */
function toClient(value: Json | undefined): ClientInformation | undefined {
  if (!isObject(value)) return undefined
  const isWhole = ['clientId', 'authMethod', 'redirectUrl', 'issuer'].every((name) => typeof value[name] === 'string')
  return isWhole && value.source === 'dynamic' ? (value as unknown as ClientInformation) : undefined
}
