import { describe, expect, test } from 'vitest'
import { plainAlias, toolAlias } from '../../src/schema/alias.js'

const legal = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

/** Names that servers have, or could think of. */
const hostile = [
  '',
  '_',
  '__',
  '___',
  'a',
  'a_',
  '_a',
  'a_b',
  'a__b',
  'b_c',
  'b__c',
  '-a',
  '1a',
  '9',
  'a.b',
  'a/b',
  'a b',
  'a:b',
  'grüße-世界',
  '🦊',
  '\u0000',
  '\u202e',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(1_000),
  `${'x'.repeat(64)}a`,
  `${'x'.repeat(64)}b`,
  'report_20240101',
]

describe('a name for models', () => {
  test('is <server>__<tool> where that is legal', () => {
    expect(toolAlias('github', 'create_issue')).toBe('github__create_issue')
    expect(toolAlias('my-server', 'get-Page')).toBe('my-server__get-Page')
    expect(toolAlias('_s', '_t')).toBe('_s___t')
    expect(toolAlias('s', 't'.repeat(61))).toBe(`s__${'t'.repeat(61)}`)
    expect(plainAlias('search')).toBe('search')
  })

  test('is legal for every provider, whatever the server and tool are called', () => {
    for (const server of hostile) {
      expect(plainAlias(server)).toMatch(legal)
      for (const tool of hostile) expect(toolAlias(server, tool)).toMatch(legal)
    }
  })

  test('is no other tool’s, in pairs of hostile names', () => {
    const aliases = hostile.flatMap((server) => hostile.map((tool) => toolAlias(server, tool)))
    expect(new Set(aliases).size).toBe(hostile.length ** 2)
    expect(new Set(hostile.map(plainAlias)).size).toBe(hostile.length)
  })

  test.each([
    ['a_b', 'c', 'a', 'b_c'],
    ['a_', 'b', 'a', '_b'],
    ['a__b', 'c', 'a', 'b__c'],
    ['a', '__b', 'a__', 'b'],
    ['a.b', 'c', 'a_b', 'c'],
    ['s', 'x'.repeat(100), 's', 'x'.repeat(101)],
  ])('tells "%s" + "%s" from "%s" + "%s"', (server, tool, otherServer, otherTool) => {
    expect(toolAlias(server, tool)).not.toBe(toolAlias(otherServer, otherTool))
  })

  test('cannot be taken by a tool that calls itself by the marked name of another', () => {
    const marked = toolAlias('a__b', 'c')
    const [, rest] = /^a__(.+)$/.exec(marked)!
    expect(toolAlias('a', rest!)).not.toBe(marked)
    const plain = plainAlias('a.b')
    expect(plainAlias(plain)).not.toBe(plain)
  })

  test('of a hundred thousand cut names is each its own', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => toolAlias('server', `${'long '.repeat(20)}${index}`))
    expect(new Set(names).size).toBe(names.length)
  })

  test('keeps what can be read of a cut name', () => {
    expect(toolAlias('server', 'x'.repeat(100))).toMatch(/^server__x{47}_[0-9][0-9a-z]{7}$/)
    expect(plainAlias('send e-mail')).toMatch(/^send_e-mail_[0-9][0-9a-z]{7}$/)
  })
})

// Worked out from the definition of FNV-1a by a program in another language. They must never change: prompts, approvals
// and conversations that are stored refer to them.
test.each([
  ['a__b', 'c', 'a__b__c_691hn6vc'],
  ['a_', 'b', 'a___b_6p43wth2'],
  ['s', 'grüße-世界', 's__gr__e-___9xfaghqn'],
  ['my server', 'get page', 'my_server__get_page_8e6h4hfs'],
  ['1st', '🦊', '_st_____3m4pcaa4'],
  ['server', 'x'.repeat(100), `server__${'x'.repeat(47)}_40kwj593`],
  ['s', 'report_20240101', 's__report_20240101_69cbwdwc'],
])('stays the same for ever: %s + %s', (server, tool, alias) => {
  expect(toolAlias(server, tool)).toBe(alias)
})

test('stays the same for ever without the server', () => {
  expect(plainAlias('send e-mail')).toBe('send_e-mail_1oa0e3kj')
})
