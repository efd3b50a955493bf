import { expect, test } from 'vitest'
import { toLastLine } from '../src/last-line.js'

const check = (held: boolean) => ({ what: 'a check', held })

test('the last line counts calls, refreshes and checks', () => {
  const outcomes = [{ checks: [check(true)], parallel: { calls: 20, refreshes: 1 } }, { checks: [check(true)] }]
  expect(toLastLine(outcomes)).toBe('20/20 calls, 1 refresh, 2 checks')
})

test('one run that went wrong is not hidden by another', () => {
  const outcomes = [
    { checks: [check(true)], parallel: { calls: 20, refreshes: 1 } },
    { checks: [check(false)], parallel: { calls: 19, refreshes: 2 } },
  ]
  expect(toLastLine(outcomes)).toBe('19/20 calls, 2 refreshes, 2 checks, 1 failed')
})
