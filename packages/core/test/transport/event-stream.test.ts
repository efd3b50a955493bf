import { describe, expect, test } from 'vitest'
import { readEvents } from '../../src/transport/event-stream.js'
import { byteSource, encode } from '../support/byte-source.js'
import { mcpRejection } from '../support/rejection.js'

interface Event {
  id?: string | undefined
  event?: string | undefined
  data: string
}

async function eventsOf(chunks: (string | Uint8Array<ArrayBuffer>)[], maxBytes = 10_000): Promise<Event[]> {
  const found: Event[] = []
  for await (const event of readEvents(byteSource(chunks).body, maxBytes, new AbortController().signal))
    found.push(event)
  return found
}

/** A stream with all that the HTML standard allows, by hand; its lines end as wanted. */
const canonical = (lineEnd: string) =>
  [
    ': a comment',
    '',
    'retry: 3000',
    'id: 1',
    '',
    'data: {"text":"grüße 世界 🦊"}',
    '',
    'event: message',
    'data:no space',
    'data:  two spaces, one kept',
    'data',
    '',
    'unknown: field',
    'id: 2',
    'event: ping',
    'data: 1',
    '',
    '',
    'data: last',
    '',
    'data: cut off, for no blank line follows',
  ].join(lineEnd)

const expected = [
  // Of no use but for its id.
  { data: '' },
  { data: '{"text":"grüße 世界 🦊"}' },
  { event: 'message', data: 'no space\n two spaces, one kept\n' },
  { event: 'ping', data: '1' },
  { data: 'last' },
]

const pick = (events: Event[]) => events.map(({ event, data }) => (event === undefined ? { data } : { event, data }))

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('lines that end in %s', (_name, lineEnd) => {
  for (const [what, start] of [
    ['', ''],
    [', after a byte order mark', '\ufeff'],
  ]) {
    const bytes = encode(start + canonical(lineEnd))

    test(`are read the same cut at any byte${what}`, async () => {
      for (let cut = 0; cut <= bytes.length; cut++) {
        const events = await eventsOf([bytes.slice(0, cut), bytes.slice(cut)])
        expect(pick(events), `cut before byte ${cut}`).toEqual(expected)
      }
    })

    test(`are read byte by byte${what}`, async () => {
      expect(pick(await eventsOf([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(expected)
    })
  }

  test('end the last event without waiting for what follows', async () => {
    const source = byteSource([`data: here${lineEnd}${lineEnd}`], 'stall')
    const reading = readEvents(source.body, 100, new AbortController().signal)
    expect((await reading.next()).value).toMatchObject({ data: 'here' })
    await reading.return()
  })

  test('end the last event at the end of the stream', async () => {
    expect(await eventsOf([`data: x${lineEnd}${lineEnd}`])).toMatchObject([{ data: 'x' }])
  })
})

test('an empty chunk between CR and LF does not make two ends of a line of them', async () => {
  expect(pick(await eventsOf(['data: a\r', '', '\n', 'data: b\r\n\r\n']))).toEqual([{ data: 'a\nb' }])
})

describe('the size limit', () => {
  // "data: " and the line's end count as well: 7 bytes more than the data.
  const event = (dataBytes: number) => `data: ${'x'.repeat(dataBytes)}\n\n`

  test.each([
    ['whole', (text: string) => [text]],
    ['byte by byte', (text: string) => [...text]],
    ['with others in its chunk', (text: string) => [event(1) + text + event(1)]],
  ])('is the same for an event that comes %s', async (_how, cut) => {
    expect((await eventsOf(cut(event(93)), 100)).some(({ data }) => data.length === 93)).toBe(true)
    expect(await mcpRejection(eventsOf(cut(event(94)), 100))).toMatchObject({
      code: 'ERR_MCP_TOO_LARGE',
      data: { limit: 100 },
    })
  })

  test('counts bytes, not characters', async () => {
    expect(await eventsOf([`data: ${'ü'.repeat(46)}\n\n`], 100)).toHaveLength(1)
    await mcpRejection(eventsOf([`data: ${'ü'.repeat(47)}\n\n`], 100))
  })

  test.each(['\n', '\r\n', '\r'])('counts the lines of one event together, ended by %j', async (lineEnd) => {
    const line = `data: xxxxx${lineEnd}`
    await mcpRejection(eventsOf(Array(20).fill(line), 100))
    await mcpRejection(eventsOf(Array(20).fill(`${line}: comment${lineEnd}`), 100))
    expect(await eventsOf([line.repeat(5), lineEnd], 100)).toHaveLength(1)
  })

  test('ends a line that never does', async () => {
    const source = byteSource(Array.from({ length: 1_000 }, () => 'x'.repeat(100)))
    const reading = readEvents(source.body, 1_000, new AbortController().signal)
    expect(await mcpRejection(reading.next())).toMatchObject({ code: 'ERR_MCP_TOO_LARGE' })
    await source.cancelled
    expect(source.pulled()).toBe(1_100)
  })

  test('is none for a stream of many events, nor for one of comments', async () => {
    expect(
      await eventsOf(
        Array.from({ length: 500 }, () => event(50)),
        100,
      ),
    ).toHaveLength(500)
    expect(await eventsOf([...Array.from({ length: 500 }, () => ': ping\n\n'), event(1)], 100)).toHaveLength(1)
  })

  test('gives what was complete before it', async () => {
    const reading = readEvents(byteSource([event(1) + event(500)]).body, 100, new AbortController().signal)
    expect((await reading.next()).value).toMatchObject({ data: 'x' })
    await mcpRejection(reading.next())
  })
})

describe('an id', () => {
  const ids = async (text: string, step = text.length) => {
    const pieces = Array.from({ length: Math.ceil(text.length / step) }, (_, at) =>
      text.slice(at * step, (at + 1) * step),
    )
    return (await eventsOf(pieces)).map(({ id, data }) => [id, data])
  }

  // HTML standard 9.2.6: the last event id is set before an event without data is dropped.
  test.each([
    ['id: 1\n\n', [['1', '']]],
    ['id\n\n', [['', '']]],
    [
      'event: x\nid: 1\nretry: 5\n\ndata: a\n\n',
      [
        ['1', ''],
        [undefined, 'a'],
      ],
    ],
    ['id: 1\ndata\n\n', [['1', '']]],
    ['data: a\nid: 1\n\n', [['1', 'a']]],
    ['idle: 1\n\n', []],
    ['id: 1\ndatabase: x\n\n', [['1', '']]],
    ['id: 1\n', []],
    ['\n\nretry: 5\n\n', []],
  ])('in %j counts with data or without, cut at any character', async (text, expected) => {
    for (let step = 1; step <= text.length; step++) expect(await ids(text, step), `by ${step}`).toEqual(expected)
  })
})

test('bytes that are no UTF-8 are replaced, as the standard says', async () => {
  expect(await eventsOf([encode('data: a'), Uint8Array.of(0xff), encode('b\n\n')])).toMatchObject([
    { data: 'a\ufffdb' },
  ])
})

test('leaving the loop cancels the body', async () => {
  const source = byteSource(['data: 1\n\ndata: 2\n\n'], 'stall')
  for await (const _event of readEvents(source.body, 100, new AbortController().signal)) break
  await source.cancelled
})
