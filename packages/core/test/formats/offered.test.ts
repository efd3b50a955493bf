import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { type FormatFinding, offeredTool, offeredTools } from '../../src/formats/offered.js'
import type { SchemaProfile } from '../../src/schema/normalize.js'
import { createFakeServer, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'

const connected = async (...tools: Parameters<typeof createFakeServer>) => {
  const fake = createFakeServer(...tools)
  const { toolset } = createSet({ s: fake })
  await toolset.add('s', url('s'))
  return { fake, toolset }
}

describe('a list at each step', () => {
  test('has the same schema again, until its server lists the tool anew', async () => {
    const { fake, toolset } = await connected('x')
    const schemaFor = async (profile: SchemaProfile) => (await offeredTools(toolset, profile))[0]!.inputSchema
    const first = await schemaFor('google')
    expect(await schemaFor('google')).toBe(first)
    expect((await offeredTool(toolset, 'google', 's__x'))?.inputSchema).toBe(first)

    fake.list = () => [toolNamed('x', { inputSchema: { type: 'object', title: 'new' } })]
    await toolset.refresh()
    expect(await schemaFor('google')).toMatchObject({ title: 'new' })
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
  const bad = toolNamed('bad', { inputSchema: { type: 'string' } })
  const good = toolNamed('good', {
    inputSchema: { type: 'object', properties: { b: { type: 'string', contentEncoding: 'base64' } } },
  })

  test('is left out and named, and the others stay', async () => {
    const { toolset } = await connected(good, bad)
    const findings: FormatFinding[] = []
    const offered = await offeredTools(toolset, 'google', { onFinding: (finding) => findings.push(finding) })
    expect(offered.map(({ name }) => name)).toEqual(['s__good'])
    expect(findings).toEqual([
      {
        ...{ server: 's', tool: 'good', code: 'schema-loss', path: '/properties/b/contentEncoding' },
        message: expect.stringMatching(/^"contentEncoding": ./),
      },
      {
        ...{ server: 's', tool: 'bad', code: 'tool-left-out', path: '/type' },
        message: expect.stringMatching(/^"s__bad" was left out: ./),
      },
    ])
  })

  test('can’t be called by its name either', async () => {
    const { toolset } = await connected(good, bad)
    expect(await offeredTool(toolset, 'google', 's__bad')).toBeUndefined()
    expect((await offeredTool(toolset, 'google', 's__good'))?.tool.name).toBe('good')
  })

  test('is one whose description no request could hold', async () => {
    const { toolset } = await connected(good, toolNamed('long', { description: 'x'.repeat(100_001) }))
    const findings: FormatFinding[] = []
    const offered = await offeredTools(toolset, 'anthropic', { onFinding: (finding) => findings.push(finding) })
    expect(offered.map(({ name }) => name)).toEqual(['s__good'])
    expect(findings).toMatchObject([{ code: 'tool-left-out', tool: 'long', path: '/description' }])
  })

  test('is one of a single server’s that only the server’s own app may use', async () => {
    const fake = createFakeServer(toolNamed('app', { _meta: { ui: { visibility: ['app'] } } }), 'x')
    const client = createClient(fake.connection)
    expect((await offeredTools(client, 'google')).map(({ name }) => name)).toEqual(['x'])
    expect(await offeredTool(client, 'google', 'app')).toBeUndefined()
    expect(await offeredTools(client, 'google', { appTools: true })).toHaveLength(2)
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
    ['hidden-text', '/title', 'The title holds zero-width characters, which a model does not see'],
    ['hidden-text', '/description', 'The description holds control characters, which a model does not see'],
    ['hidden-text', '/description', 'The description holds directional characters, which a model does not see'],
  ])
})
