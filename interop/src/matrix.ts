import { type RuntimeName, runtimeNames } from './runtimes/runtime.js'
import type { JudgedStep, Verdict } from './verdict.js'

/** One server in one runtime, and what came of its steps. */
export interface Run {
  server: string
  runtime: RuntimeName
  steps: readonly JudgedStep[]
}

/** Whether a run went as the manifest says. */
export const isAsExpected = (run: Run) => count([run], 'failed', 'stale') === 0

/** A row for each server, a column for each runtime; then what is not yet, and why. */
export function drawMatrix(runs: readonly Run[], leftOut: Readonly<Record<string, string>>): string {
  const servers = [...new Set(runs.map(({ server }) => server))]
  const columns = runtimeNames.filter((name) => runs.some(({ runtime }) => runtime === name))
  const width = Math.max(...['server', ...servers].map((name) => name.length)) + 2
  const row = (first: string, cells: string[]) =>
    (first.padEnd(width) + cells.map((cell) => cell.padEnd(24)).join('')).trimEnd()
  const rows = servers.map((server) =>
    row(
      server,
      columns.map((runtime) => toCell(runs.find((run) => run.server === server && run.runtime === runtime))),
    ),
  )
  const omitted = Object.entries(leftOut).map(([name, reason]) => `not run: ${name}: ${reason}`)
  return [row('server', columns), ...rows, '', ...reasonsOf(runs), ...omitted].join('\n')
}

function toCell(run: Run | undefined): string {
  if (!run) return ''
  const told = (['failed', 'stale'] as const).filter((verdict) => count([run], verdict) > 0)
  if (told.length > 0) return told.map((verdict) => `${verdict.toUpperCase()} ${count([run], verdict)}`).join(', ')
  const missing = count([run], 'not yet')
  return `pass ${count([run], 'pass')}${missing > 0 ? `, not yet ${missing}` : ''}`
}

/** Each reason of the manifest once, with the steps that it holds for. */
function reasonsOf(runs: readonly Run[]): string[] {
  const reasons = new Map<string, Map<string, Set<string>>>()
  for (const { server, steps } of runs)
    for (const { verdict, name, detail } of steps) {
      if (verdict !== 'not yet') continue
      const byStep = reasons.get(detail!) ?? new Map<string, Set<string>>()
      reasons.set(detail!, byStep.set(name, (byStep.get(name) ?? new Set()).add(server)))
    }
  return [...reasons].flatMap(([reason, byStep]) => [
    `not yet: ${reason}`,
    ...[...byStep].map(([step, servers]) => `    ${step}: ${[...servers].join(', ')}`),
  ])
}

/** The last line of a run. */
export function countRuns(runs: readonly Run[]): string {
  const servers = new Set(runs.map(({ server }) => server)).size
  const runtimes = new Set(runs.map(({ runtime }) => runtime)).size
  return [
    `${servers} servers x ${runtimes} runtimes`,
    `${runs.filter(isAsExpected).length} as expected`,
    `${runs.reduce((sum, { steps }) => sum + steps.length, 0)} steps`,
    `${count(runs, 'not yet')} not yet`,
  ].join(', ')
}

function count(runs: readonly Run[], ...verdicts: Verdict[]): number {
  return runs.flatMap(({ steps }) => steps).filter(({ verdict }) => verdicts.includes(verdict)).length
}
