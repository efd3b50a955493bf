import { existsSync, readFileSync } from 'node:fs'

const nothing = { passed: 0, failed: 1 }

/** Tests of Vitest's JSON report. */
export function countVitest(file) {
  if (!existsSync(file)) return nothing
  const report = JSON.parse(readFileSync(file, 'utf8'))
  return { passed: report.numPassedTests, failed: report.numFailedTests }
}

/** Tests of Playwright's JSON report. */
export function countPlaywright(file) {
  if (!existsSync(file)) return nothing
  const { stats } = JSON.parse(readFileSync(file, 'utf8'))
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky }
}

/** Cells of the contract suite's last line: `in process 40/40 · message port 39/40 · …`. */
export function countContract(output) {
  const cells = [...(output.trimEnd().split('\n').at(-1) ?? '').matchAll(/\b(\d+)\/(\d+)\b/g)]
  if (!cells.length) return nothing
  const passed = cells.reduce((sum, [, part]) => sum + Number(part), 0)
  return { passed, failed: cells.reduce((sum, [, , all]) => sum + Number(all), 0) - passed }
}
