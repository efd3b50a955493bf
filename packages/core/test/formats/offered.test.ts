import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createClient } from '../../src/client.js'
import { type FormatFinding, offeredTool, offeredTools } from '../../src/formats/offered.js'
import * as normalize from '../../src/schema/normalize.js'
import { createFakeServer, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'

vi.mock(import('../../src/schema/normalize.js'), { spy: true })
const normalized = vi.mocked(normalize.normalizeSchema)
beforeEach(() => {
  normalized.mockReset()
})

const connected = async (...tools: Parameters<typeof createFakeServer>) => {
  const fake = createFakeServer(...tools)
  const { toolset } = createSet({ s: fake })
  await toolset.add('s', url('s'))
  return { fake, toolset }
}

describe('a list at each step', () => {
  test('works a tool’s schema out once per provider, until its server lists it anew', async () => {
    const { fake, toolset } = await connected('x', 'y')
    const [first] = await offeredTools(toolset, 'google')
    const [again] = await offeredTools(toolset, 'google')
    expect(normalized).toHaveBeenCalledTimes(2)
    expect(again?.inputSchema).toBe(first?.inputSchema)
    await offeredTools(toolset, 'anthropic')
    expect(normalized).toHaveBeenCalledTimes(4)

    fake.list = () => [toolNamed('x', { inputSchema: { type: 'object', title: 'new' } })]
    await toolset.refresh()
    const current = await offeredTools(toolset, 'google')
    expect(normalized).toHaveBeenCalledTimes(5)
    expect(current.map(({ tool }) => tool.inputSchema.title)).toEqual(['new'])
  })

  test('is the set’s of this moment, and of handles those that were given', async () => {
    const { fake, toolset } = await connected('x', 'y')
    const handles = toolset.tools.filter(({ name }) => name === 's__y')
    fake.list = () => []
    await toolset.refresh()
    expect(await offeredTools(toolset, 'google')).toEqual([])
    expect((await offeredTools(handles, 'google')).map(({ name }) => name)).toEqual(['s__y'])
  })
})

describe('a tool that a provider can’t have', () => {
  const refuse = (name: string) =>
    normalized.mockImplementation((schema) =>
      schema.title === name
        ? { fault: { path: '/properties/a', reason: 'it is recursive' } }
        : { schema, losses: [{ keyword: 'format', path: '/properties/b', reason: 'not known' }] },
    )
  const titled = (name: string) => toolNamed(name, { inputSchema: { type: 'object', title: name } })

  test('is left out and named, and the others stay', async () => {
    refuse('bad')
    const { toolset } = await connected(titled('good'), titled('bad'))
    const findings: FormatFinding[] = []
    const offered = await offeredTools(toolset, 'google', { onFinding: (finding) => findings.push(finding) })
    expect(offered.map(({ name }) => name)).toEqual(['s__good'])
    expect(findings).toEqual([
      {
        ...{ server: 's', tool: 'good', code: 'schema-loss', path: '/properties/b' },
        message: '"format" was left out: not known',
      },
      {
        ...{ server: 's', tool: 'bad', code: 'tool-left-out', path: '/properties/a' },
        message: '"s__bad" was left out: it is recursive',
      },
    ])
  })

  test('can’t be called by its name either', async () => {
    refuse('bad')
    const { toolset } = await connected(titled('good'), titled('bad'))
    expect(await offeredTool(toolset, 'google', 's__bad')).toBeUndefined()
    expect((await offeredTool(toolset, 'google', 's__good'))?.tool.name).toBe('good')
  })

  test('is the second of one name, of any source', async () => {
    const fake = createFakeServer('x', 'x')
    const findings: FormatFinding[] = []
    const onFinding = (finding: FormatFinding) => findings.push(finding)
    expect(await offeredTools(createClient(fake.connection), 'google', { onFinding })).toHaveLength(1)
    const { toolset } = await connected('x')
    expect(await offeredTools([...toolset.tools, ...toolset.tools], 'google', { onFinding })).toHaveLength(1)
    expect(findings.map(({ code, tool, server }) => [code, tool, server])).toEqual([
      ['tool-left-out', 'x', undefined],
      ['tool-left-out', 'x', 's'],
    ])
  })
})

test('of a single server, what people can’t see is kept from models and reported', async () => {
  const fake = createFakeServer(toolNamed('x', { title: 'a\u200bb', description: 'c\u202ed\u0007' }))
  const findings: FormatFinding[] = []
  const [tool] = await offeredTools(createClient(fake.connection), 'google', {
    onFinding: (finding) => findings.push(finding),
  })
  expect([tool?.title, tool?.description]).toEqual(['ab', 'cd'])
  expect(findings.map(({ code, path, message }) => [code, path, message])).toEqual([
    ['hidden-text', '/title', 'The title holds invisible or directional characters, which a model does not see'],
    [
      'hidden-text',
      '/description',
      'The description holds invisible or directional characters, which a model does not see',
    ],
    ['hidden-text', '/description', 'The description holds control characters, which a model does not see'],
  ])
})
