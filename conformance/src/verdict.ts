import type { ClientReport } from './clients/client-command.js'
import type { Expectation, RuntimeName } from './manifest.js'
import type { SuiteResult } from './suite/suite.js'

/** How a run went. */
export interface Outcome {
  /** Checks that the suite found to hold. */
  successes: number
  /** Why the run did not pass; empty when it did. */
  reasons: string[]
}

/** What came of an expectation; `stale` is a run that passes and was not expected to yet. */
export type Verdict = 'pass' | 'not yet' | 'failed' | 'stale'

/**
 * Whether a run passed. A client that does nothing passes some scenarios of the suite, and a browser whose CORS is off
 * all: both are seen here.
 *
 * @param report - What the client itself said; absent when it ended before that.
 */
export function toOutcome(runtime: RuntimeName, suite: SuiteResult, report: ClientReport | undefined): Outcome {
  const reasons: string[] = []
  if (!report) reasons.push('the client ended without a report')
  else if (report.error) reasons.push(`client: ${report.error}`)
  for (const { status, name, errorMessage } of suite.checks)
    if (status === 'FAILURE' || status === 'WARNING') reasons.push(`${name}${errorMessage ? `: ${errorMessage}` : ''}`)
  const successes = suite.checks.filter(({ status }) => status === 'SUCCESS').length
  if (successes === 0) reasons.push('no check of the suite succeeded')
  if (runtime === 'chromium' && suite.preflights === 0) reasons.push('the server saw no preflight: CORS was off')
  if (suite.exitCode !== 0 && reasons.length === 0) reasons.push(`the suite ended with ${suite.exitCode}`)
  return { successes, reasons: [...new Set(reasons)] }
}

/** Holds an outcome against what was expected. */
export function judge(expectation: Expectation, { reasons }: Outcome): Verdict {
  const passed = reasons.length === 0
  if (expectation === 'pass') return passed ? 'pass' : 'failed'
  return passed ? 'stale' : 'not yet'
}
