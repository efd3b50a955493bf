// Assertions that assert nothing would make every case of the suite pass.
import { describe, expect, test } from 'vitest'
import { equal, includes, ok, rejection, rejects } from '../../src/contract/expect.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe('equal', () => {
  test.each([
    [1, 1],
    [Number.NaN, Number.NaN],
    [
      { a: [1, { b: null }], c: bytes(1, 2) },
      { a: [1, { b: null }], c: bytes(1, 2) },
    ],
    [[], []],
  ])('accepts %j and %j', (actual, expected) => equal(actual, expected, 'it'))

  test.each([
    [1, '1'],
    [undefined, null],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: undefined }, { b: undefined }],
    [[1, 2], [1]],
    [[1], [1, 2]],
    [[1], { 0: 1 }],
    [bytes(1, 2), bytes(1, 3)],
    [bytes(1), bytes(1, 2)],
    [[1, 2], bytes(1, 2)],
    [{ a: { b: bytes(0) } }, { a: { b: bytes(255) } }],
  ])('refuses %j for %j', (actual, expected) => {
    expect(() => equal(actual, expected, 'it')).toThrow('it: ')
  })
})

describe('includes', () => {
  test('lets objects hold more, at every depth', () => {
    includes({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } }, 'it')
    includes(Object.assign(new Error('no'), { code: 7 }), { code: 7, message: 'no' }, 'it')
  })

  test.each([
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ a: 1 }, { b: 1 }],
    [[1, 2], [1]],
    [undefined, { a: 1 }],
  ])('refuses %j for %j', (actual, expected) => {
    expect(() => includes(actual, expected, 'it')).toThrow('it: ')
  })
})

test('ok refuses whatever is falsy', () => {
  ok('x', 'it')
  for (const value of [false, 0, '', null, undefined]) expect(() => ok(value, 'it failed')).toThrow('it failed')
})

test('rejection gives the very reason, also undefined, and refuses what is fulfilled', async () => {
  const reason = {}
  expect(await rejection(Promise.reject(reason), 'it')).toBe(reason)
  expect(await rejection(Promise.reject(undefined), 'it')).toBe(undefined)
  await expect(rejection(Promise.resolve(5), 'it')).rejects.toThrow('it: fulfilled with 5')
})

test('rejects wants an instance of the class', async () => {
  const error = new RangeError('far')
  expect(await rejects(Promise.reject(error), RangeError, 'it')).toBe(error)
  await expect(rejects(Promise.reject(error), TypeError, 'it')).rejects.toThrow('instead of TypeError')
})
