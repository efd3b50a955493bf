import type { Outcome } from '@x/testkit/faulty'
import { runName } from './matrix.js'
import type { RunResult } from './perform.js'
import type { SubjectOutcome } from './subject.js'

/** Counts what came of the runs. */
export interface Tally {
  add(result: RunResult, rejections: unknown[]): void
  /** A run that could not even be made. */
  addFailure(name: string, error: unknown): void
  /** How often each kind of outcome was computed, and how often it came. */
  summary(): string[]
  lastLine(): string
  good(): boolean
}

/** Runs that are told in full; the others are counted. */
const toldRuns = 10

export function createTally(tell: (line: string) => void, verbose: boolean): Tally {
  const computed = new Map<string, number>()
  const came = new Map<string, number>()
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const totals = { runs: 0, asComputed: 0, maxExecutions: 0, twice: 0, hung: 0, open: 0 }
  let told = 0

  return {
    add(result, rejections) {
      const { expected, call, next, executions, timers, open } = result
      const hung = call === 'hung' || next === 'hung' || timers.length > 0
      totals.runs++
      totals.maxExecutions = Math.max(totals.maxExecutions, executions)
      totals.twice += executions > 1 ? 1 : 0
      totals.hung += hung ? 1 : 0
      totals.open += open > 0 ? 1 : 0
      count(computed, kind(expected.call))
      count(came, `${kind(expected.call)} -> ${kind(call)}`)
      const asked = result.run.script.era === 'modern' && result.log.some((line) => !line.startsWith('POST '))
      const same = agrees(expected.call, call) && agrees(expected.next, next)
      const good = same && !asked && !hung && executions <= 1 && open === 0 && rejections.length === 0
      if (good) totals.asComputed++
      if (verbose || (!good && ++told <= toldRuns)) for (const line of describe(result, rejections)) tell(line)
    },
    addFailure(name, error) {
      totals.runs++
      if (++told <= toldRuns) tell(`✗ ${name}\n    ${error instanceof Error ? error.stack : error}`)
    },
    summary: () => [
      ...[...computed].sort().map(([key, times]) => `computed ${String(times).padStart(6)}  ${key}`),
      ...[...came]
        .filter(([key]) => key.split(' -> ')[0] !== key.split(' -> ')[1])
        .sort(([, left], [, right]) => right - left)
        .map(([key, times]) => `came     ${String(times).padStart(6)}  ${key}`),
    ],
    lastLine() {
      const { runs, asComputed, maxExecutions, twice, hung, open } = totals
      return `${runs} runs, ${asComputed} as computed, max executions ${maxExecutions}, ${twice} twice, ${hung} hung, ${open} open`
    },
    good: () => totals.runs > 0 && totals.asComputed === totals.runs,
  }
}

function agrees(expected: Outcome, got: SubjectOutcome | 'hung'): boolean {
  if (got === 'hung') return false
  return Object.entries(expected).every(([key, value]) => (got as unknown as Record<string, unknown>)[key] === value)
}

function kind(outcome: SubjectOutcome | 'hung'): string {
  if (outcome === 'hung') return 'hung'
  return 'text' in outcome ? `result, ${outcome.progress} progress` : `${outcome.code}, outcome ${outcome.outcome}`
}

function describe({ run, expected, call, next, executions, timers, open, log }: RunResult, rejections: unknown[]) {
  const compare = (what: string, wanted: Outcome, got: SubjectOutcome | 'hung') =>
    `    ${what}: ${JSON.stringify(got)}${agrees(wanted, got) ? '' : `; computed ${JSON.stringify(wanted)}`}`
  return [
    `${runName(run)}`,
    compare('call', expected.call, call),
    compare('next', expected.next, next),
    `    executions ${executions}, timers left [${timers}], open ${open}, requests: ${log.join(' · ')}`,
    ...rejections.map((error) => `    unhandled: ${error instanceof Error ? error.stack : error}`),
  ]
}
