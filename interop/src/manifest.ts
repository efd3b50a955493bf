import { type RuntimeName, runtimeNames } from './runtimes/runtime.js'

/** Steps that fail today, and why. */
export interface NotYet {
  reason: string
  servers: readonly string[]
  steps: readonly string[]
  /** Default: in every runtime. */
  runtime?: RuntimeName
}

/** Everything else is expected to pass. */
export const notYet: readonly NotYet[] = [
  {
    reason: 'dialogues: the client offers no elicitation, sampling or roots',
    servers: ['everything-http', 'everything-sse'],
    steps: [
      'lists tools',
      'answers a form',
      "sends a form's defaults for what was left out",
      'declines a form',
      'does not send an answer that the form forbids',
      'answers a URL',
      'does not show a URL that is not https',
      'samples',
      'a sampling hook that throws harms only its call',
      'gives roots',
    ],
  },
]

/** Why a step is not expected to pass; undefined: it is. */
export function reasonFor(entries: readonly NotYet[], server: string, step: string, runtime: RuntimeName) {
  return entries.find(
    (entry) => entry.servers.includes(server) && entry.steps.includes(step) && (entry.runtime ?? runtime) === runtime,
  )?.reason
}

/** Entries that name what there is not, or twice: a step that was renamed must not go unnoticed. */
export function compareManifest(entries: readonly NotYet[], known: ReadonlyMap<string, readonly string[]>): string[] {
  const told = new Set<string>()
  const seen = new Set<string>()
  for (const { servers, steps, runtime } of entries)
    for (const server of servers)
      for (const step of steps) {
        if (!known.get(server)?.includes(step)) told.add(`the manifest has ${server}: ${step}, which there is not`)
        for (const name of runtime ? [runtime] : runtimeNames) {
          const cell = `${server}: ${step} in ${name}`
          if (seen.has(cell)) told.add(`the manifest has ${cell} twice`)
          seen.add(cell)
        }
      }
  return [...told]
}
