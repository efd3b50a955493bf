import { describe, expect, test, vi } from 'vitest'
import type { McpError } from '../../src/errors.js'
import type { ServerInfo, Tool } from '../../src/protocol.js'
import { toolAlias } from '../../src/schema/alias.js'
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

describe('a tool that is hidden', () => {
  const forApp = (visibility: unknown) => toolNamed('x', { _meta: { ui: { visibility } } as Tool['_meta'] & object })

  test.each<[what: string, tool: Tool, names: string[]]>([
    ['the app only', forApp(['app']), []],
    ['nobody', forApp([]), []],
    ['both', forApp(['model', 'app']), ['a__x']],
    ['the model', forApp(['model']), ['a__x']],
    ['who is not said', toolNamed('x', { _meta: { ui: {} } }), ['a__x']],
    ['what is no list', forApp('app'), ['a__x']],
    ['a server without sense', toolNamed('x', { _meta: { ui: null } }), ['a__x']],
  ])('by MCP Apps is not the model’s: for %s', async (_, tool, names) => {
    const { toolset } = createSet({ a: createFakeServer(tool) })
    await toolset.add('a', url('a'))
    expect(namesOf(toolset)).toEqual(names)
    const all = createSet({ a: createFakeServer(tool) }, { appTools: true }).toolset
    await all.add('a', url('a'))
    expect(namesOf(all)).toEqual(['a__x'])
  })

  const filterOf = (hidden: Set<string>) => ({ filter: ({ name }: Tool) => !hidden.has(name) })

  test.each<[how: string, now: Tool[], reason: string]>([
    ['by the filter', [toolNamed('x')], 'refused by the filter'],
    ['by its server', [forApp(['app'])], 'app only'],
    ['as it is gone', [], 'offers it no more'],
  ])('%s can’t be called any more by a handle from before', async (how, now, reason) => {
    const hidden = new Set<string>()
    const a = createFakeServer('x')
    const { toolset } = createSet({ a }, filterOf(hidden))
    await toolset.add('a', url('a'))
    const handle = toolset.tool('a', 'x')
    if (how === 'by the filter') hidden.add('x')
    a.list = () => now
    await toolset.refresh()
    const refused = { code: 'ERR_MCP_TOOL_NAME', data: { server: 'a', tool: 'x', outcome: 'not-run' } }
    const error = await rejection(handle.execute())
    expect(error).toMatchObject(refused)
    expect(error.message).toContain(reason)
    expect(await rejection(toolset.call('a__x'))).toMatchObject({ code: 'ERR_MCP_TOOL_NAME' })
    expect(a.calls).toEqual([])
    hidden.clear()
    a.list = () => [toolNamed('x')]
    await toolset.refresh()
    await handle.execute()
    expect(a.calls).toHaveLength(1)
  })

  test('is refused by name with the reason', async () => {
    const { toolset } = createSet({ a: createFakeServer('x', 'send e-mail') })
    await toolset.add('a', { url: url('a'), tools: { deny: ['send e-mail'] } })
    const name = toolset.servers.a!.leftOut[0]!.name
    expect(name).toBe('send e-mail')
    const error = await rejection(toolset.call(toolAlias('a', name)))
    expect(error).toMatchObject({ code: 'ERR_MCP_TOOL_NAME', data: { server: 'a', outcome: 'not-run' } })
    expect(error.message).toContain('in tools.deny')
  })
})

describe('what a model reads', () => {
  const tags = '\u{e0068}\u{e0069}'

  test('has nothing that people don’t see, and what was there is told; the tool stays as it was sent', async () => {
    const sent = toolNamed('read', { title: `Re${tags}ad`, description: `Reads${tags} a file` })
    const { toolset } = createSet({ a: createFakeServer(sent) })
    await toolset.add('a', url('a'))
    expect(toolset.tools[0]).toMatchObject({ title: 'Read', description: 'Reads a file', tool: sent })
    expect(toolset.tools[0]?.findings.map(({ code, path }) => [code, path])).toEqual([
      ['hidden-text', '/title'],
      ['hidden-text', '/description'],
    ])
  })

  test('is called by its name when nothing else can be seen', async () => {
    const { toolset } = createSet({ a: createFakeServer(toolNamed('read', { title: tags })) })
    await toolset.add('a', url('a'))
    expect(toolset.tools[0]?.title).toBe('read')
  })

  test('are the server’s instructions too', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    expect(toolset.servers.a).not.toHaveProperty('instructions')
    const server = { instructions: `Ask${tags} first` } as ServerInfo
    a.setState({ status: 'ready', server })
    expect(toolset.servers.a?.instructions).toBe('Ask first')
  })

  test('is not called twice by one name: the first stays, and says so', async () => {
    const twice = [toolNamed('x', { title: 'first' }), toolNamed('x', { title: 'second' })]
    const { toolset } = createSet({ a: createFakeServer(...twice) })
    await toolset.add('a', url('a'))
    expect(toolset.tools).toMatchObject([{ title: 'first', findings: [{ code: 'tool-repeated' }] }])
    expect(toolset.servers.a?.leftOut).toHaveLength(1)
  })
})

describe('a tool whose server is gone', () => {
  test('says so, by name: the server was taken out', async () => {
    const { toolset } = createSet({ a: createFakeServer('x'), b: createFakeServer('y') })
    await toolset.add('a', url('a'))
    await toolset.remove('a')
    expect(await rejection(toolset.call('a__x'))).toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
      data: { server: 'a', tool: 'a__x', outcome: 'not-run' },
    })
    await toolset.add('a', url('b'))
    expect(await rejection(toolset.call('a__x'))).toMatchObject({ code: 'ERR_MCP_TOOL_NAME' })
  })

  test('says so, by name and by handle: its connection has ended', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    const handle = toolset.tool('a', 'x')
    a.setState({ status: 'closed' })
    expect(toolset.tools).toEqual([])
    for (const call of [toolset.call('a__x'), handle.execute()])
      expect(await rejection(call)).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { outcome: 'not-run' } })
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
