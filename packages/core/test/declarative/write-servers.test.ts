import { describe, expect, test } from 'vitest'
import { readServers, writeServers } from '../../src/declarative/index.js'
import { thrown } from '../fake-set.js'
import { corpus } from './corpus.js'

describe('writing a new file', () => {
  test('is what desktop clients read', () => {
    expect(writeServers({ files: { command: 'npx', args: ['-y', 'files'] } })).toBe(
      '{\n  "mcpServers": {\n    "files": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "files"\n      ]\n    }\n  }\n}\n',
    )
  })

  test('in the form of VS Code is what VS Code reads', () => {
    expect(JSON.parse(writeServers({ a: { type: 'stdio', command: 'a' } }, { form: 'servers' }))).toEqual({
      servers: { a: { type: 'stdio', command: 'a' } },
    })
  })

  test.each(corpus('servers').filter(({ expected }) => 'result' in expected))(
    'keeps every key and every variable of $name',
    ({ text, name }) => {
      const sources = {
        env: { TOKEN: 'SECRET', API_KEY: 'SECRET', HOME: '/h', EMPTY: '' },
        inputs: { 'api-key': 'SECRET' },
      }
      const { declarations } = readServers(text, { file: name, ...sources })
      const written = writeServers(declarations)
      // Not what the variables stand for.
      if (!text.includes('SECRET')) expect(written).not.toContain('SECRET')
      expect(JSON.parse(written)).toEqual({ mcpServers: declarations })
      expect(Object.keys((JSON.parse(written) as { mcpServers: object }).mcpServers)).toEqual(Object.keys(declarations))
    },
  )
})

describe('writing into a file', () => {
  const text = `{
	// The team's servers
	"theme": "dark",
	"mcpServers": {
		"a": { "command": "a", "note": 1 }, // stays
		"b": { "url": "https://b.example/mcp" }
	}
}
`

  test('leaves it as it is where nothing changes', () => {
    expect(writeServers(readServers(text).declarations, { into: text })).toBe(text)
  })

  test('adds, replaces and takes away, and keeps comments, other keys and the indentation', () => {
    const written = writeServers({ b: { command: 'new' }, c: { url: 'https://c.example/mcp' } }, { into: text })
    expect(written).toContain('// The team\'s servers\n\t"theme": "dark"')
    expect(written).toContain('"a": { "command": "a", "note": 1 }, // stays')
    expect(written).toContain('\n\t\t"c": {\n\t\t\t"url": "https://c.example/mcp"\n\t\t}')
    expect(readServers(written).servers).toEqual({
      a: { command: 'a' },
      b: { command: 'new' },
      c: { url: 'https://c.example/mcp' },
    })
    expect(Object.keys(readServers(writeServers({ a: null, x: null }, { into: text })).servers)).toEqual(['b'])
  })

  test('goes into the form that the file has', () => {
    const written = writeServers(
      { a: { command: 'a' } },
      { into: '{ "servers": {}, "inputs": [] }', form: 'mcpServers' },
    )
    expect(readServers(written).servers).toEqual({ a: { command: 'a' } })
    expect(written).not.toContain('mcpServers')
    expect(readServers(writeServers({ a: { command: 'a' } }, { into: '{}' })).servers).toEqual({ a: { command: 'a' } })
  })

  test('keeps the byte order mark and CRLF', () => {
    const written = writeServers({ c: { command: 'c' } }, { into: `\ufeff${text.replaceAll('\n', '\r\n')}` })
    expect(written).toMatch(/^\ufeff\{\r\n/)
    expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(Object.keys(readServers(written).servers)).toEqual(['a', 'b', 'c'])
  })

  test('takes names that objects have by themselves', () => {
    const declarations = Object.fromEntries([['__proto__', { command: 'a' }]])
    const written = writeServers(declarations, { into: '{ "mcpServers": {} }' })
    expect(Object.entries(readServers(written).servers)).toEqual([['__proto__', { command: 'a' }]])
    expect(Object.entries(readServers(writeServers(declarations)).servers)).toEqual([['__proto__', { command: 'a' }]])
  })

  test('refuses what is no file of servers', () => {
    for (const into of ['[]', '{ "mcpServers": [] }', '{ "mcpServers": ', 'mcpServers: {}'])
      expect(thrown(() => writeServers({ a: { command: 'a' } }, { into, file: 'mcp.json' })).message).toMatch(
        /^mcp\.json:1: /,
      )
  })
})
