import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import {
  closedError,
  type ErrorCode,
  type ErrorDetails,
  errorClasses,
  fromErrorData,
  McpError,
  toErrorData,
  withDetails,
} from '../src/errors.js'

const codes = Object.keys(errorClasses) as ErrorCode[]

/** One value for every field, so that none is forgotten on the way. */
const everyDetail: Required<ErrorDetails> = {
  server: 'files',
  method: 'tools/call',
  tool: 'read',
  outcome: 'unknown',
  retryAfterMs: 1_000,
  status: 503,
  reason: 'server-error',
  attempts: [{ transport: 'streamable-http', era: 'modern', status: 404, reason: 'not found' }],
  missing: 'Access-Control-Allow-Origin',
  key: 'headers',
  file: 'mcp.json',
  line: 3,
  errors: [{ name: 'ConfigError', message: 'mcp.json:3: wrong', code: 'ERR_MCP_CONFIG', data: { line: 3 } }],
  rpcCode: -32602,
  rpcData: { nested: [1, { deep: null }], text: 'ünï' },
  limit: 1,
  phase: 'run',
  command: 'npx',
  exit: 1,
  errno: 'ENOENT',
  step: 'token',
}

/** As an error crosses a worker. */
const cross = (error: unknown) => fromErrorData(structuredClone(toErrorData(error)))

describe.each(codes)('%s', (code) => {
  const make = () =>
    new errorClasses[code](`what failed: ${code}`, {
      data: structuredClone(everyDetail),
      cause: new errorClasses.ERR_MCP_HTTP('beneath', {
        data: { status: 500 },
        cause: new RangeError('at the bottom'),
      }),
    })

  test('crosses a realm with its class, message, code, data and causes', () => {
    const error = cross(make()) as McpError
    expect(error).toBeInstanceOf(errorClasses[code])
    expect(error).toBeInstanceOf(Error)
    expect(McpError.is(error)).toBe(true)
    expect(error.message).toBe(`what failed: ${code}`)
    expect(error.name).toBe(errorClasses[code].name)
    expect(error.code).toBe(code)
    expect(error.data).toEqual(everyDetail)
    expect(error.cause).toBeInstanceOf(errorClasses.ERR_MCP_HTTP)
    expect((error.cause as McpError).data).toEqual({ status: 500 })
    const bottom = (error.cause as Error).cause as Error
    expect([bottom.name, bottom.message]).toEqual(['RangeError', 'at the bottom'])
  })

  test('is written as JSON and read again without loss', () => {
    const data = toErrorData(make())
    expect(JSON.parse(JSON.stringify(data))).toEqual(data)
    expect(toErrorData(fromErrorData(data))).toEqual(data)
  })
})

describe('McpError.is', () => {
  test('knows the error of another copy of the package, by its brand', async () => {
    const source = ts.transpile(readFileSync(new URL('../src/errors.ts', import.meta.url), 'utf8'), {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
    })
    const exports: { ConfigError?: new (message: string) => Error } = {}
    // Symbol.for is one registry for all realms of a thread.
    vm.runInNewContext(source, { exports })
    const foreign = new exports.ConfigError!('elsewhere')
    expect(foreign).not.toBeInstanceOf(Error)
    expect(foreign).not.toBeInstanceOf(McpError)
    expect(McpError.is(foreign)).toBe(true)
    const error = cross(foreign)
    expect(error).toBeInstanceOf(errorClasses.ERR_MCP_CONFIG)
  })

  test('is lost in a structured clone, which is why errors cross as data', () => {
    expect(McpError.is(structuredClone(new errorClasses.ERR_MCP_TOOL('x')))).toBe(false)
  })

  const { proxy: revoked, revoke } = Proxy.revocable({}, {})
  revoke()
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'ERR_MCP_TOOL'],
    ['an Error', new Error('x')],
    ['a look-alike', { name: 'ToolError', code: 'ERR_MCP_TOOL', data: {}, message: 'x' }],
    ['a revoked proxy', revoked],
  ])('%s is none', (_, value) => {
    expect(McpError.is(value)).toBe(false)
  })
})

describe('any thrown value crosses', () => {
  const thrower = () => {
    throw new Error('hostile')
  }
  const cyclic: Error & { cause?: unknown } = new Error('round and round')
  cyclic.cause = cyclic

  test.each<[what: string, thrown: unknown, name: string, message: string]>([
    ['a string', 'just text', 'Error', 'just text'],
    ['undefined', undefined, 'Error', 'undefined'],
    ['null', null, 'Error', 'null'],
    ['a symbol', Symbol('s'), 'Error', 'Symbol(s)'],
    ['a TypeError', new TypeError('t'), 'TypeError', 't'],
    ['a DOMException', new DOMException('stop', 'AbortError'), 'AbortError', 'stop'],
    ['an object without a message', { any: 1 }, 'Error', ''],
    ['an error with a cyclic cause', cyclic, 'Error', 'round and round'],
    ['a message that is no string', { name: 7, message: { a: 1 } }, '7', '[object Object]'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'message', { get: thrower }),
      'Error',
      'an error that could not be read',
    ],
    ['a name that throws', { name: { toString: thrower }, message: 'm' }, 'Error', 'an error that could not be read'],
    ['a proxy that throws', new Proxy({}, { get: thrower }), 'Error', 'an error that could not be read'],
  ])('%s', (_, thrown, name, message) => {
    const error = cross(thrown)
    expect([error.name, error.message]).toEqual([name, message])
    expect(McpError.is(error)).toBe(false)
  })

  test('four causes go along, no more', () => {
    const chain = (depth: number): Error => new Error(String(depth), depth < 9 ? { cause: chain(depth + 1) } : {})
    const messages: string[] = []
    for (let error: unknown = cross(chain(0)); error instanceof Error; error = error.cause) messages.push(error.message)
    expect(messages).toEqual(['0', '1', '2', '3', '4'])
  })

  test('an error without a cause gets none', () => {
    expect('cause' in cross(new Error('x'))).toBe(false)
    expect('cause' in cross(new errorClasses.ERR_MCP_TOOL('x'))).toBe(false)
  })

  test('data that no clone can hold are left out, the other fields stay', () => {
    const ring: { ring?: unknown } = {}
    ring.ring = ring
    const error = new errorClasses.ERR_MCP_JSONRPC('x', {
      data: { rpcCode: -1, rpcData: ring, server: 's', step: (() => {}) as unknown as string },
    })
    expect((cross(error) as McpError).data).toEqual({ rpcCode: -1, server: 's' })
  })

  test('a code of a later release keeps its code and data', () => {
    const error = fromErrorData({
      name: 'NewError',
      message: 'm',
      code: 'ERR_MCP_NEW' as ErrorCode,
      data: { key: 'k' },
    })
    expect(McpError.is(error)).toBe(true)
    expect(error).toMatchObject({ name: 'NewError', message: 'm', code: 'ERR_MCP_NEW', data: { key: 'k' } })
  })

  test.each(['constructor', '__proto__', 'toString'])('a code that is called %s is no class', (code) => {
    const error = fromErrorData({ name: 'E', message: 'm', code: code as ErrorCode })
    expect(Object.getPrototypeOf(error)).toBe(McpError.prototype)
  })
})

describe('details', () => {
  test('are filled in, and what an error knew already stays', () => {
    const error = new errorClasses.ERR_MCP_TIMEOUT('late', { data: { limit: 5, server: 'known' } })
    expect(withDetails(error, { server: 'other', tool: 't' })).toBe(error)
    expect(error.data).toEqual({ limit: 5, server: 'known', tool: 't' })
  })

  test('a closed connection says which, and that the tool did not run', () => {
    const error = closedError('files', 'tools/call', { name: 'read' })
    expect(error.message).toContain('files')
    expect(error.data).toEqual({ server: 'files', method: 'tools/call', tool: 'read', outcome: 'not-run' })
    expect(closedError(undefined, 'tools/list', {}).data).toEqual({ method: 'tools/list' })
  })
})

describe('docs/errors.md', () => {
  const doc = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const cells = (row: string) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)
  const rows = doc
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(cells)
  const codeRows = rows.filter(([code]) => code!.startsWith('`ERR_'))
  const fieldRows = rows.filter(([field]) => !field!.startsWith('`ERR_'))

  test('lists every code, in the order of the source, with its class', () => {
    expect(codeRows.map(([code, name]) => [quoted(code!)[0], quoted(name!)[0]])).toEqual(
      codes.map((code) => [code, errorClasses[code].name]),
    )
  })

  test('says of each when it comes and what to do', () => {
    for (const [code, , when, what] of codeRows) {
      expect(when, code).toMatch(/\w{3}/)
      expect(what, code).toMatch(/\w{3}/)
    }
  })

  test('explains every field of data, and no other', () => {
    const fields = fieldRows.flatMap(([field]) => quoted(field!))
    expect(fields.sort()).toEqual(Object.keys(everyDetail).sort())
    const common = ['server', 'method', 'tool', 'outcome']
    const named = new Set(codeRows.flatMap(([, , , , data]) => quoted(data!)))
    for (const field of fields) if (!common.includes(field)) expect(named, field).toContain(field)
  })
})
