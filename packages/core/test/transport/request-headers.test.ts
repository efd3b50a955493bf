import { describe, expect, test } from 'vitest'
import { encodeHeaderValue, modernHeaders } from '../../src/transport/request-headers.js'

describe('a value in a header', () => {
  // The specification's own examples, revision 2026-07-28, Streamable HTTP, "Value Encoding".
  test.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('%j is sent as %s', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded)
  })

  // By the specification's rules; encoded with coreutils' base64.
  test.each([
    ['inner  spaces', 'inner  spaces'],
    ['file:///projects/myapp/config.json', 'file:///projects/myapp/config.json'],
    ['=?BASE64?x?=', '=?BASE64?x?='],
    ['=?base64?unfinished', '=?base64?unfinished'],
    ['~!"#$%&\'()*+,', '~!"#$%&\'()*+,'],
    ['', '=?base64??='],
    ['a\tb', '=?base64?YQli?='],
    ['a\r\nX-Injected: 1', '=?base64?YQ0KWC1JbmplY3RlZDogMQ==?='],
    ['\u007f', '=?base64?fw==?='],
    ['é', '=?base64?w6k=?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
  ])('%j is sent as %s, too', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded)
    expect(new Headers({ value: encoded }).get('value')).toBe(encoded)
  })
})

describe('a modern message', () => {
  test.each([
    ['tools/call', { name: 'get_weather' }, { 'mcp-method': 'tools/call', 'mcp-name': 'get_weather' }],
    ['prompts/get', { name: 'größe' }, { 'mcp-method': 'prompts/get', 'mcp-name': '=?base64?Z3LDtsOfZQ==?=' }],
    ['resources/read', { uri: 'file:///a' }, { 'mcp-method': 'resources/read', 'mcp-name': 'file:///a' }],
    ['resources/read', { uri: 'file:///a', name: 'x' }, { 'mcp-method': 'resources/read', 'mcp-name': 'file:///a' }],
    ...['tasks/get', 'tasks/update', 'tasks/cancel'].map((method): [string, { taskId: string }, object] => [
      method,
      { taskId: 'größe' },
      { 'mcp-method': method, 'mcp-name': '=?base64?Z3LDtsOfZQ==?=' },
    ]),
    ['tools/list', { name: 'not its name' }, { 'mcp-method': 'tools/list' }],
    ['completion/complete', { ref: { name: 'x' } }, { 'mcp-method': 'completion/complete' }],
    ['toString', { name: 'x', '': 'y' }, { 'mcp-method': 'toString' }],
    ['tools/call', { name: 5 }, { 'mcp-method': 'tools/call' }],
  ])('%s with %j says so', (method, params, headers) => {
    expect(modernHeaders({ method, params })).toEqual(headers)
  })

  test('that is a reply says nothing', () => {
    expect(modernHeaders({ id: 1, result: {} })).toEqual({})
  })
})
