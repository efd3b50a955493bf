import { type RuntimeName, runtimes, type ScenarioEntry } from './manifest.js'
import type { Outcome, Verdict } from './verdict.js'

/** One scenario at one revision in one runtime, and what came of it. */
export interface Run {
  entry: ScenarioEntry
  runtime: RuntimeName
  outcome: Outcome
  verdict: Verdict
}

/** A row for each scenario and revision, a column for each runtime; then what is not yet, and why. */
export function drawMatrix(runs: readonly Run[]): string {
  const entries = [...new Set(runs.map(({ entry }) => entry))]
  const columns = runtimes.filter((name) => runs.some(({ runtime }) => runtime === name))
  const width = Math.max(...entries.map(({ scenario }) => scenario.length)) + 2
  const rows = entries.map((entry) => {
    const cells = columns.map((runtime) => toCell(runs.find((run) => run.entry === entry && run.runtime === runtime)))
    return [entry.scenario.padEnd(width), entry.revision.padEnd(12), ...cells.map((cell) => cell.padEnd(12))]
  })
  const head = ['scenario'.padEnd(width), 'revision'.padEnd(12), ...columns.map((name) => name.padEnd(12))]
  return [...[head, ...rows].map((row) => row.join('').trimEnd()), '', ...reasonsOf(entries)].join('\n')
}

function toCell(run: Run | undefined): string {
  if (!run) return ''
  if (run.verdict === 'pass') return `pass ${run.outcome.successes}`
  return run.verdict === 'not yet' ? run.verdict : run.verdict.toUpperCase()
}

/** Each reason of the manifest once, with the scenarios that it holds for. */
function reasonsOf(entries: ScenarioEntry[]): string[] {
  const expectations = [...new Set(entries.flatMap(({ node, chromium }) => [node, chromium]))]
  return expectations
    .filter((expectation) => expectation !== 'pass')
    .map((expectation) => {
      const names = entries.filter(({ node, chromium }) => node === expectation || chromium === expectation)
      return `${expectation}: ${[...new Set(names.map(({ scenario }) => scenario))].join(', ')}`
    })
}

/** The last line of a run. */
export function countRuns(runs: readonly Run[]): string {
  const scenarios = new Set(runs.map(({ entry }) => entry)).size
  const runtimes = new Set(runs.map(({ runtime }) => runtime)).size
  const count = (...verdicts: Verdict[]) => runs.filter(({ verdict }) => verdicts.includes(verdict)).length
  const told = [
    `${scenarios} scenarios x ${runtimes} runtimes`,
    `${count('pass', 'not yet')} as expected`,
    `${count('pass', 'stale')} passing`,
    `${count('not yet')} not yet`,
  ]
  return told.join(', ')
}
