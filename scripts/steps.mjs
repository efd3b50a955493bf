import path from 'node:path'
import { root, tool } from './command.mjs'

const tsx = () => tool('tsx')
const e2e = path.join(root, 'e2e')

/** How each check is run: a script, its arguments, and how to run it. */
export const commands = {
  typecheck: (args = []) => [tool('typescript', 'tsc'), ['-b', ...args]],
  lint: (args = []) => [tool('@biomejs/biome', 'biome'), ['ci', ...colors(), ...args]],
  unit: (args = []) => [tool('vitest'), ['run', ...args]],
  contract: (args = []) => [tsx(), ['packages/testkit/src/contract/run.ts', ...args]],
  size: (args = []) => [path.join(root, 'scripts/size.mjs'), args],
  memory: (args = []) => [tsx(), ['scripts/memory/run.ts', ...args]],
  faults: (args = []) => [tsx(), ['benchmarks/faults/run.ts', ...args]],
  soak: (args = []) => [tsx(), ['--expose-gc', 'benchmarks/soak/run.ts', ...args]],
  bench: (args = []) => [tsx(), ['benchmarks/run.ts', ...args]],
  corpus: (args = []) => [tsx(), ['corpus/src/run.ts', ...args]],
  'field-reports': (args = []) => [path.join(root, 'field-reports/run.mjs'), args],
  'pack-check': (args = []) => [path.join(root, 'scripts/pack/check.mjs'), args],
  conformance: (args = []) => [tsx(), ['conformance/src/run.ts', ...args]],
  interop: (args = []) => [tsx(), ['interop/src/run.ts', ...args]],
  oauth: (args = []) => [tsx(), ['oauth/src/run.ts', ...args]],
  e2e: (args = []) => [tool('@playwright/test', 'playwright', e2e), ['test', ...args], { cwd: e2e }],
}

/** `biome ci` colours what it writes to a file too. */
const colors = () => (process.stdout.isTTY ? [] : ['--colors=off'])
