import { describe, expect, test } from 'vitest'
import type { Finding, Json } from '../../src/protocol.js'
import { mendHandshake, mendList } from '../../src/transport/mend.js'

function mended(key: string, items: Json[]) {
  const findings: Finding[] = []
  return { items: mendList(key, items, (finding) => findings.push(finding)), findings }
}

const inputSchema = { type: 'object' }
const good = { name: 'good', inputSchema, description: 'd', 'x-own': 1 }

describe('a list of tools', () => {
  test('that is well formed stays as it is, and nothing is reported', () => {
    const tool = {
      ...good,
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { a: true } },
    }
    expect(mended('tools', [tool])).toEqual({ items: [tool], findings: [] })
  })

  test.each<[string, Json]>([
    ['no object', 'tool'],
    ['null', null],
    ['a list', [good]],
    ['no name', { inputSchema }],
    ['an empty name', { name: '', inputSchema }],
    ['a name that is no string', { name: 5, inputSchema }],
    ['no schema', { name: 'a' }],
    ['a schema that is none', { name: 'a', inputSchema: 'object' }],
  ])('loses the item that is or has %s, reported by its place, and no other', (_what, bad) => {
    const { items, findings } = mended('tools', [good, bad, { ...good, name: 'last' }])
    expect(items.map(({ name }) => name)).toEqual(['good', 'last'])
    expect(findings).toMatchObject([{ code: 'item-left-out', path: '/tools/1' }])
  })

  test('takes null as absent, in the tool, its hints and its schema’s first level, and reports each', () => {
    const { items, findings } = mended('tools', [
      {
        name: 'a',
        description: null,
        annotations: { readOnlyHint: null, title: 't' },
        inputSchema: { type: 'object', properties: { b: { default: null } }, required: null },
      },
    ])
    expect(items).toEqual([
      { name: 'a', annotations: { title: 't' }, inputSchema: { type: 'object', properties: { b: { default: null } } } },
    ])
    expect(findings.map(({ path }) => path)).toEqual([
      '/tools/0/description',
      '/tools/0/annotations/readOnlyHint',
      '/tools/0/inputSchema/required',
    ])
  })

  test('gives a schema without a type the only one it can have', () => {
    const { items, findings } = mended('tools', [{ name: 'a', inputSchema: { anyOf: [] } }])
    expect(items).toEqual([{ name: 'a', inputSchema: { anyOf: [], type: 'object' } }])
    expect(findings).toMatchObject([{ code: 'mended', path: '/tools/0/inputSchema/type' }])
  })

  test('does not change what it was given', () => {
    const raw = { name: 'a', description: null, inputSchema: { required: null }, annotations: { title: null } }
    const before = structuredClone(raw)
    mended('tools', [raw])
    expect(raw).toEqual(before)
  })
})

test.each([
  ['resources', 'uri'],
  ['resourceTemplates', 'uriTemplate'],
])('of %s each has its %s, which stands in for a name', (key, member) => {
  const { items, findings } = mended(key, [{ [member]: 'a:b' }, { name: 'x' }])
  expect(items).toEqual([{ [member]: 'a:b', name: 'a:b' }])
  expect(findings).toMatchObject([{ code: 'item-left-out', path: `/${key}/1` }])
})

test('of prompts the arguments are mended too', () => {
  const { items, findings } = mended('prompts', [{ name: 'p', arguments: [{ name: 'a', description: null }, 5] }])
  expect(items).toEqual([{ name: 'p', arguments: [{ name: 'a' }, 5] }])
  expect(findings.map(({ path }) => path)).toEqual(['/prompts/0/arguments/0/description'])
})

describe('a handshake', () => {
  const shaken = (result: { [key: string]: Json }) => {
    const findings: Finding[] = []
    return { result: mendHandshake(result, (finding) => findings.push(finding)), findings }
  }
  const whole = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }

  test('that is whole stays as it is', () => {
    expect(shaken(whole)).toEqual({ result: whole, findings: [] })
  })

  test.each<[string, { [key: string]: Json }, object, string[]]>([
    ['capabilities', { capabilities: null }, { capabilities: {} }, ['/capabilities', '/capabilities']],
    ['a capability', { capabilities: { tools: null } }, { capabilities: {} }, ['/capabilities/tools']],
    ['instructions', { instructions: null }, {}, ['/instructions']],
    [
      'the version',
      { serverInfo: { name: 'n', version: null } },
      { serverInfo: { name: 'n', version: '' } },
      ['/serverInfo/version', '/serverInfo/version'],
    ],
    [
      'the server’s name and version',
      { serverInfo: null },
      { serverInfo: { name: '', version: '' } },
      ['/serverInfo', '/serverInfo/name', '/serverInfo/version'],
    ],
  ])('without %s is one, and it is reported', (_what, deviation, expected, paths) => {
    const { result, findings } = shaken({ ...whole, ...deviation })
    expect(result).toEqual({ ...whole, ...expected })
    expect(findings.map(({ path }) => path)).toEqual(paths)
  })

  test('of revision 2026-07-28 names the server in _meta, or not at all', () => {
    const key = 'io.modelcontextprotocol/serverInfo'
    const discover = { supportedVersions: ['2026-07-28'], capabilities: {} }
    expect(shaken(discover)).toEqual({ result: discover, findings: [] })
    const { result, findings } = shaken({ ...discover, _meta: { other: 1, [key]: { name: 'n' } } })
    expect(result).toEqual({ ...discover, _meta: { other: 1, [key]: { name: 'n', version: '' } } })
    expect(findings).toMatchObject([{ path: '/_meta/io.modelcontextprotocol~1serverInfo/version' }])
  })

  test('whose capabilities are none of any kind is for the engine to refuse', () => {
    expect(shaken({ ...whole, capabilities: 'all' }).result.capabilities).toBe('all')
  })
})
