import './cut-network.js'
import { createHost } from '@x/web'
import { type Job, runSteps } from '../steps/run-steps.js'

/** What the page offers to who opens it. */
export interface PageScope {
  /** The reports of the steps, as JSON. */
  runJob(job: Job): Promise<string>
}

const scope = globalThis as unknown as PageScope

scope.runJob = async (job) => {
  const host = createHost({ worker: () => new Worker(new URL('/mcp-worker.js', location.href), { type: 'module' }) })
  try {
    return JSON.stringify(await runSteps(job, (server, hooks) => host.connect(server, hooks)))
  } finally {
    await host.close()
  }
}
