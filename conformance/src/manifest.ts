/** A client in one runtime: core in Node, or web in a page of Chromium with core in its worker. */
export const runtimes = ['node', 'chromium'] as const
export type RuntimeName = (typeof runtimes)[number]

/** Newest of each era. The suite's scenarios of an extension belong to no revision and run at the newer one. */
export const revisions = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

export type Expectation = 'pass' | `not yet: ${string}`

/** A scenario of the suite at one revision. */
export interface ScenarioEntry extends Record<RuntimeName, Expectation> {
  scenario: string
  revision: Revision
}

/** What is expected of every scenario that the suite has for clients, but those of {@link leftOut}. */
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
]

/** Scenarios that are not run, by the beginning of their names, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'auth/': 'authorization: the client has no OAuth flow yet',
}

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
  const wanted = offered
    .filter(({ name }) => !Object.keys(leftOut).some((beginning) => name.startsWith(beginning)))
    .flatMap(({ name, tags }) => revisionsOf(tags).map((revision) => `${name} at ${revision}`))
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
