import { expect, test } from 'vitest'
import { isInexactInteger, readNumber } from '../../src/json/numbers.js'

test.each([
  ['', undefined],
  ['  ', undefined],
  ['0', 0],
  ['-12', -12],
  ['1.50', 1.5],
  ['.5', 0.5],
  ['1.', 1],
  ['+3', 3],
  ['2e3', 2_000],
  ['9007199254740991', 9_007_199_254_740_991],
  // 2^53 + 2 is a double; 2^53 + 1 is not.
  ['9007199254740994', 9_007_199_254_740_994],
])('%j is the number %s', (text, value) => {
  expect(readNumber(text)).toBe(value)
})

test.each(['9007199254740993', '-9007199254740993', '1e999', '1,5', '0x10', 'twelve', '-', '1e', 'Infinity', 'NaN'])(
  '%j stays the text that it is',
  (text) => {
    expect(readNumber(text)).toBe(text)
  },
)

test('an integer of any length can be asked about', () => {
  expect(isInexactInteger('9'.repeat(400))).toBe(true)
  expect(isInexactInteger('42')).toBe(false)
  expect(isInexactInteger('4.2')).toBe(false)
})
