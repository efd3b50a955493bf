import { expect, test } from 'vitest'
import { retryAfterMs } from '../../src/transport/retry-after.js'

const now = Date.UTC(2026, 2, 1, 12)

// RFC 9110 10.2.3: delay-seconds = 1*DIGIT, or an HTTP date.
test.each([
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['4294967296', 4_294_967_296_000],
  ['9'.repeat(40), Number.MAX_SAFE_INTEGER],
  ['Sun, 01 Mar 2026 12:00:04 GMT', 4_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026', 2_026_000],
])('%j is %s ms', (value, expected) => {
  expect(retryAfterMs(new Headers({ 'retry-after': value }), now)).toBe(expected)
})

test('absent, it is undefined', () => {
  expect(retryAfterMs(new Headers(), now)).toBeUndefined()
})
