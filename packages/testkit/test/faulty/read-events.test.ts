import { expect, test } from 'vitest'
import { readEvents } from '../../src/faulty/read-events.js'

// Expected values: the examples and steps of https://html.spec.whatwg.org/multipage/server-sent-events.html
test.each<[string, string, { type: string; data: string }[], string]>([
  ['two events', 'data: a\n\nevent: add\ndata: b\n\n', [message('a'), { type: 'add', data: 'b' }], ''],
  ['lines of one event', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')], ''],
  ['a comment, an id, no id', ': test\n\ndata: 1\nid: 1\n\ndata: 2\nid\n\n', [message('1'), message('2')], ''],
  ['a field without a value', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')], ''],
  ['at most one space', 'data:test\n\ndata: test\n\ndata:  test\n\n', ['test', 'test', ' test'].map(message), ''],
  ['CRLF and CR', 'data: a\r\n\r\ndata: b\r\r', [message('a'), message('b')], ''],
  ['the end cuts an event off', 'data: a\n\ndata: b\n', [message('a')], ''],
  ['an id without data is taken all the same', 'id: 7\n\n', [], '7'],
  ['an id holds until the next', 'id: 7\ndata: a\n\ndata: b\n\n', [message('a'), message('b')], '7'],
  ['an id of an event that is not whole is not taken', 'id: 7\ndata: a\n\nid: 8\ndata: b\n', [message('a')], '7'],
  ['an id with a NUL is ignored', 'id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n', [message('a'), message('b')], '7'],
  ['a field that nobody knows', 'd\0ta: a\n\n', [], ''],
])('%s', (_name, text, events, lastEventId) => {
  expect(readEvents(text)).toEqual({ events, lastEventId })
})

function message(data: string) {
  return { type: 'message', data }
}
