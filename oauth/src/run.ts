// Runs every journey in every runtime. `--only` (a regular expression for journeys) and `--runtime` narrow it down while
// developing.
import { parseArgs } from 'node:util'
import { journeys } from './journeys/journeys.js'
import { toLastLine } from './last-line.js'
import { type JourneyOutcome, runJourney } from './run-journey.js'
import { createChromiumRuntime } from './runtimes/chromium.js'
import { createNodeRuntime } from './runtimes/node.js'
import { type Runtime, type RuntimeName, runtimeNames } from './runtimes/runtime.js'

const create: Record<RuntimeName, () => Promise<Runtime>> = {
  node: async () => createNodeRuntime(),
  chromium: createChromiumRuntime,
}

const { values: wanted } = parseArgs({ options: { only: { type: 'string' }, runtime: { type: 'string' } } })
const pattern = new RegExp(wanted.only ?? '')
const chosen = journeys.filter(({ name }) => pattern.test(name))

// The runtimes at the same time, and in each one journey after the other.
const columns = runtimeNames.filter((runtime) => (wanted.runtime ?? runtime) === runtime)
const outcomes = (await Promise.all(columns.map(runAll))).flat()
const checks = outcomes.flatMap((outcome) => outcome.checks)
console.log(`\n${toLastLine(outcomes)}`)
process.exitCode = checks.length > 0 && checks.every(({ held }) => held) ? 0 : 1

async function runAll(name: RuntimeName): Promise<JourneyOutcome[]> {
  const runtime = await create[name]()
  const done: JourneyOutcome[] = []
  try {
    for (const journey of chosen) {
      const began = performance.now()
      const outcome = await runJourney(journey, runtime)
      done.push(outcome)
      tell(name, journey.name, outcome, ((performance.now() - began) / 1000).toFixed(1))
    }
  } finally {
    await runtime.close()
  }
  return done
}

function tell(runtime: RuntimeName, journey: string, { checks: all }: JourneyOutcome, seconds: string): void {
  const failed = all.filter(({ held }) => !held)
  const mark = failed.length > 0 ? '✗ ' : 'ok'
  console.log(`${mark} ${runtime.padEnd(9)} ${journey}, ${all.length} checks, ${seconds} s`)
  for (const { what } of failed) console.log(`    failed: ${what}`)
}
