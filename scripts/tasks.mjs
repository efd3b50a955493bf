import { build, buildPackages } from './build.mjs'
import { runNode, tool } from './command.mjs'
import { Failure, tell } from './failure.mjs'
import { install } from './install.mjs'
import { checkStart, start } from './start.mjs'

/** A task's steps: what it needs, then itself. */
const tasks = {
  start: [checkStart, install, build, start],
  test: [async () => (await import('./test.mjs')).test()],
  build: [install, build],
  typecheck: [install, buildPackages, step('typecheck')],
  lint: [install, step('lint')],
  format: [install, (args) => through(tool('@biomejs/biome', 'biome'), ['check', '--write', ...args])],
  unit: [install, buildPackages, step('unit')],
  contract: [install, buildPackages, step('contract')],
  size: [install, buildPackages, step('size')],
  memory: [install, buildPackages, step('memory')],
  faults: [install, buildPackages, step('faults')],
  soak: [install, buildPackages, step('soak')],
  bench: [install, buildPackages, step('bench')],
  corpus: [install, buildPackages, step('corpus')],
  'field-reports': [install, buildPackages, step('field-reports')],
  'pack-check': [install, buildPackages, step('pack-check')],
  conformance: [install, buildPackages, step('conformance')],
  interop: [install, buildPackages, step('interop')],
  oauth: [install, buildPackages, step('oauth')],
  e2e: [install, build, step('e2e')],
}

/** Runs a task by name; further arguments go to the tool that it runs. */
export async function runTask(name, args) {
  try {
    if (!Object.hasOwn(tasks, name ?? '')) throw new Failure(`Name a task: ${Object.keys(tasks).join(', ')}.`)
    for (const run of tasks[name]) await run(args)
  } catch (error) {
    tell(error)
  }
}

function step(name) {
  return async (args) => {
    const { commands } = await import('./steps.mjs')
    await through(...commands[name](args))
  }
}

async function through(script, args, options) {
  const { code } = await runNode(script, args, options)
  if (code !== 0) process.exitCode = code
}
