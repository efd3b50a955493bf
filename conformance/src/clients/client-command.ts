import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonObject } from '@x/core'
import type { Job } from '../steps.js'

/** Milliseconds for one scenario: the suite stops only the shell around a client, and then waits without a limit. */
export const clientLimitMs = 50_000

/** What a client under test leaves in the run's folder. */
export interface ClientReport {
  error?: string
}

/** The name of the report's file. */
export const reportName = 'client.json'

/** Runs a client as the suite's command: takes the job from arguments and environment, and reports how it went. */
export async function runClientCommand(run: (job: Job) => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    report({ error: `not done after ${clientLimitMs} ms` })
    process.exit(1)
  }, clientLimitMs)
  try {
    await run(readJob())
    report({})
  } catch (error) {
    console.error(error)
    report({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
    process.exitCode = 1
  }
  // Goes on for a client that keeps the process running after its end.
  timer.unref()
}

function readJob(): Job {
  return {
    scenario: variable('MCP_CONFORMANCE_SCENARIO'),
    serverUrl: process.argv.at(-1)!,
    revision: variable('MCP_CONFORMANCE_PROTOCOL_VERSION'),
    context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as JsonObject,
  }
}

function report(content: ClientReport): void {
  writeFileSync(path.join(variable('CONFORMANCE_FOLDER'), reportName), JSON.stringify(content))
}

/** A variable that the suite, or the runner through it, has set. */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: this file is run by the suite`)
  return value
}
