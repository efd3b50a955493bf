import { describe, expect, test } from 'vitest'
import type { Check } from '../src/suite/suite.js'
import { judge, toOutcome } from '../src/verdict.js'

const held: Check = { id: 'held', name: 'Held', status: 'SUCCESS' }
const suite = (checks: Check[]) => ({ exitCode: 0, checks, output: '', preflights: 1 })

describe('an outcome', () => {
  test('passes where a check held, none failed and the client reported no error', () => {
    expect(toOutcome('node', suite([held, held]), {})).toEqual({ successes: 2, reasons: [] })
  })

  test('does not pass where the suite is content and no check held: a client that does nothing gets so far', () => {
    const skipped: Check = { id: 'skipped', name: 'Skipped', status: 'SKIPPED' }
    expect(toOutcome('node', suite([skipped]), {}).reasons).toEqual(['no check of the suite succeeded'])
  })

  test.each(['FAILURE', 'WARNING'] as const)('does not pass with a %s beside checks that held', (status) => {
    const broken: Check = { id: 'broken', name: 'Broken', status, errorMessage: 'header missing' }
    expect(toOutcome('node', suite([held, broken]), {}).reasons).toEqual(['Broken: header missing'])
  })

  test('does not pass where the client failed, although some scenarios forgive that', () => {
    expect(toOutcome('node', suite([held]), { error: 'Error: no' }).reasons).toEqual(['client: Error: no'])
  })

  test('does not pass where the client died', () => {
    expect(toOutcome('node', suite([held]), undefined).reasons).toEqual(['the client ended without a report'])
  })

  test('does not pass where the suite ended badly', () => {
    expect(toOutcome('node', { ...suite([held]), exitCode: 1 }, {}).reasons).toEqual(['the suite ended with 1'])
  })

  test('needs a preflight in a browser, where CORS may be off, and none in Node', () => {
    const none = { ...suite([held]), preflights: 0 }
    expect(toOutcome('chromium', none, {}).reasons).toEqual(['the server saw no preflight: CORS was off'])
    expect(toOutcome('node', none, {}).reasons).toEqual([])
  })
})

describe('an expectation', () => {
  const passed = { successes: 1, reasons: [] }
  const failed = { successes: 0, reasons: ['no'] }

  test('to pass is met by a pass alone', () => {
    expect([judge('pass', passed), judge('pass', failed)]).toEqual(['pass', 'failed'])
  })

  test('not to pass yet is stale once it passes', () => {
    expect([judge('not yet: skills', failed), judge('not yet: skills', passed)]).toEqual(['not yet', 'stale'])
  })
})
