// Runs the suite's scenarios in every runtime, and holds the outcomes against the manifest. `--only` (a regular
// expression for scenarios) and `--runtime` narrow it down while developing.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBrowser } from './browser.js'
import { type ClientReport, reportName } from './clients/client-command.js'
import { compareManifest, manifest, type RuntimeName, runtimes, type ScenarioEntry } from './manifest.js'
import { countRuns, drawMatrix, type Run } from './matrix.js'
import { listScenarios, runInSuite } from './suite/suite.js'
import { judge, toOutcome } from './verdict.js'

/** Runs at a time. */
const parallel = 2
const results = fileURLToPath(new URL('../../.cache/conformance/', import.meta.url))

const { values: wanted } = parseArgs({ options: { only: { type: 'string' }, runtime: { type: 'string' } } })
const pattern = new RegExp(wanted.only ?? '')
const entries = manifest.filter(({ scenario }) => pattern.test(scenario))
const columns = runtimes.filter((runtime) => (wanted.runtime ?? runtime) === runtime)

const differences = compareManifest(manifest, await listScenarios())
for (const difference of differences) console.log(`✗ ${difference}`)

const runs: Run[] = []
const browser = columns.includes('chromium') ? await startBrowser() : undefined
try {
  const queue = columns.flatMap((runtime) => entries.map((entry) => ({ entry, runtime })))
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) runs.push(await run(next.entry, next.runtime))
  }
  await Promise.all(Array.from({ length: parallel }, work))
} finally {
  await browser?.close()
}

runs.sort((one, other) => manifest.indexOf(one.entry) - manifest.indexOf(other.entry))
if (runs.length > 0) console.log(`\n${drawMatrix(runs)}\n`)
console.log(countRuns(runs))
const unexpected = runs.filter(({ verdict }) => verdict === 'failed' || verdict === 'stale')
process.exitCode = runs.length > 0 && unexpected.length === 0 && differences.length === 0 ? 0 : 1

async function run(entry: ScenarioEntry, runtime: RuntimeName): Promise<Run> {
  const { scenario, revision } = entry
  const folder = path.join(results, runtime, `${scenario}-${revision}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const began = performance.now()
  const command = `"${process.execPath}" --import tsx src/clients/${runtime}.ts`
  const suite = await runInSuite(scenario, revision, { command, folder, env: browser?.env ?? {} })
  await writeFile(path.join(folder, 'suite.log'), suite.output)
  const outcome = toOutcome(runtime, suite, readReport(path.join(folder, reportName)))
  const verdict = judge(entry[runtime], outcome)
  tell({ entry, runtime, outcome, verdict }, ((performance.now() - began) / 1000).toFixed(1), folder)
  return { entry, runtime, outcome, verdict }
}

function readReport(file: string): ClientReport | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ClientReport) : undefined
}

function tell({ entry, runtime, outcome, verdict }: Run, seconds: string, folder: string): void {
  const name = `${entry.scenario} ${entry.revision}`
  console.log(`${verdict.padEnd(8)}${runtime.padEnd(9)} ${name}, ${outcome.successes} checks, ${seconds} s`)
  if (verdict === 'stale') console.log(`    it passes, and src/manifest.ts has "${entry[runtime]}"`)
  if (verdict !== 'failed') return
  for (const reason of outcome.reasons) console.log(`    ${reason}`)
  console.log(`    more in ${path.relative(process.cwd(), folder)}`)
}
