import './cut-network.js'
import { createHost } from '@x/web'
import { runScenario } from '../scenarios.js'
import type { Job } from '../steps.js'
import { signIn } from './sign-in.js'

/** What the page offers to who opens it. */
export interface PageScope {
  /** What went wrong, in words: errors don't cross. */
  runJob(job: Job): Promise<string | undefined>
}

const scope = globalThis as unknown as PageScope

scope.runJob = async (job) => {
  const host = createHost({ worker: () => new Worker(new URL('/mcp-worker.js', location.href), { type: 'module' }) })
  try {
    await runScenario(job, (server, hooks) => host.connect(server, hooks), signIn)
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } finally {
    await host.close()
  }
}
