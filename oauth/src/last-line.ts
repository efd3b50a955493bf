import { parallelCalls } from './journeys/renewal.js'
import type { JourneyOutcome } from './run-journey.js'

/** The last line of a run: of several that called at once the worst, since one that went wrong must not be hidden. */
export function toLastLine(outcomes: readonly JourneyOutcome[]): string {
  const runs = outcomes.flatMap(({ parallel }) => parallel ?? [])
  const checks = outcomes.flatMap((outcome) => outcome.checks)
  const failed = checks.filter(({ held }) => !held).length
  const calls = runs.length > 0 ? Math.min(...runs.map((run) => run.calls)) : 0
  const refreshes = runs.length > 0 ? Math.max(...runs.map((run) => run.refreshes)) : 0
  const told = [
    `${calls}/${parallelCalls} calls`,
    `${refreshes} ${refreshes === 1 ? 'refresh' : 'refreshes'}`,
    `${checks.length} checks`,
  ]
  return [...told, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ')
}
