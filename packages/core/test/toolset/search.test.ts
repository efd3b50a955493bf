import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/content/tokens.js'
import type { Tool } from '../../src/protocol.js'
import type { Toolset } from '../../src/toolset/toolset.js'
import { createFakeServer, toolNamed } from '../fake-server.js'
import { createSet, thrown, url } from '../fake-set.js'

async function setOf(...tools: Tool[]): Promise<Toolset> {
  const { toolset } = createSet({ s: createFakeServer(...tools) })
  await toolset.add('s', url('s'))
  return toolset
}
const found = (toolset: Toolset, query: string, limit?: number) =>
  toolset.search(query, limit === undefined ? {} : { limit }).map(({ tool }) => tool.name)

const withArguments = (name: string, properties: object) =>
  toolNamed(name, { inputSchema: { type: 'object', properties } as Tool['inputSchema'] })

describe('search', () => {
  test('looks in names, titles, descriptions, arguments and what is said of them, in this order', async () => {
    const toolset = await setOf(
      withArguments('e', { a: { type: 'string', description: 'The invoice' } }),
      toolNamed('d', { description: 'Sends an invoice' }),
      withArguments('c', { invoice: { type: 'string' } }),
      toolNamed('b', { title: 'Invoice' }),
      toolNamed('invoice'),
      toolNamed('other', { description: 'Nothing of the kind' }),
    )
    expect(found(toolset, 'invoice')).toEqual(['invoice', 'b', 'c', 'd', 'e'])
  })

  test.each([
    ['createIssue', 'issue'],
    ['create_issue', 'create'],
    ['list-pull.requests', 'REQUESTS'],
    ['HTTPServerStatus', 'server'],
    ['HTTPServerStatus', 'http'],
    ['get_issues', 'issue'],
    ['get_issue', 'issues'],
    ['search', 'sear'],
    ['Überweisung', 'uberweisung'],
    ['天気予報', '天気'],
    ['v2beta', 'v2'],
  ])('%s is found by %s', async (name, query) => {
    expect(found(await setOf(toolNamed('nothing'), toolNamed(name)), query)).toEqual([name])
  })

  test('a rare word counts more than a frequent one, a whole word more than a beginning', async () => {
    const files = ['read_file', 'write_file', 'move_file'].map((name) => toolNamed(name))
    const toolset = await setOf(
      ...files,
      toolNamed('report'),
      toolNamed('reports_archive'),
      toolNamed('repo'),
      toolNamed('daily_news'),
    )
    expect(found(toolset, 'file daily')[0]).toBe('daily_news')
    expect(found(toolset, 'repo')).toEqual(['repo', 'report', 'reports_archive'])
  })

  test('gives ten, or as many as it is asked for, best first', async () => {
    const toolset = await setOf(...Array.from({ length: 20 }, (_, index) => toolNamed(`file_${index}`)))
    expect(found(toolset, 'file')).toEqual(Array.from({ length: 10 }, (_, index) => `file_${index}`))
    expect(found(toolset, 'file 17', 1)).toEqual(['file_17'])
    expect(found(toolset, 'file', 100)).toHaveLength(20)
    for (const limit of [0, -1, 1.5, Number.NaN])
      expect(thrown(() => toolset.search('file', { limit }))).toMatchObject({ code: 'ERR_MCP_CONFIG' })
  })

  test.each(['', '  ', '?!', 'zebra', '__proto__', 'constructor'])('%j finds nothing', async (query) => {
    expect(found(await setOf(toolNamed('read')), query)).toEqual([])
  })

  test('follows the list, and finds nothing that is not in it', async () => {
    const server = createFakeServer('read_file')
    const { toolset } = createSet({ s: server }, { filter: ({ name }) => name !== 'secret_file' })
    await toolset.add('s', url('s'))
    expect(found(toolset, 'file')).toEqual(['read_file'])
    server.list = () => [toolNamed('write_file'), toolNamed('secret_file')]
    await toolset.refresh()
    expect(found(toolset, 'file')).toEqual(['write_file'])
    await toolset.remove('s')
    expect(found(toolset, 'file')).toEqual([])
  })

  test('of several servers their names count too', async () => {
    const { toolset } = createSet({ a: createFakeServer('search'), b: createFakeServer('search') })
    await toolset.add('github', url('a'))
    await toolset.add('jira', url('b'))
    expect(toolset.search('search jira').map(({ name }) => name)).toEqual(['jira__search', 'github__search'])
  })

  test('a huge, deep and hostile list is read as far as it goes', async () => {
    let deep: Tool['inputSchema'] = { type: 'object', properties: { needle: {} } }
    for (let depth = 0; depth < 5_000; depth++) deep = { type: 'object', properties: { a: deep } }
    const toolset = await setOf(
      toolNamed('deep', { inputSchema: deep }),
      toolNamed('long', { description: `${'hay '.repeat(100_000)} needle` }),
      toolNamed('odd', { inputSchema: { type: 'object', properties: [1, null, 'x'] as never } }),
      toolNamed('needle'),
    )
    expect(found(toolset, 'needle')).toEqual(['needle'])
    expect(found(toolset, `${'word '.repeat(10_000)} needle`)).toEqual([])
  })
})

test('among real tools a question finds the one that is meant', async () => {
  const read = (name: string) => new URL(`fixtures/${name}.tools.json`, import.meta.url)
  const lists = ['memory', 'filesystem', 'kubernetes'].map((name) => JSON.parse(readFileSync(read(name), 'utf8')))
  const toolset = await setOf(...lists.flat())
  expect(found(toolset, 'move or rename a file', 3)).toContain('move_file')
  expect(found(toolset, 'logs of a pod', 3)).toContain('pods_log')
  expect(found(toolset, 'add observations to an entity', 3)).toContain('add_observations')
})

test('what a list costs a model is the sum of what its tools do', async () => {
  const { toolset } = createSet({ a: createFakeServer('read'), b: createFakeServer(toolNamed('write')) })
  expect(toolset.estimatedTokens).toBe(0)
  await toolset.add('a', url('a'))
  const one = toolset.estimatedTokens
  expect(one).toBe(estimateTokens({ name: 'a__read', description: '', inputSchema: { type: 'object' } }))
  await toolset.add('b', url('b'))
  expect(toolset.estimatedTokens).toBeGreaterThan(one)
  await toolset.remove('a')
  expect(toolset.estimatedTokens).toBe(
    estimateTokens({ name: 'b__write', description: '', inputSchema: { type: 'object' } }),
  )
})
