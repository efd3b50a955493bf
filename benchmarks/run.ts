// `npm run bench -- NAME`: measures, and never fails because of what it measured. See README.md.
import process from 'node:process'

const benchmarks: Record<string, () => Promise<unknown>> = {
  transport: () => import('./transport/run.js'),
  formats: () => import('./formats/run.js'),
}

const [name = ''] = process.argv.slice(2)
const run = benchmarks[name]
if (run) await run()
else {
  console.error(`Name a benchmark: ${Object.keys(benchmarks).join(', ')}.`)
  process.exitCode = 1
}
