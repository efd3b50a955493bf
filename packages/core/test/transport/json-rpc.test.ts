import { expect, test } from 'vitest'
import { answers, isReply, isRequest, toErrorReply, toMessages } from '../../src/transport/json-rpc.js'

test('a request has a method and an id, also 0 and null', () => {
  expect(isRequest({ method: 'ping', id: 0 })).toBe(true)
  expect(isRequest({ method: 'ping', id: null })).toBe(true)
  expect(isRequest({ method: 'ping' })).toBe(false)
  expect(isRequest({ id: 1, result: {} })).toBe(false)
})

test('a reply has a result or an error, and no method', () => {
  expect(isReply({ id: 1, result: null })).toBe(true)
  expect(isReply({ error: { code: 1, message: '' } })).toBe(true)
  expect(isReply({ id: 1 })).toBe(false)
  expect(isReply({ id: 1, method: 'ping', result: {} })).toBe(false)
})

test('a batch is its members, and what is no message is left out', () => {
  const reply = { id: 1, result: {} }
  expect(toMessages([reply, null, 3, 'x', [reply], {}, { method: 'a' }, { method: 5 }])).toEqual([
    reply,
    { jsonrpc: '2.0', method: 'a' },
  ])
  expect(toMessages(reply)).toEqual([reply])
  expect(toMessages(undefined)).toEqual([])
})

test('a notification is mended where the engine would refuse it: no version, null for parameters', () => {
  const mended = { jsonrpc: '2.0', method: 'a' }
  expect(toMessages({ method: 'a', params: null })).toEqual([mended])
  expect(toMessages({ ...mended, params: { b: null } })).toEqual([{ ...mended, params: { b: null } }])
})

test('a reply answers the request of the same id, in either type', () => {
  expect(answers({ id: 0 }, { id: 0 })).toBe(true)
  expect(answers({ id: '0' }, { id: 0 })).toBe(true)
  expect(answers({ id: '' }, { id: 0 })).toBe(false)
  expect(answers({ id: 10 }, { id: 1 })).toBe(false)
})

test('an error is found in a body, also in a batch', () => {
  const error = { code: -32000, message: 'no' }
  expect(toErrorReply(JSON.stringify({ error }))).toEqual({ error })
  expect(toErrorReply(JSON.stringify([{ method: 'x' }, { id: 3, error }]))).toEqual({ id: 3, error })
  for (const text of [
    '',
    'null',
    '<html>',
    '{"error":null}',
    '{"error":"no"}',
    '{"error":{"code":"401"}}',
    '{"id":1,"result":{}}',
  ])
    expect(toErrorReply(text), text).toBeUndefined()
})
