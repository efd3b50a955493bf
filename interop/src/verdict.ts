import { type NotYet, reasonFor } from './manifest.js'
import type { RuntimeName, RuntimeReport } from './runtimes/runtime.js'

/** `stale`: it passes and was not expected to yet. */
export type Verdict = 'pass' | 'not yet' | 'failed' | 'stale'

export interface JudgedStep {
  name: string
  verdict: Verdict
  /** What the step said; of one that is not yet, what the manifest says. */
  detail?: string
}

/** Holds what came of a server's steps against what was expected. A step that did not run counts as failed. */
export function judge(
  entries: readonly NotYet[],
  server: string,
  runtime: RuntimeName,
  names: readonly string[],
  report: RuntimeReport,
): JudgedStep[] {
  const steps = names.map((name): JudgedStep => {
    const reported = report.steps.find((step) => step.name === name)
    const error = reported ? reported.error : 'it was not run'
    const reason = reasonFor(entries, server, name, runtime)
    if (reason !== undefined)
      return error === undefined
        ? { name, verdict: 'stale', detail: reason }
        : { name, verdict: 'not yet', detail: reason }
    return error === undefined ? { name, verdict: 'pass' } : { name, verdict: 'failed', detail: error }
  })
  return [...steps, ...report.faults.map((detail): JudgedStep => ({ name: 'no fault', verdict: 'failed', detail }))]
}
