import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { readChallenges } from '../../src/authorization/challenge.js'
import { type Discovered, discover } from '../../src/authorization/discovery.js'
import { resolveClient } from '../../src/authorization/registration.js'
import { checkUrl, createGuardedFetch, type GuardOptions } from '../../src/authorization/url-guard.js'
import type { AuthConfig } from '../../src/config.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { rejection } from '../support/rejection.js'
import { createTimers } from '../support/timers.js'
import type { FieldReport } from './field-report.js'
import { url } from './subject.js'

/** The first half of a sign-in, up to the page that a person would be sent to. */
export interface SignInSubject {
  begin(fetch: typeof globalThis.fetch, settings?: SignInSettings): Promise<Begun>
}

export interface SignInSettings {
  serverUrl?: string
  /** The server's 401. */
  refusal?: Response
  config?: Omit<AuthConfig & { type: 'oauth' }, 'type'>
  redirectUrl?: string
  guard?: Partial<GuardOptions>
}

export interface Begun {
  /** The page, without parameters. */
  page: string
  clientId: string
  resource: string
  /** Ours alone. */
  discovered?: Discovered
}

export interface SignInReport extends Omit<FieldReport, 'cases'> {
  cases: SignInCase[]
}

export interface SignInCase {
  name: string
  run(subject: SignInSubject): Promise<void>
  /** The SDK has the fault: how the case fails for it. */
  sdkFails?: RegExp
}

/** A 401, as most servers answer. */
export const unauthorized = (challenge?: string) =>
  new Response(null, { status: 401, ...(challenge && { headers: { 'www-authenticate': challenge } }) })

const callback = 'https://app.example/callback'

const ours: SignInSubject = {
  async begin(fetch, { serverUrl = url, refusal = unauthorized(), config = {}, redirectUrl = callback, guard } = {}) {
    const guarded = createGuardedFetch({ fetch, serverUrl, setTimer: createTimers().setTimer, ...guard })
    const { issuer } = config
    const discovered = await discover({
      serverUrl,
      challenges: readChallenges(refusal.headers),
      fetch: guarded,
      ...(issuer !== undefined && { issuer }),
    })
    const client = await resolveClient({
      config: { type: 'oauth', ...config },
      discovered,
      redirectUrl,
      fetch: guarded,
      now: () => 0,
    })
    const endpoint = checkUrl(discovered.metadata.authorization_endpoint, serverUrl, 'authorization_endpoint')
    return { page: endpoint.href, clientId: client.clientId, resource: discovered.resource, discovered }
  },
}

/** The SDK's own orchestrator over its own primitives. */
const sdk: SignInSubject = {
  async begin(fetch, { serverUrl = url, refusal = unauthorized(), config = {}, redirectUrl = callback } = {}) {
    const opened: URL[] = []
    const { clientId, clientMetadataUrl } = config
    let client: { client_id: string } | undefined = clientId === undefined ? undefined : { client_id: clientId }
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl] },
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      // Stamped, or the SDK warns of it.
      clientInformation: (context) => client && { ...client, ...(context && { issuer: context.issuer }) },
      saveClientInformation(information) {
        client = information
      },
      tokens: () => undefined,
      saveTokens() {},
      codeVerifier: () => '',
      saveCodeVerifier() {},
      redirectToAuthorization: (page) => void opened.push(page),
    }
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(refusal)
    await auth(provider, { serverUrl, fetchFn: fetch, ...(resourceMetadataUrl && { resourceMetadataUrl }) })
    const page = opened[0]!
    const { searchParams } = page
    return {
      page: page.href.split('?')[0]!,
      clientId: searchParams.get('client_id') ?? '',
      resource: searchParams.get('resource') ?? '',
    }
  },
}

/** Tests ours with each case, and sees the SDK's fail where the table says so. */
export function testSignInReports(reports: SignInReport[]): void {
  failOnUnhandled()
  for (const { id, title, cases } of reports) {
    describe(`${id} ${title}`, () => {
      for (const { name, run, sdkFails } of cases) {
        test(name, () => run(ours))
        if (!sdkFails) continue
        test(`${name}: the SDK fails it`, async () => {
          const failure = await rejection(run(sdk))
          expect((failure as Error).message).toMatch(sdkFails)
        })
      }
    })
  }
}
