import { afterEach, describe, expect, test, vi } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../src/content/base64.js'

const bytes = (...values: number[]) => Uint8Array.from(values)
const ascii = (text: string) => new TextEncoder().encode(text)

// RFC 4648, section 10.
const vectors: [text: string, base64: string][] = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
]

/** Every byte value, at every offset modulo three. */
const everyByte = Uint8Array.from({ length: 3 * 257 }, (_, index) => index % 257)

test.each(vectors)('the vector of RFC 4648 for "%s"', (text, base64) => {
  expect(decodeBase64(base64)).toEqual(ascii(text))
  expect(encodeBase64(ascii(text))).toBe(base64)
})

describe('decoding takes', () => {
  test.each<[form: string, base64: string, expected: Uint8Array]>([
    ['no padding', 'Zm9vYg', ascii('foob')],
    // 0xfb 0xff: the two values whose letters differ in RFC 4648, section 5.
    ['the URL-safe alphabet', '-_8=', bytes(0xfb, 0xff)],
    ['the URL-safe alphabet without padding', '-_8', bytes(0xfb, 0xff)],
    ['both alphabets in one text', '+_8=', bytes(0xfb, 0xff)],
    ['lines of MIME', 'Zm9v\r\nYmFy\r\n', ascii('foobar')],
    ['tabs and spaces', ' Zm9v\tYmFy ', ascii('foobar')],
    ['bits that are left over', 'Zh==', ascii('f')],
  ])('%s', (_, base64, expected) => {
    expect(decodeBase64(base64)).toEqual(expected)
  })
})

describe('decoding refuses', () => {
  test.each([
    ['a letter outside the alphabet', 'Zm9v!'],
    ['a data: prefix', 'data:image/png;base64,Zm9v'],
    ['one letter too many', 'Zm9vY'],
    ['padding that is too short', 'Zg='],
    ['padding in the middle', 'Zg==Zg=='],
    ['padding alone', '===='],
    ['a sentence', 'This is no base64.'],
    ['letters beyond Latin-1', 'Zm9v€'],
  ])('%s', (_, base64) => {
    expect(decodeBase64(base64)).toBeUndefined()
  })
})

test('every byte goes there and back', () => {
  const base64 = encodeBase64(everyByte)
  expect(base64).toBe(Buffer.from(everyByte).toString('base64'))
  expect(decodeBase64(base64)).toEqual(everyByte)
})

test('only the view is encoded, not the buffer behind it', () => {
  expect(encodeBase64(everyByte.subarray(3, 6))).toBe('AwQF')
})

test('ten megabytes go there and back', () => {
  const large = new Uint8Array(10_000_001).map((_, index) => index * 31)
  const back = decodeBase64(encodeBase64(large))
  expect(back?.length).toBe(large.length)
  expect(Buffer.from(back!).equals(large)).toBe(true)
})

test('the buffer holds these bytes alone, so that it can be handed over', () => {
  const [first, second] = [decodeBase64('Zm9v')!, decodeBase64('Zm9v')!]
  expect(first.buffer.byteLength).toBe(3)
  expect(first.buffer).not.toBe(second.buffer)
})

describe("the engine's own functions, where it has them", () => {
  /** https://tc39.es/proposal-arraybuffer-base64/spec/, in as far as it matters here. */
  function stub() {
    const fromBase64 = vi.fn((text: string) => {
      if (!/^[A-Za-z0-9+/]*=*$/.test(text)) throw new SyntaxError('not base64')
      return Uint8Array.from(Buffer.from(text, 'base64'))
    })
    const toBase64 = vi.fn(function (this: Uint8Array) {
      return Buffer.from(this).toString('base64')
    })
    Object.assign(Uint8Array, { fromBase64 })
    Object.assign(Uint8Array.prototype, { toBase64 })
    return { fromBase64, toBase64 }
  }

  afterEach(() => {
    Reflect.deleteProperty(Uint8Array, 'fromBase64')
    Reflect.deleteProperty(Uint8Array.prototype, 'toBase64')
  })

  test('are used, for the one alphabet that they take', () => {
    const { fromBase64, toBase64 } = stub()
    expect(decodeBase64('-_8=')).toEqual(bytes(0xfb, 0xff))
    expect(fromBase64).toHaveBeenCalledWith('+/8=')
    expect(encodeBase64(bytes(0xfb, 0xff))).toBe('+/8=')
    expect(toBase64).toHaveBeenCalledOnce()
  })

  test('what they refuse is refused', () => {
    stub()
    expect(decodeBase64('data:;base64,Zg==')).toBeUndefined()
  })
})
