/** A client in one runtime: core in Node, or web in a page of Chromium with core in its worker. */
export const runtimes = ['node', 'chromium'] as const
export type RuntimeName = (typeof runtimes)[number]

/**
 * Newest of each era, and the one whose authorization no later revision has. The suite's scenarios of an extension belong to
 * no revision and run at the newest.
 */
export const revisions = ['2025-03-26', '2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

export type Expectation = 'pass' | `not yet: ${string}`

/** A scenario of the suite at one revision. */
export interface ScenarioEntry extends Record<RuntimeName, Expectation> {
  scenario: string
  revision: Revision
}

const guessed: Expectation = 'not yet: endpoints that no metadata name are not guessed, in docs/decisions/0011'

/** What is expected of every scenario that the suite has for clients. */
export const manifest: readonly ScenarioEntry[] = [
  { scenario: 'initialize', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'tools_call', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'tools_call', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'sse-retry', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'request-metadata', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'http-standard-headers', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'http-custom-headers', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'http-invalid-tool-headers', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'json-schema-ref-no-deref', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'json-schema-2020-12-preservation', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'json-schema-2020-12-preservation', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'elicitation-sep1034-client-defaults', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'sep-2322-client-request-state', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'sep-2640-client-no-prefetch', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'sep-2640-client-verify-digest', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'sep-2640-client-verify-size', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'sep-2640-client-verify-frontmatter', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-default', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-default', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-var1', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-var1', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-var2', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-var2', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-var3', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-var3', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/basic-cimd', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/basic-cimd', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-from-www-authenticate', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-from-www-authenticate', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-from-scopes-supported', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-from-scopes-supported', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-omitted-when-undefined', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-omitted-when-undefined', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-step-up', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-step-up', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-retry-limit', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/scope-retry-limit', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/token-endpoint-auth-basic', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/token-endpoint-auth-basic', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/token-endpoint-auth-post', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/token-endpoint-auth-post', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/token-endpoint-auth-none', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/token-endpoint-auth-none', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/pre-registration', revision: '2025-11-25', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/pre-registration', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/2025-03-26-oauth-metadata-backcompat', revision: '2025-03-26', node: 'pass', chromium: 'pass' },
  {
    scenario: 'auth/2025-03-26-oauth-endpoint-fallback',
    revision: '2025-03-26',
    node: guessed,
    chromium: guessed,
  },
  { scenario: 'auth/resource-mismatch', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/offline-access-scope', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/offline-access-not-supported', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/authorization-server-migration', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/iss-supported', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/iss-not-advertised', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/iss-supported-missing', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/iss-wrong-issuer', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/iss-unexpected', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/iss-normalized', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/metadata-issuer-mismatch', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/client-credentials-jwt', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/client-credentials-basic', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/enterprise-managed-authorization', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/dpop', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/dpop-nonce', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
  { scenario: 'auth/wif-jwt-bearer', revision: '2026-07-28', node: 'pass', chromium: 'pass' },
]

/**
 * Where the manifest and the suite's own list of scenarios differ: a scenario that the suite got must not go unnoticed.
 *
 * @param offered - The suite's scenarios for clients, with the revisions that each is for, or `extension`.
 */
export function compareManifest(
  entries: readonly ScenarioEntry[],
  offered: readonly { name: string; tags: string[] }[],
): string[] {
  const known = entries.map(({ scenario, revision }) => `${scenario} at ${revision}`)
  const wanted = offered.flatMap(({ name, tags }) => revisionsOf(tags).map((revision) => `${name} at ${revision}`))
  return [
    ...wanted.filter((one) => !known.includes(one)).map((one) => `the suite has ${one}, the manifest has not`),
    ...known.filter((one) => !wanted.includes(one)).map((one) => `the manifest has ${one}, the suite has not`),
    ...known.filter((one, index) => known.indexOf(one) < index).map((one) => `the manifest has ${one} twice`),
  ]
}

function revisionsOf(tags: string[]): Revision[] {
  if (tags.includes('extension')) return ['2026-07-28']
  return revisions.filter((revision) => tags.includes(revision))
}
