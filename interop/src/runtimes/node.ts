import { connect } from '@x/core'
import { runSteps } from '../steps/run-steps.js'
import type { Runtime } from './runtime.js'

/** Core in this process. */
export function createNodeRuntime(): Runtime {
  return {
    async run(job) {
      const faults: string[] = []
      const note = (error: unknown) => faults.push(`uncaught: ${String(error)}`)
      process.on('unhandledRejection', note).on('uncaughtException', note)
      try {
        return { steps: await runSteps(job, connect), faults }
      } finally {
        process.off('unhandledRejection', note).off('uncaughtException', note)
      }
    },
    async close() {},
  }
}
