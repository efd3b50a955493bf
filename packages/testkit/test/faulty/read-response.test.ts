import { describe, expect, test } from 'vitest'
import { type HttpLeniency, readResponse, strictHttp } from '../../src/faulty/read-response.js'

const read = (text: string, lenient: HttpLeniency = strictHttp) => {
  const { head, body, ...rest } = readResponse(Buffer.from(text, 'latin1'), lenient)
  return { status: head?.status, body: Buffer.from(body).toString('latin1'), ...rest }
}
const withLength = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc'
// RFC 9112 7.1: sizes in hexadecimal.
const inChunks = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\na\r\n0123456789\r\n0\r\n\r\n'

describe('a response is read', () => {
  test.each([
    ['with a length', withLength, { status: 200, body: 'abc', state: 'whole', untilClose: false }],
    ['in chunks', inChunks, { status: 200, body: 'ab0123456789', state: 'whole', untilClose: false }],
    ['until the end', 'HTTP/1.1 200 OK\r\n\r\nabc', { status: 200, body: 'abc', state: 'open', untilClose: true }],
    ['without a body', 'HTTP/1.1 204 OK\r\n\r\n', { status: 204, body: '', state: 'whole', untilClose: false }],
  ])('%s', (_name, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('keeps its headers', () => {
    const { head } = readResponse(Buffer.from('HTTP/1.1 200 OK\r\nA: 1\r\nB:  two words \r\n\r\n'), strictHttp)
    expect(head?.headers).toEqual([
      ['A', '1'],
      ['B', 'two words'],
    ])
  })

  test.each([
    ['with a length', withLength],
    ['in chunks', inChunks],
  ])('%s, at every cut as one that has more to come', (_name, text) => {
    for (let end = 0; end < text.length; end++)
      expect(read(text.slice(0, end)), `cut at ${end}`).toHaveProperty('state', 'open')
  })
})

describe('a zero byte', () => {
  const garbled = (text: string, offset: number) => `${text.slice(0, offset)}\0${text.slice(offset + 1)}`
  const body = (text: string) => text.indexOf('\r\n\r\n') + 4

  test('breaks the head wherever it stands', () => {
    for (let offset = 0; offset < body(withLength); offset++)
      expect(read(garbled(withLength, offset)), `at ${offset}`).toMatchObject({ state: 'broken', status: undefined })
  })

  test('breaks the framing, and leaves what came before it', () => {
    const [first, second] = [body(inChunks), body(inChunks) + '2\r\nab'.length]
    for (const offset of [first, first + 1, first + 2])
      expect(read(garbled(inChunks, offset)), `at ${offset}`).toMatchObject({ state: 'broken', body: '' })
    for (const offset of [second, second + 1, second + 2, second + 3, second + 4])
      expect(read(garbled(inChunks, offset)), `at ${offset}`).toMatchObject({ state: 'broken', body: 'ab' })
    for (let offset = inChunks.length - 5; offset < inChunks.length; offset++)
      expect(read(garbled(inChunks, offset)), `at ${offset}`).toMatchObject({ state: 'broken', body: 'ab0123456789' })
  })

  test('in the body is part of it', () => {
    expect(read(garbled(withLength, body(withLength) + 1))).toMatchObject({ state: 'whole', body: 'a\0c' })
  })

  // What llhttp lets pass outside of its strict mode, one place at a time.
  test.each<[keyof HttpLeniency, string, number[]]>([
    ['reason', withLength, [13, 14, 15, 16]],
    ['headEnd', withLength, [body(withLength) - 1]],
    ['sizeEnd', inChunks, [body(inChunks) + 2]],
    ['dataEnd', inChunks, [body(inChunks) + 5, body(inChunks) + 6]],
    ['headEnd', inChunks, [inChunks.length - 1]],
  ])('passes by leniency (%s)', (place, text, offsets) => {
    for (const offset of offsets) {
      expect(read(garbled(text, offset)).state, `strict, at ${offset}`).toBe('broken')
      expect(read(garbled(text, offset), { ...strictHttp, [place]: true }), `at ${offset}`).toEqual(read(text))
    }
  })
})
