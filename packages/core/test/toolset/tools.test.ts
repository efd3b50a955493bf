import { describe, expect, test, vi } from 'vitest'
import type { McpError } from '../../src/errors.js'
import type { Tool } from '../../src/protocol.js'
import { createFakeServer, rejection, toolNamed } from '../fake-server.js'
import { createSet, namesOf, thrown, url } from '../fake-set.js'

describe('which tools', () => {
  const server = () => createFakeServer('read', 'write', 'delete')

  test('allow and deny choose, and what is allowed but not offered is named', async () => {
    const { toolset } = createSet({ a: server() })
    await toolset.add('a', { url: url('a'), tools: { allow: ['read', 'delete', 'gone'], deny: ['delete'] } })
    expect(namesOf(toolset)).toEqual(['a__read'])
    expect(toolset.servers.a?.leftOut).toEqual([
      { name: 'write', reason: 'not in tools.allow' },
      { name: 'delete', reason: 'in tools.deny' },
    ])
    expect(toolset.servers.a?.missing).toEqual(['gone'])
  })

  test('the filter is asked once for each tool, with the server’s name', async () => {
    const filter = vi.fn((tool: Tool, _server: string) => tool.name !== 'write')
    const { toolset } = createSet({ a: server() }, { filter })
    await toolset.add('left', url('a'))
    expect(namesOf(toolset)).toEqual(['left__read', 'left__delete'])
    expect(filter.mock.calls.map(([tool, name]) => [tool.name, name])).toEqual([
      ['read', 'left'],
      ['write', 'left'],
      ['delete', 'left'],
    ])
    expect(toolset.servers.left?.leftOut).toEqual([{ name: 'write', reason: 'refused by the filter' }])
  })

  test('an empty allow is none', async () => {
    const { toolset } = createSet({ a: server() })
    await toolset.add('a', { url: url('a'), tools: { allow: [] } })
    expect(toolset.tools).toEqual([])
  })

  test('a tool that is left out can’t be called', async () => {
    const a = server()
    const { toolset } = createSet({ a })
    await toolset.add('a', { url: url('a'), tools: { deny: ['delete'] } })
    expect(await rejection(toolset.call('a__delete'))).toMatchObject({ code: 'ERR_MCP_TOOL_NAME' })
    expect(() => toolset.tool('a', 'delete')).toThrow('left out, in tools.deny')
    expect(a.calls).toEqual([])
  })
})

describe('prefix: false', () => {
  test('leaves the server’s name off', async () => {
    const { toolset } = createSet({ a: createFakeServer('x', 'send e-mail') }, { prefix: false })
    await toolset.add('a', url('a'))
    expect(namesOf(toolset)).toEqual(['x', 'send_e-mail_1oa0e3kj'])
  })

  test('takes one server only', async () => {
    const { toolset, opened } = createSet({ a: createFakeServer('x'), b: createFakeServer('x') }, { prefix: false })
    await toolset.add('a', url('a'))
    const error = await rejection<McpError>(toolset.add('b', url('b')))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'prefix' } })
    expect(Object.keys(toolset.servers)).toEqual(['a'])
    await toolset.remove('a')
    await toolset.add('b', url('b'))
    expect(opened.map(({ name }) => name)).toEqual(['a', 'b'])
  })
})

describe('a tool', () => {
  test('is called under its own name, with what it was given', async () => {
    const a = createFakeServer('grüße')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    const options = { timeoutMs: 5 }
    await toolset.tool('a', 'grüße').execute({ x: 1 }, options)
    await toolset.call(toolset.tools[0]!.name, { x: 2 })
    expect(a.calls).toEqual([
      { name: 'grüße', args: { x: 1 }, options },
      { name: 'grüße', args: { x: 2 }, options: undefined },
    ])
  })

  const hinted = (annotations: Tool['annotations']) => toolNamed('x', annotations ? { annotations } : {})
  const promises = { readOnly: false, parallel: false, retry: false }
  const warnings = { destructive: true, openWorld: true }
  test.each<[what: string, trusted: boolean, said: Tool['annotations'], hints: object]>([
    ['silent', true, undefined, { ...promises, ...warnings }],
    ['silent by null', true, null as unknown as undefined, { ...promises, ...warnings }],
    [
      'read-only',
      true,
      { readOnlyHint: true },
      { ...warnings, readOnly: true, parallel: true, retry: true, destructive: false },
    ],
    ['idempotent', true, { idempotentHint: true }, { ...promises, ...warnings, retry: true }],
    [
      'harmless',
      true,
      { destructiveHint: false, openWorldHint: false },
      { ...promises, destructive: false, openWorld: false },
    ],
    ['odd', true, { readOnlyHint: 'yes' as unknown as boolean }, { ...promises, ...warnings }],
    ['read-only but not trusted', false, { readOnlyHint: true, idempotentHint: true }, { ...promises, ...warnings }],
    ['harmless but not trusted', false, { destructiveHint: false, openWorldHint: false }, { ...promises, ...warnings }],
  ])('that is %s has these hints', async (_, trusted, said, hints) => {
    const { toolset } = createSet({ a: createFakeServer(hinted(said)) })
    await toolset.add('a', { url: url('a'), trusted })
    expect(toolset.tools[0]?.hints).toEqual(hints)
  })

  test('is titled by its title, its annotation, its name', async () => {
    const titled = [
      toolNamed('a', { title: 'T', annotations: { title: 'A' } }),
      toolNamed('b', { annotations: { title: 'A' } }),
      toolNamed('c'),
    ]
    const { toolset } = createSet({ a: createFakeServer(...titled) })
    await toolset.add('a', url('a'))
    expect(toolset.tools.map(({ title }) => title)).toEqual(['T', 'A', 'c'])
  })

  test('that is not there is a ToolNameError naming both', async () => {
    const { toolset } = createSet({ a: createFakeServer('x') })
    await toolset.add('files', url('a'))
    const error = thrown(() => toolset.tool('files', 'y'))
    expect(error.message).toMatch(/"y".*"files"/)
    expect(error).toMatchObject({ code: 'ERR_MCP_TOOL_NAME', data: { server: 'files', tool: 'y', outcome: 'not-run' } })
    expect(await rejection(toolset.call('x'))).toMatchObject({ code: 'ERR_MCP_TOOL_NAME', data: { tool: 'x' } })
  })

  test('whose server is away says so', async () => {
    const { toolset } = createSet({ slow: () => new Promise(() => {}) })
    await rejection(toolset.add('dead', url('nobody')))
    void toolset.add('slow', url('slow')).catch(() => {})
    expect(thrown(() => toolset.tool('none', 'x')).message).toContain('no such server')
    expect(thrown(() => toolset.tool('dead', 'x')).message).toContain('closed (No server answers there)')
    expect(thrown(() => toolset.tool('slow', 'x')).message).toContain('connecting')
  })
})

test('a filter that throws is that server’s error, and no other’s', async () => {
  const filter = (_: Tool, server: string) => {
    if (server === 'bad') throw new Error('the filter broke')
    return true
  }
  const { toolset } = createSet({ a: createFakeServer('x') }, { filter })
  await toolset.add('good', url('a'))
  expect((await rejection(toolset.add('bad', url('a')))).message).toBe('the filter broke')
  expect(namesOf(toolset)).toEqual(['good__x'])
  expect(toolset.servers.bad?.state.error?.message).toBe('the filter broke')
})
