import { describe, expect, test } from 'vitest'
import { expectedOutcome, responseLength } from '../../src/faulty/expected-outcome.js'
import type { Fault, FaultScript, ReplyForm } from '../../src/faulty/fault-script.js'
import { strictHttp } from '../../src/faulty/read-response.js'
import { replyBytes } from '../../src/faulty/reply-bytes.js'

type Era = FaultScript['era']

/** The response as text whose characters are its bytes, to find places in. */
function text(era: Era, form: ReplyForm): string {
  return Buffer.from(replyBytes({ era, form, id: 1, progressToken: 1, stream: 1, key: 'call' })).toString('latin1')
}

/** What comes of a fault at a part of the response: at its first byte, moved on. */
function at(era: Era, form: ReplyForm, fault: Fault, part: string, move = 0) {
  const offset = text(era, form).indexOf(part)
  expect(offset, `"${part}" is part of the response`).toBeGreaterThanOrEqual(0)
  return expectedOutcome({ era, form, fault, offset: offset + move }, strictHttp)
}

const lost = { code: 'ERR_MCP_OUTCOME_UNKNOWN', outcome: 'unknown' }
const unreadable = { code: 'ERR_MCP_INVALID_RESPONSE', outcome: 'unknown' }
const late = { code: 'ERR_MCP_TIMEOUT', outcome: 'unknown' }
const plain = { text: 'call ran: é € 😀', progress: 0 }
const result = { text: 'call ran: é € 😀', progress: 1 }

test('the response is as long for every id and token', () => {
  for (const form of ['json', 'sse', 'sse-ids'] as const) {
    const script: FaultScript = { era: 'legacy', form, fault: 'cut', offset: 0 }
    for (const id of [1, 123_456, 'abc']) {
      const reply = { era: 'legacy', form, id, progressToken: id, stream: 123, key: 'call' } as const
      expect(replyBytes(reply)).toHaveLength(responseLength(script))
    }
  }
})

// By the rule: what was received is read by HTTP and HTML; a reply that is not whole is lost, and only a legacy stream
// that gave an id is asked for again.
describe('a call gets', () => {
  test.each<[string, Era, ReplyForm, Fault, string, number, object]>([
    ['an error when its response is cut at once', 'modern', 'json', 'cut', 'HTTP', 0, lost],
    ['an error when its JSON is cut', 'modern', 'json', 'cut', '}]}}', 3, lost],
    ['its result from JSON that is whole', 'modern', 'json', 'cut', '}]}}', 4, plain],
    ['an error from chunks without an end', 'legacy', 'json-chunked', 'cut', '0\r\n\r\n', 4, lost],
    ['an error from a stream cut in its last blank line', 'modern', 'sse', 'cut', '}]}}\n\n', 5, lost],
    ['its result once the blank line is there', 'modern', 'sse', 'cut', '}]}}\n\n', 6, result],
    ['an error from a stream that closes early', 'modern', 'sse-until-close', 'cut', '}]}}\n\n', 5, lost],
    ['an error from a modern stream, whatever ids it has', 'modern', 'sse-ids', 'cut', '}]}}\n\n', 5, lost],
    ['an error from a legacy stream before its first id', 'legacy', 'sse-ids', 'cut', 'data:\n\n', 6, lost],
    ['its result from a legacy stream after it', 'legacy', 'sse-ids', 'cut', 'data:\n\n', 7, result],
    ['its result when the reply itself is cut', 'legacy', 'sse-ids', 'cut', '}]}}\n\n', 2, result],
    ['an error when the server forgot the stream', 'legacy', 'sse-ids', 'restart', '}]}}\n\n', 2, lost],
    ['its deadline from a stalled head', 'legacy', 'json', 'stall', 'Content-Type', 0, late],
    ['its deadline from a stalled stream, also with ids', 'legacy', 'sse-ids', 'stall', '}]}}\n\n', 5, late],
    ['an error from a garbled head', 'modern', 'json', 'garble', 'Content-Type', 3, lost],
    ['an error from garbled JSON', 'modern', 'json', 'garble', '"result"', 0, unreadable],
    ['an error from a garbled reply', 'modern', 'sse', 'garble', '"result"', 0, unreadable],
    [
      'an error when its event has no name that is known',
      'modern',
      'sse',
      'garble',
      'message\ndata: {"jsonrpc":"2.0","id"',
      0,
      lost,
    ],
    ['an error when its event has no data', 'modern', 'sse', 'garble', 'data: {"jsonrpc":"2.0","id"', 0, lost],
    ['its result when only the progress is garbled', 'modern', 'sse', 'garble', 'progressToken', 0, plain],
    ['its result when a comment is garbled', 'modern', 'sse', 'garble', ': keep-alive', 3, result],
    [
      'an error when progress and reply run together',
      'modern',
      'sse-until-close',
      'garble',
      '}}\n\nevent',
      3,
      unreadable,
    ],
    ['its result after the framing broke', 'legacy', 'sse-ids', 'garble', '0\r\n\r\n', 0, result],
  ])('%s', (_name, era, form, fault, part, move, expected) => {
    expect(at(era, form, fault, part, move).call).toEqual(expected)
  })

  test('its result at every cut of a legacy stream after its first id', () => {
    const first = text('legacy', 'sse-ids').indexOf('data:\n\n') + 'data:\n\n'.length
    for (let offset = first; offset <= text('legacy', 'sse-ids').length; offset++)
      expect(expectedOutcome({ era: 'legacy', form: 'sse-ids', fault: 'cut', offset }, strictHttp).call).toEqual(result)
  })
})

describe('the next call', () => {
  test.each<[Fault, Era, object]>([
    ['cut', 'legacy', { text: 'next ran: é € 😀', progress: 0 }],
    ['restart', 'modern', { text: 'next ran: é € 😀', progress: 0 }],
    ['restart', 'legacy', { text: 'next ran: é € 😀', progress: 0 }],
  ])('after %s, %s', (fault, era, expected) => {
    expect(at(era, 'json', fault, '"result"').next).toEqual(expected)
  })
})

describe('a stream that stays open after its reply', () => {
  test.each<[string, ReplyForm, Fault, number, boolean]>([
    ['lingers', 'sse', 'stall', 6, true],
    ['does not, when it is closed', 'sse', 'cut', 6, false],
    ['does not, before the reply', 'sse', 'stall', 5, false],
  ])('%s', (_name, form, fault, move, lingers) => {
    expect(at('modern', form, fault, '}]}}\n\n', move).lingers).toBe(lingers)
  })
})

test('an offset outside of the response is refused', () => {
  expect(() => expectedOutcome({ era: 'modern', form: 'json', fault: 'cut', offset: 9_999 }, strictHttp)).toThrow(
    RangeError,
  )
})
