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

const outcomes: JourneyOutcome[] = []
for (const name of runtimeNames.filter((runtime) => (wanted.runtime ?? runtime) === runtime)) {
  const runtime = await create[name]()
  try {
    for (const journey of chosen) {
      const began = performance.now()
      const outcome = await runJourney(journey, runtime)
      outcomes.push(outcome)
      const failed = outcome.checks.filter(({ held }) => !held)
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      const { length } = outcome.checks
      console.log(
        `${failed.length > 0 ? '✗ ' : 'ok'} ${name.padEnd(9)} ${journey.name}, ${length} checks, ${seconds} s`,
      )
      for (const { what } of failed) console.log(`    failed: ${what}`)
    }
  } finally {
    await runtime.close()
  }
}

const checks = outcomes.flatMap((outcome) => outcome.checks)
console.log(`\n${toLastLine(outcomes)}`)
process.exitCode = checks.length > 0 && checks.every(({ held }) => held) ? 0 : 1
