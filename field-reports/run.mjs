// Runs the tests that carry a field report's id in their names, and prints every report with them.
import { readFileSync } from 'node:fs'
import { tell } from '../scripts/failure.mjs'
import { coverage, idPattern, readReports, toLines } from './reports.mjs'
import { runTests } from './tests.mjs'

try {
  const reports = readReports(readFileSync(new URL('reports.md', import.meta.url), 'utf8'))
  const tests = await runTests(idPattern(reports))
  const covered = coverage(reports, tests)
  console.log(toLines(covered).join('\n'))
  const failing = covered.reports.some(({ status }) => status === 'failing')
  if (failing || covered.strangers.length > 0) process.exitCode = 1
} catch (error) {
  tell(error)
}
