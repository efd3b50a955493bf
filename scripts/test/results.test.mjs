import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { countContract, countPlaywright, countVitest } from '../results.mjs'

const folder = mkdtempSync(path.join(os.tmpdir(), 'x-results-'))
afterAll(() => rmSync(folder, { recursive: true }))

function report(name, content) {
  const file = path.join(folder, name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

describe('what the last line of npm test sums', () => {
  test('tests of Vitest', () => {
    const file = report('unit.json', { numTotalTests: 12, numPassedTests: 9, numFailedTests: 2, numPendingTests: 1 })
    expect(countVitest(file)).toEqual({ passed: 9, failed: 2 })
  })

  test('tests of Playwright; one that passed only when repeated has failed', () => {
    const file = report('e2e.json', { stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 0 } })
    expect(countPlaywright(file)).toEqual({ passed: 7, failed: 2 })
  })

  test('cells of the contract suite', () => {
    const output = 'era 3/4\nin process 40/40 · message port 39/40 · chromium 40/41\n'
    expect(countContract(output)).toEqual({ passed: 119, failed: 2 })
  })

  test('one failure for a report that was not written', () => {
    const missing = path.join(folder, 'missing.json')
    expect(countVitest(missing)).toEqual({ passed: 0, failed: 1 })
    expect(countPlaywright(missing)).toEqual({ passed: 0, failed: 1 })
    expect(countContract('it died')).toEqual({ passed: 0, failed: 1 })
  })
})
