import { describe, expect, test } from 'vitest'
import {
  ConfigError,
  DisconnectedError,
  type ErrorDetails,
  HttpError,
  InvalidResponseError,
  JsonRpcError,
  McpError,
  TimeoutError,
  TooLargeError,
  UnauthorizedError,
} from '../../src/errors.js'
import { explain } from '../../src/session/explain.js'

const list: ErrorDetails = { server: 'here', method: 'tools/list' }
const call: ErrorDetails = { server: 'here', method: 'tools/call', tool: 'pay' }

/** An error of the engine, which is told apart by its fields. */
const engine = (name: string, code: unknown, message = 'm', data?: unknown) =>
  Object.assign(new Error(message), { name, code, data })

describe('an error of the engine', () => {
  test.each<[string, unknown, string, ErrorDetails]>([
    [
      'a JSON-RPC error with data',
      engine('ProtocolError', -32602, 'no such tool', { a: 1 }),
      'ERR_MCP_JSONRPC',
      { rpcCode: -32602, rpcData: { a: 1 } },
    ],
    ['a JSON-RPC error of the server’s own', engine('ProtocolError', 7), 'ERR_MCP_JSONRPC', { rpcCode: 7 }],
    ['a connection that was closed', engine('SdkError', 'CONNECTION_CLOSED'), 'ERR_MCP_DISCONNECTED', {}],
    ['no connection', engine('SdkError', 'NOT_CONNECTED'), 'ERR_MCP_DISCONNECTED', {}],
    ['no connection, said otherwise', new Error('Not connected'), 'ERR_MCP_DISCONNECTED', {}],
    [
      'a discovery that it does not take',
      engine('SdkError', 'ERA_NEGOTIATION_FAILED', 'connect({ prior })'),
      'ERR_MCP_INVALID_RESPONSE',
      { reason: 'shape' },
    ],
    [
      'a result that it does not take',
      engine('SdkError', 'INVALID_RESULT'),
      'ERR_MCP_INVALID_RESPONSE',
      { reason: 'INVALID_RESULT' },
    ],
    ['anything else', new TypeError('x is undefined'), 'ERR_MCP_INVALID_RESPONSE', { reason: 'shape' }],
    ['what is no error', 'oops', 'ERR_MCP_INVALID_RESPONSE', { reason: 'shape' }],
    ['nothing', undefined, 'ERR_MCP_INVALID_RESPONSE', { reason: 'shape' }],
  ])('%s', (_what, error, code, data) => {
    const explained = explain(error, list)
    expect(explained).toMatchObject({ code, data: { ...list, ...data } })
    expect(explained).toBeInstanceOf(McpError)
  })

  test('tells of a wrong shape in one line', () => {
    const error = engine(
      'SdkError',
      'INVALID_RESULT',
      `Invalid result for tools/call: [\n${'{"issue":1}\n'.repeat(500)}]`,
    )
    expect(explain(error, list).message.length).toBeLessThan(400)
    expect(explain(error, list).message).not.toContain('\n')
  })

  test('stays the cause', () => {
    const error = new Error('Not connected')
    expect(explain(error, list).cause).toBe(error)
  })
})

describe('the details', () => {
  test('are filled in; what the error knows already stays', () => {
    const error = explain(new HttpError('no', { data: { status: 500, server: 'of old' } }), list)
    expect(error.data).toEqual({ status: 500, server: 'of old', method: 'tools/list' })
  })

  test('of what is no tool call say nothing of an outcome', () => {
    expect(explain(new DisconnectedError('gone'), list).data).not.toHaveProperty('outcome')
  })
})

describe('a tool call', () => {
  const rpc = (rpcCode: number) => new JsonRpcError('no', { data: { rpcCode } })
  const http = (status: number) => new HttpError('no', { data: { status } })

  // Not run: whoever answered so has refused the request as such. Otherwise the tool may have been at work.
  test.each<[string, McpError, 'not-run' | 'unknown']>([
    ['a wrong configuration', new ConfigError('no'), 'not-run'],
    ['missing credentials', new UnauthorizedError('no'), 'not-run'],
    ...[-32700, -32600, -32601, -32020, -32021, -32022, -32042].map(
      (code) => [`JSON-RPC ${code}`, rpc(code), 'not-run'] as [string, McpError, 'not-run'],
    ),
    ...[-32602, -32603, -32000, 0, 1].map(
      (code) => [`JSON-RPC ${code}`, rpc(code), 'unknown'] as [string, McpError, 'unknown'],
    ),
    ...[307, 308, 400, 403, 404, 405, 413, 415, 429].map(
      (status) => [`HTTP ${status}`, http(status), 'not-run'] as [string, McpError, 'not-run'],
    ),
    ...[301, 302, 303, 408, 409, 500, 502, 503, 504].map(
      (status) => [`HTTP ${status}`, http(status), 'unknown'] as [string, McpError, 'unknown'],
    ),
    ['a redirect whose status the browser hides', new HttpError('no', { data: { reason: 'redirect' } }), 'unknown'],
    ['a deadline', new TimeoutError('late'), 'unknown'],
    ['a reply that is too large', new TooLargeError('big'), 'unknown'],
    ['a reply that can’t be read', new InvalidResponseError('bad', { data: { reason: 'json' } }), 'unknown'],
  ])('that fails by %s keeps its class, and the outcome is told', (_what, error, outcome) => {
    expect(explain(error, call)).toBe(error)
    expect(error.data).toMatchObject({ ...call, outcome })
  })

  test.each([
    ['network failed', new DisconnectedError('The network failed', { data: { reason: 'network' } })],
    ['connection was closed', new DisconnectedError('The connection was closed')],
    ['response ended without it', new InvalidResponseError('no reply', { data: { reason: 'no-reply', status: 200 } })],
  ])('whose reply was lost because the %s may have run', (_what, error) => {
    const { reason } = error.data
    const explained = explain(error, call)
    expect(explained).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'ERR_MCP_OUTCOME_UNKNOWN',
      data: { ...call, outcome: 'unknown', ...(reason && { reason }) },
    })
    expect(explained.cause).toBe(error)
    expect(explained.message).toContain('"pay"')
  })

  test('that was refused after close() did not run', () => {
    const error = new DisconnectedError('closed', { data: { outcome: 'not-run' } })
    expect(explain(error, call)).toBe(error)
    expect(error.data.outcome).toBe('not-run')
  })
})
