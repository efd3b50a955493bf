import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build } from '../scripts/build.mjs'
import { root, runNode } from '../scripts/command.mjs'
import { Failure } from '../scripts/failure.mjs'
import { commands } from '../scripts/steps.mjs'

const results = path.join(root, '.cache/field-reports')

/**
 * Runs every test that carries an id in its name, of Vitest and of Playwright.
 *
 * @param pattern - Matches ids.
 * @returns `{ name, outcome }` of each.
 */
export async function runTests(pattern) {
  // An old report must not be read for a run that died.
  rmSync(results, { recursive: true, force: true })
  const id = new RegExp(pattern)
  const files = ['packages', 'apps', 'scripts', 'e2e']
    .flatMap((folder) => testFiles(path.join(root, folder)))
    .filter((file) => id.test(readFileSync(file, 'utf8')))
  const ofPlaywright = files.filter((file) => file.endsWith('.spec.ts'))
  const ofVitest = files.filter((file) => !ofPlaywright.includes(file))
  return [
    ...(ofVitest.length > 0 ? await runVitest(ofVitest, pattern) : []),
    ...(ofPlaywright.length > 0 ? await runPlaywright(ofPlaywright, pattern) : []),
  ]
}

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist', '.tsbuild'].includes(entry.name) ? [] : testFiles(file)
    return /\.(test\.(ts|tsx|mjs)|spec\.ts)$/.test(entry.name) ? [file] : []
  })
}

async function runVitest(files, pattern) {
  const file = path.join(results, 'vitest.json')
  const args = [...files, '--testNamePattern', pattern, '--reporter=json', `--outputFile=${file}`]
  const report = await runFor(file, ...commands.unit(args))
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    if (assertionResults.length === 0) return cannotLoad(name, pattern, message)
    return assertionResults.map(({ fullName, status }) => ({ name: fullName.trim(), outcome: status }))
  })
}

/** Its ids must not look open for that. */
function cannotLoad(file, pattern, message) {
  const ids = new Set(readFileSync(file, 'utf8').match(new RegExp(pattern, 'g')))
  const what = `${path.relative(root, file)} can't be loaded: ${message.trim().split('\n')[0]}`
  return [...ids].map((id) => ({ name: `${id} ${what}`, outcome: 'failed' }))
}

async function runPlaywright(files, pattern) {
  await build()
  const file = path.join(results, 'playwright.json')
  const [script, args, options] = commands.e2e([...files, '--grep', pattern, '--reporter=json'])
  const report = await runFor(file, script, args, { ...options, env: { PLAYWRIGHT_JSON_OUTPUT_FILE: file } })
  if (report.errors.length > 0) throw new Failure(report.errors.map(({ message }) => message).join('\n'))
  const tests = ({ suites = [], specs = [] }, titles) => [
    ...specs.map(({ title, ok }) => ({ name: [...titles, title].join(' '), outcome: ok ? 'passed' : 'failed' })),
    ...suites.flatMap((suite) => tests(suite, [...titles, suite.title])),
  ]
  // The first title is the file's name.
  return report.suites.flatMap((suite) => tests(suite, []))
}

async function runFor(file, script, args, options = {}) {
  const { output } = await runNode(script, args, { ...options, show: 'none' })
  if (!existsSync(file)) throw new Failure(`The tests did not run:\n${output.trim()}`)
  return JSON.parse(readFileSync(file, 'utf8'))
}
