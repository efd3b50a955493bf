import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { readChunks, readText } from '../../src/transport/limits.js'
import { byteSource, encode } from '../support/byte-source.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection, rejection } from '../support/rejection.js'

failOnUnhandled()

const never = () => new AbortController().signal

describe('a text', () => {
  test('is joined at any cut, also inside a character', async () => {
    const text = '{"text":"grüße 世界 🦊"}'
    const bytes = encode(text)
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(await readText(byteSource([bytes.slice(0, cut), bytes.slice(cut)]).body, 100, never())).toBe(text)
  })

  test('may have as many bytes as the limit, and no more', async () => {
    expect(await readText(byteSource(['ü'.repeat(5)]).body, 10, never())).toBe('üüüüü')
    const error = await mcpRejection(readText(byteSource(['ü'.repeat(5), 'x']).body, 10, never()))
    expect(error).toMatchObject({ code: 'ERR_MCP_TOO_LARGE', data: { limit: 10 } })
    expect(error.message).toContain('maxResponseBytes (10 bytes)')
  })

  test('past the limit is not asked for, and its source is told', async () => {
    const source = byteSource(Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)))
    await mcpRejection(readText(source.body, 10_000, never()))
    await source.cancelled
    expect(source.pulled()).toBe(11_000)
  })

  test.each([
    ['a byte that never is', [Uint8Array.of(0x22, 0xff, 0x22)]],
    ['a character that its end cuts off', [encode('世').slice(0, 2)]],
    ['half of a pair', [Uint8Array.of(0xed, 0xa0, 0x80)]],
  ])('with %s is refused', async (_what, chunks) => {
    const error = await mcpRejection(readText(byteSource(chunks).body, 100, never()))
    expect(error).toMatchObject({ code: 'ERR_MCP_INVALID_RESPONSE', data: { reason: 'encoding' } })
  })

  test('of no body is empty', async () => {
    expect(await readText(null, 1, never())).toBe('')
  })
})

describe('chunks', () => {
  async function all(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    let count = 0
    for await (const _chunk of chunks) count++
    return count
  }

  test('end when the signal fires, and the source is told', async () => {
    const source = byteSource(['a'], 'stall')
    const abort = new AbortController()
    const counting = all(readChunks(source.body, abort.signal))
    while (source.pulled() === 0) await new Promise(setImmediate)
    abort.abort()
    expect(await counting).toBe(1)
    await source.cancelled
  })

  test('end also where the source never acknowledges', async () => {
    const abort = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      pull: () => new Promise(() => {}),
      cancel: () => new Promise(() => {}),
    })
    const counting = all(readChunks(body, abort.signal))
    await new Promise(setImmediate)
    abort.abort()
    expect(await counting).toBe(0)
  })

  test('of a signal that has fired already are none', async () => {
    const source = byteSource(['a'])
    expect(await all(readChunks(source.body, AbortSignal.abort()))).toBe(0)
    await source.cancelled
  })

  test('reject as the body breaks, and leave no listener', async () => {
    const abort = new AbortController()
    expect(await rejection(all(readChunks(byteSource(['a'], 'break').body, abort.signal)))).toBeInstanceOf(TypeError)
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })
})
