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
  /** So many runs have hung that waiting for the others would take hours. */
  hopeless(): boolean
  good(): boolean
}

/** Runs that are told in full; the others are counted. */
const toldRuns = 10
/** Hung runs after which no more are made. */
const enoughHung = 25

export function createTally(tell: (line: string) => void, verbose: boolean): Tally {
  const computed = new Map<string, number>()
  const came = new Map<string, number>()
  const wrongs = new Map<Complaint, number>()
  const totals = { runs: 0, asComputed: 0, maxExecutions: 0, twice: 0, hung: 0, open: 0 }
  let told = 0

  return {
    add(result, rejections) {
      const { expected, call, executions, open } = result
      const wrong = complaints(result, rejections)
      totals.runs++
      totals.maxExecutions = Math.max(totals.maxExecutions, executions)
      if (executions > 1) totals.twice++
      if (wrong.some((one) => hanging.has(one))) totals.hung++
      if (open > 0) totals.open++
      if (wrong.length === 0) totals.asComputed++
      count(computed, kind(expected.call))
      if (!agrees(expected.call, call)) count(came, `${kind(expected.call)} -> ${kind(call)}`)
      for (const one of wrong) count(wrongs, one)
      if (verbose || (wrong.length > 0 && ++told <= toldRuns))
        for (const line of describe(result, wrong, rejections)) tell(line)
    },
    addFailure(name, error) {
      totals.runs++
      if (++told <= toldRuns) tell(`✗ ${name}\n    ${error instanceof Error ? error.stack : error}`)
    },
    summary: () => [...lines('computed', computed), ...lines('came    ', came), ...lines('wrong   ', wrongs)],
    lastLine() {
      const { runs, asComputed, maxExecutions, twice, hung, open } = totals
      return `${runs} runs, ${asComputed} as computed, max executions ${maxExecutions}, ${twice} twice, ${hung} hung, ${open} open`
    },
    hopeless: () => totals.hung >= enoughHung,
    good: () => totals.runs > 0 && totals.asComputed === totals.runs,
  }
}

/** What can be wrong with a run, besides what the caller of the first call got. */
type Complaint =
  | 'call'
  | 'call hung'
  | 'next call'
  | 'next call hung'
  | 'timer left'
  | 'exchange open'
  | 'ran twice'
  | Odd
type Odd = 'unhandled rejection' | 'modern client sent no POST'

const hanging = new Set<Complaint>(['call hung', 'next call hung', 'timer left'])

function complaints(result: RunResult, rejections: unknown[]): Complaint[] {
  const { run, expected, call, next, executions, timers, open, log } = result
  const found: [Complaint, boolean][] = [
    ['call hung', call === 'hung'],
    ['call', call !== 'hung' && !agrees(expected.call, call)],
    ['next call hung', next === 'hung'],
    ['next call', next !== 'hung' && !agrees(expected.next, next)],
    ['ran twice', executions > 1],
    ['timer left', timers.length > 0],
    ['exchange open', open > 0],
    ['unhandled rejection', rejections.length > 0],
    ['modern client sent no POST', run.script.era === 'modern' && log.some((line) => !line.startsWith('POST '))],
  ]
  return found.filter(([, is]) => is).map(([complaint]) => complaint)
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const lines = (what: string, counts: Map<string, number>) =>
  [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([key, times]) => `${what} ${String(times).padStart(6)}  ${key}`)

function agrees(expected: Outcome, got: SubjectOutcome | 'hung'): boolean {
  if (got === 'hung') return false
  return Object.entries(expected).every(([key, value]) => (got as unknown as Record<string, unknown>)[key] === value)
}

function kind(outcome: SubjectOutcome | 'hung'): string {
  if (outcome === 'hung') return 'hung'
  return 'text' in outcome ? `result, ${outcome.progress} progress` : `${outcome.code}, outcome ${outcome.outcome}`
}

function describe(result: RunResult, wrong: Complaint[], rejections: unknown[]): string[] {
  const { run, expected, call, next, executions, timers, open, log } = result
  const compare = (what: string, wanted: Outcome, got: SubjectOutcome | 'hung') =>
    `    ${what}: ${JSON.stringify(got)}${agrees(wanted, got) ? '' : `; computed ${JSON.stringify(wanted)}`}`
  return [
    `${runName(run)}${wrong.length > 0 ? `: ${wrong.join(', ')}` : ''}`,
    compare('call', expected.call, call),
    compare('next', expected.next, next),
    `    executions ${executions}, timers left [${timers}], open ${open}, requests: ${log.join(' · ')}`,
    ...rejections.map((error) => `    unhandled: ${error instanceof Error ? error.stack : error}`),
  ]
}
