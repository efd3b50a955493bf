import type { RuntimeName } from './runtimes/runtime.js'

/** Steps that fail today, and why. */
export interface NotYet {
  reason: string
  servers: readonly string[]
  steps: readonly string[]
  /** Default: in every runtime. */
  runtime?: RuntimeName
}

/** Everything else is expected to pass. */
export const notYet: readonly NotYet[] = []

/** Why a step is not expected to pass; undefined: it is. */
export function reasonFor(entries: readonly NotYet[], server: string, step: string, runtime: RuntimeName) {
  return entries.find(
    (entry) => entry.servers.includes(server) && entry.steps.includes(step) && (entry.runtime ?? runtime) === runtime,
  )?.reason
}

/** Entries that name what there is not: a step that was renamed must not go unnoticed. */
export function compareManifest(entries: readonly NotYet[], known: ReadonlyMap<string, readonly string[]>): string[] {
  const pairs = entries.flatMap(({ servers, steps }) =>
    servers.flatMap((server) => steps.map((step) => [server, step])),
  )
  const names = pairs.map(([server, step]) => `${server}: ${step}`)
  return pairs
    .filter(([server, step]) => !known.get(server!)?.includes(step!))
    .map(([server, step]) => `the manifest has ${server}: ${step}, which there is not`)
    .concat(
      [...new Set(names.filter((name, at) => names.indexOf(name) < at))].map(
        (name) => `the manifest has ${name} twice`,
      ),
    )
}
