import { rmSync } from 'node:fs'
import path from 'node:path'
import { build } from './build.mjs'
import { root, runNode } from './command.mjs'
import { Failure } from './failure.mjs'
import { install } from './install.mjs'
import { countContract, countPlaywright, countVitest } from './results.mjs'
import { commands } from './steps.mjs'

const results = path.join(root, '.cache/results')
const vitestReport = path.join(results, 'unit.json')
const playwrightReport = path.join(results, 'e2e.json')

/** Every check there is. One that fails doesn't keep the others from running. */
const steps = [
  { name: 'install', run: done(install), essential: true },
  { name: 'build', run: done(build) },
  { name: 'typecheck', run: command('typecheck') },
  { name: 'lint', run: command('lint') },
  {
    name: 'unit',
    run: command('unit', ['--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`], () =>
      countVitest(vitestReport),
    ),
  },
  { name: 'contract', run: command('contract', [], countContract) },
  { name: 'size', run: command('size') },
  { name: 'pack-check', run: command('pack-check') },
  {
    name: 'e2e',
    run: command('e2e', [], () => countPlaywright(playwrightReport), { PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport }),
  },
]

/** Runs all checks; the last line says how many passed and failed. */
export async function test() {
  // An old report must not be counted for a run that died.
  rmSync(results, { recursive: true, force: true })
  const summary = []
  const total = { passed: 0, failed: 0 }
  for (const { name, run, essential } of steps) {
    console.log(`\n=== ${name}`)
    const began = Date.now()
    const { passed, failed } = await run()
    total.passed += passed
    total.failed += failed
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    summary.push(
      `${failed ? 'FAILED' : 'ok    '} ${name.padEnd(10)} ${seconds.padStart(6)} s  ${passed} passed, ${failed} failed`,
    )
    console.log(summary.at(-1))
    if (failed && essential) break
  }
  console.log(`\n${summary.join('\n')}\n`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  if (total.failed) process.exitCode = 1
}

/** A step of our own, which throws where it fails. */
function done(run) {
  return async () => {
    try {
      await run()
      return { passed: 1, failed: 0 }
    } catch (error) {
      console.error(error instanceof Failure ? error.message : error)
      return { passed: 0, failed: 1 }
    }
  }
}

/** A step that is a program. What it reports is counted if it says more than its exit code. */
function command(name, args = [], count = undefined, env = {}) {
  return async () => {
    try {
      const [script, all, options] = commands[name](args)
      const { code, output } = await runNode(script, all, { ...options, env, collect: name === 'contract' })
      const counted = count?.(output) ?? { passed: code === 0 ? 1 : 0, failed: 0 }
      // It may also fail as a whole: a file that doesn't load, a report that was not written.
      return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted
    } catch (error) {
      console.error(error instanceof Failure ? error.message : error)
      return { passed: 0, failed: 1 }
    }
  }
}
