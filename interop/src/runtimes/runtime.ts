import type { Job, StepReport } from '../steps/run-steps.js'

/** A client in one runtime: core in Node, or web in a page of Chromium with core in its worker. */
export const runtimeNames = ['node', 'chromium'] as const
export type RuntimeName = (typeof runtimeNames)[number]

export interface Runtime {
  run(job: Job): Promise<RuntimeReport>
  close(): Promise<void>
}

export interface RuntimeReport {
  steps: StepReport[]
  /** What nobody caught, meanwhile. */
  faults: string[]
}
