import { describe, expect, test } from 'vitest'
import { sniff } from '../../src/transport/sniff.js'
import { byteSource, encode } from '../support/byte-source.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

const open = new AbortController().signal
const text = (body: ReadableStream<Uint8Array<ArrayBuffer>>) => new Response(body).text()

describe('the type of a body', () => {
  test.each([
    ['{"jsonrpc":"2.0"}', 'application/json'],
    [' \r\n\t[{}]', 'application/json'],
    ['\ufeff{}', 'application/json'],
    ['data: {}\n\n', 'text/event-stream'],
    ['\n\nevent: message\n', 'text/event-stream'],
    ['id: 1\n', 'text/event-stream'],
    ['retry: 1\n', 'text/event-stream'],
    [': hi\n', 'text/event-stream'],
    ['<!doctype html>', ''],
    ['database: 1', ''],
    ['eve', ''],
    ['', ''],
    ['  \n', ''],
  ])('%j is %j, cut at any byte, and the body is whole', async (content, type) => {
    const bytes = encode(content)
    for (let offset = 0; offset <= bytes.length; offset++) {
      const { body, ...sniffed } = await sniff(
        byteSource([bytes.slice(0, offset), bytes.slice(offset)]).body,
        1_000,
        open,
      )
      expect(sniffed, `cut at ${offset}`).toEqual({ type })
      expect(new Uint8Array(await new Response(body).arrayBuffer())).toEqual(bytes)
    }
  })
})

test('nothing is read past what tells the type, until the body is', async () => {
  const source = byteSource(['{', 'rest', 'more'], 'stall')
  const { body } = await sniff(source.body, 1_000, open)
  expect(source.pulled()).toBe(1)
  const reader = body.getReader()
  await reader.read()
  expect(source.pulled()).toBe(1)
  await reader.cancel()
  await source.cancelled
})

test('white space without end is too large', async () => {
  function* flood() {
    for (;;) yield ' '.repeat(100)
  }
  const source = byteSource(flood())
  expect(await mcpRejection(sniff(source.body, 1_000, open))).toMatchObject({ code: 'ERR_MCP_TOO_LARGE' })
  expect(source.pulled()).toBe(1_100)
  await source.cancelled
})

test('an abort ends a body that stalls, before its type is known and after', async () => {
  for (const start of [' ', '{']) {
    const abort = new AbortController()
    const source = byteSource([start], 'stall')
    const sniffing = sniff(source.body, 1_000, abort.signal)
    while (source.pulled() === 0) await new Promise(setImmediate)
    abort.abort()
    const { body } = await sniffing
    expect(await text(body)).toBe(start)
    await source.cancelled
  }
})

test('a body that breaks breaks', async () => {
  await expect(sniff(byteSource([' '], 'break').body, 1_000, open)).rejects.toThrow('terminated')
  const { body } = await sniff(byteSource(['{'], 'break').body, 1_000, open)
  await expect(text(body)).rejects.toThrow()
})
