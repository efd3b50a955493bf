import { describe, expect, test } from 'vitest'
import { readInputs, readServers } from '../../src/declarative/index.js'
import { thrown } from '../fake-set.js'

const wrap = (entry: object) => JSON.stringify({ mcpServers: { a: entry } })

describe('variables', () => {
  test('come from what is handed in, and never from the process', () => {
    const text = wrap({ command: 'a', cwd: '${PATH}' })
    expect(process.env.PATH).toBeTypeOf('string')
    expect(thrown(() => readServers(text)).message).toContain('"PATH"')
    expect(readServers(text, { env: { PATH: '/bin' } }).servers).toEqual({ a: { command: 'a', cwd: '/bin' } })
  })

  test('are looked up among own names alone', () => {
    const text = wrap({ command: 'a', args: ['${toString}', '${constructor:-mine}'] })
    expect(thrown(() => readServers(text, { env: {} })).data.key).toBe('mcpServers.a.args.0')
  })

  test('have values that are not expanded again', () => {
    const text = wrap({ command: '${A}' })
    expect(readServers(text, { env: { A: '${B}', B: 'no' } }).servers.a).toEqual({ command: '${B}' })
  })

  test('that never end are no variables, however many begin', () => {
    const args = [`${'${'.repeat(200_000)}`, '${A}${A']
    expect(readServers(wrap({ command: 'a', args }), { env: { A: '1' } }).servers.a).toEqual({
      command: 'a',
      args: [args[0], '1${A'],
    })
  })

  test('of a server that is switched off are not needed', () => {
    const entry = { command: 'a', cwd: '${NOT_SET}', disabled: true }
    expect(readServers(wrap(entry))).toMatchObject({ servers: {}, disabled: ['a'], declarations: { a: entry } })
  })
})

test('names that objects have by themselves are names as any other', () => {
  const text = '{ "mcpServers": { "__proto__": { "command": "a", "constructor": { "x": 1 } } } }'
  const { servers, declarations } = readServers(text)
  expect(Object.keys(servers)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(servers)).toBe(Object.prototype)
  expect(Object.entries(declarations)).toEqual([['__proto__', { command: 'a', constructor: { x: 1 } }]])
})

test('what a file asks for is known before there are answers', () => {
  const text = `{
    // comments are fine
    "inputs": [{ "type": "promptString", "id": "key", "description": "The key", "password": true }],
    "servers": { "a": { "url": "https://a.example/mcp", "headers": { "X-Key": "\${input:key}" } } },
  }`
  expect(readInputs(text)).toEqual([{ id: 'key', type: 'promptString', description: 'The key', password: true }])
  expect(thrown(() => readServers(text)).data.key).toBe('servers.a.headers.X-Key')
  expect(readServers(text, { inputs: { key: 'SECRET' } }).servers.a).toEqual({
    url: 'https://a.example/mcp',
    headers: { 'X-Key': 'SECRET' },
  })
})

describe('faults', () => {
  test('are one error with a list, which survives cloning', () => {
    const error = thrown(() => readServers('{\n"mcpServers": {\n"a": 1,\n"b": {} } }', { file: 'mcp.json' }))
    expect(error.code).toBe('ERR_MCP_CONFIG')
    expect(error.message).toBe(
      '2 faults:\nmcp.json:3: "mcpServers.a" must be an object\nmcp.json:4: "mcpServers.b" needs a "url" or a "command"',
    )
    expect(structuredClone(error.data)).toMatchObject({
      file: 'mcp.json',
      errors: [
        { code: 'ERR_MCP_CONFIG', data: { file: 'mcp.json', line: 3, server: 'a' } },
        { code: 'ERR_MCP_CONFIG', data: { file: 'mcp.json', line: 4, server: 'b' } },
      ],
    })
  })

  test('without the name of a file name the line alone', () => {
    expect(thrown(() => readServers('{\n"mcpServers": 1 }')).message).toMatch(/^line 2: /)
  })

  test('on every line are told up to fifty', () => {
    const entries = Array.from({ length: 400 }, (_, index) => `"s${index}": 1`)
    const error = thrown(() => readServers(`{ "mcpServers": {\n${entries.join(',\n')} } }`))
    expect(error.data.errors).toHaveLength(50)
    expect(error.message).toMatch(/^400 faults:/)
    expect(error.message).toMatch(/and 350 more$/)
  })

  test('hold names only as long as names are, without what people cannot see', () => {
    const name = `a\u202e${'b'.repeat(100_000)}`
    const error = thrown(() => readServers(JSON.stringify({ mcpServers: { [name]: 1 } })))
    expect(error.message.length).toBeLessThan(400)
    expect(error.message).not.toContain('\u202e')
    expect(JSON.stringify(error.data).length).toBeLessThan(2_000)
  })
})

describe('size', () => {
  test('a megabyte is read, with the right line of a fault at its end', () => {
    const entries = Array.from(
      { length: 10_000 },
      (_, index) =>
        `    "server-${index}": { "command": "npx", "args": ["-y", "package-${index}"], "env": { "KEY": "\${KEY}" } }`,
    )
    const file = (last: string) => `{\n  "mcpServers": {\n${[...entries, last].join(',\n')}\n  }\n}\n`
    const good = file('    "last": { "url": "https://last.example/mcp" }')
    expect(good.length).toBeGreaterThan(1_000_000)
    const { servers } = readServers(good, { env: { KEY: 'k' } })
    expect(Object.keys(servers)).toHaveLength(10_001)
    expect(servers['server-9999']).toEqual({ command: 'npx', args: ['-y', 'package-9999'], env: { KEY: 'k' } })
    const bad = file('    "last": {}').replaceAll('\n', '\r\n')
    expect(thrown(() => readServers(bad, { env: { KEY: 'k' } })).data.line).toBe(10_003)
  })

  test('more than four megabytes are refused', () => {
    const text = `{ "mcpServers": {} }${' '.repeat(4 * 1024 * 1024)}`
    expect(thrown(() => readServers(text)).message).toContain('longer than 4194304 characters')
  })

  test('nesting without end is refused', () => {
    expect(thrown(() => readServers('['.repeat(1_000_000))).message).toContain('nested too deeply')
    expect(thrown(() => readServers('{"a":'.repeat(500_000))).message).toContain('nested too deeply')
  })

  test('nesting that can be parsed and not be walked is refused', () => {
    for (const depth of [1_000, 2_000, 4_000, 8_000]) {
      const text = `{ "mcpServers": { "a": { "command": "a", "x": ${'['.repeat(depth)}${']'.repeat(depth)} } } }`
      expect(thrown(() => readServers(text)).message).toContain('nested too deeply')
    }
  })
})
