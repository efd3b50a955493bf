import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientLimitMs } from '../clients/client-command.js'
import type { Revision } from '../manifest.js'

const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const preload = new URL('./preload.mjs', import.meta.url).href
/** Commands of clients are relative to it. */
const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Milliseconds for one run, in which the client ends by itself. */
const limitMs = clientLimitMs + 30_000

/** A finding of the suite. */
export interface Check {
  id: string
  name: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

export interface SuiteResult {
  exitCode: number
  checks: Check[]
  /** All that the suite said. */
  output: string
  /** CORS preflights that its servers were asked. */
  preflights: number
}

/** The suite's scenarios for clients, each with the revisions that it is for; `extension` stands for any. */
export async function listScenarios(): Promise<{ name: string; tags: string[] }[]> {
  const { output } = await runSuite(['list', '--client'], {})
  const lines = [...output.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)]
  if (lines.length === 0) throw new Error(`the suite lists no scenario:\n${output}`)
  return lines.map(([, name, tags]) => ({ name: name!, tags: tags!.split(',') }))
}

/**
 * Runs one scenario: the suite starts its server, then `command` with the server's URL.
 *
 * @param folder - An empty folder for what the run leaves.
 */
export async function runInSuite(
  scenario: string,
  revision: Revision,
  { command, folder, env }: { command: string; folder: string; env: Record<string, string> },
): Promise<SuiteResult> {
  // --force: a scenario of an extension would be skipped, since it belongs to no revision.
  const what = ['--command', command, '--scenario', scenario, '--spec-version', revision, '--force']
  const how = ['--timeout', String(limitMs), '--output-dir', folder]
  const { code, output } = await runSuite(['client', ...what, ...how], { ...env, CONFORMANCE_FOLDER: folder })
  const files = readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)))
  const checks = files.find((file) => path.basename(file) === 'checks.json')
  const preflights = path.join(folder, 'preflights')
  return {
    exitCode: code,
    checks: checks ? (JSON.parse(readFileSync(checks, 'utf8')) as Check[]) : [],
    output,
    preflights: existsSync(preflights) ? Number(readFileSync(preflights, 'utf8')) : 0,
  }
}

function runSuite(args: string[], env: Record<string, string>): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', preload, entry, ...args],
      { cwd, env: { ...process.env, ...env }, timeout: limitMs, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, output: stdout + stderr })
      },
    )
  })
}
