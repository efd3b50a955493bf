import { describe, expect, test } from 'vitest'
import { createLineSplitter } from '../../src/stdio/lines.js'
import { readId } from '../../src/stdio/reply-id.js'

function split(maxBytes: number, chunks: string[]) {
  const tooLong: string[] = []
  const lines = createLineSplitter(maxBytes, (head) => tooLong.push(head.toString()))
  const found = chunks.flatMap((chunk) => [...lines.push(Buffer.from(chunk))])
  return { found: found.map(({ bytes, tail }) => [bytes.toString(), tail?.toString()]), tooLong, rest: lines.rest() }
}

describe('lines', () => {
  test('are the same however the stream is cut', () => {
    const text = 'one\n\ntwo two\nthree\n'
    const whole = split(100, [text]).found
    expect(whole.map(([line]) => line)).toEqual(['one', '', 'two two', 'three'])
    expect(split(100, text.split('')).found).toEqual(whole)
    for (let at = 0; at < text.length; at++)
      expect(split(100, [text.slice(0, at), text.slice(at)]).found).toEqual(whole)
  })

  test('that are as long as they may be are whole, and a byte longer are cut', () => {
    expect(split(5, ['12345\n123456\n12345\n']).found).toEqual([
      ['12345', undefined],
      ['12345', '123456'],
      ['12345', undefined],
    ])
  })

  test('that are too long are told at once, though they never end', () => {
    expect(split(5, ['123', '456', '789']).tooLong).toEqual(['12345'])
  })

  test('that are far too long keep the first and the last 4 KiB', () => {
    const { found } = split(10_000, ['a'.repeat(9_000), 'b'.repeat(50_000), `${'c'.repeat(5_000)}\n`, 'next\n'])
    expect(found).toEqual([
      ['a'.repeat(4_096), 'c'.repeat(4_096)],
      ['next', undefined],
    ])
  })

  test('without an end are the rest', () => {
    expect(split(100, ['one\ntw', 'o']).rest?.bytes.toString()).toBe('two')
    expect(split(100, ['one\n']).rest).toBeUndefined()
  })
})

describe('the id of a message that can not be read', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"x', '', 7],
    ['{"id":"a\\"b","jsonrpc', '', 'a"b'],
    [' { "jsonrpc" : "2.0" , "id" : 7 , "re', '', 7],
    ['{"result":{"content":[', ']},"jsonrpc":"2.0","id":12}', 12],
    ['{"result":{"content":[', ']},"id":12,"jsonrpc":"2.0"}', undefined],
    ['{"result":{', '"inner":{"id":3}}', undefined],
    ['{"result":{', '"text":"\\"id\\":3"}', undefined],
    ['{"method":"notifications/message","params":{', '"text":"x"}}', undefined],
    ['{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{', '', undefined],
    ['{"id":3 , "method":"ping"', '', undefined],
    ['garbage', 'more "id":3', undefined],
  ])('%s … %s', (head, tail, id) => {
    expect(readId(head, tail)).toBe(id)
  })
})
