import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { registerServer, resolveAgent, type ServerMap } from '../../src/declarative/index.js'
import type { McpError } from '../../src/errors.js'
import { createFakeServer, rejection } from '../fake-server.js'
import { createServersInMemory } from './servers-in-memory.js'

const tool = (name: string, server: string, toolName: string) =>
  `  - { kind: mcp, name: ${name}, server_url: "${server}", tool_name: ${toolName} }\n`
const agentOf = (...tools: string[]) => `name: assistant\ntools:\n${tools.join('')}`
const read = tool('read', 'stdio://files', 'read_file')
const weather = tool('weather', 'https://weather.example/mcp', 'forecast')

describe('the tools of an agent', () => {
  test('are called by the names of the file, and run under those of their servers', async () => {
    const parts = createServersInMemory()
    const { tools, agent } = await resolveAgent(agentOf(read, weather), { servers: parts.servers, ...parts.opening })
    expect(agent.name).toBe('assistant')
    expect(tools.map(({ name }) => name)).toEqual(['read', 'weather'])
    const result = await tools[0]!.execute({ path: '/a' })
    expect(result.content).toEqual([{ type: 'text', text: 'read_file ran' }])
    expect(parts.files.calls).toMatchObject([{ name: 'read_file', args: { path: '/a' } }])
  })

  test('may be one tool under two names', async () => {
    const parts = createServersInMemory()
    const twice = agentOf(read, tool('look', 'stdio://files', 'read_file'))
    const { tools } = await resolveAgent(twice, { servers: parts.servers, ...parts.opening })
    expect(tools.map(({ name, tool: { name: own } }) => [name, own])).toEqual([
      ['read', 'read_file'],
      ['look', 'read_file'],
    ])
    expect(parts.opened).toEqual(['files'])
  })

  test('have their own server where two URLs differ only in what errors do not tell', async () => {
    const parts = createServersInMemory()
    const mine = createFakeServer('forecast')
    const yours = createFakeServer('forecast')
    registerServer(parts.servers, 'https://weather.example/mcp?key=mine', createClient(mine.connection))
    registerServer(parts.servers, 'https://weather.example/mcp?key=yours', createClient(yours.connection))
    const text = agentOf(
      tool('a', 'https://weather.example/mcp?key=mine', 'forecast'),
      tool('b', 'https://weather.example/mcp?key=yours', 'forecast'),
      tool('c', 'https://weather.example/mcp?key=mine', 'forecast'),
    )
    const { tools } = await resolveAgent(text, { servers: parts.servers, ...parts.opening })
    for (const each of tools) await each.execute()
    expect([mine.calls.length, yours.calls.length]).toEqual([2, 1])
  })
})

describe('servers', () => {
  test('are opened only where a tool names them, and closed with the agent', async () => {
    const parts = createServersInMemory()
    const agent = await resolveAgent(agentOf(weather), { servers: parts.servers, ...parts.opening })
    expect(parts.opened).toEqual(['https://weather.example/mcp'])
    await agent.close()
    expect([parts.weather.closings, parts.files.closings]).toEqual([1, 0])
    await (await resolveAgent(agentOf(read), { servers: parts.servers, ...parts.opening }))[Symbol.asyncDispose]()
    expect(parts.files.closings).toBe(1)
  })

  test('that were open before stay open', async () => {
    const { opening } = createServersInMemory()
    const own = createFakeServer('read_file')
    const servers: ServerMap = new Map()
    registerServer(servers, 'stdio://files', createClient(own.connection))
    const agent = await resolveAgent(agentOf(read), { servers, ...opening })
    await agent.close()
    expect(own.closings).toBe(0)
  })

  test('are closed where the agent has a fault', async () => {
    const parts = createServersInMemory()
    const failing = resolveAgent(agentOf(read, weather, tool('gone', 'stdio://files', 'gone')), {
      servers: parts.servers,
      ...parts.opening,
    })
    expect(await rejection<McpError>(failing)).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { server: 'stdio://files', tool: 'gone' },
    })
    expect([parts.files.closings, parts.weather.closings]).toEqual([1, 1])
  })

  test('are not opened for a file that can’t be read', async () => {
    const parts = createServersInMemory()
    await rejection(resolveAgent(`${agentOf(read)}\t- x: [`, { servers: parts.servers, ...parts.opening }))
    expect(parts.opened).toEqual([])
  })
})

test('options of connecting are handed on, and the tools that they refuse are faults', async () => {
  const parts = createServersInMemory()
  const failing = resolveAgent(agentOf(read), { servers: parts.servers, ...parts.opening, filter: () => false })
  expect((await rejection<McpError>(failing)).message).toContain('refused by the filter')
})

test('an abort is the caller’s own', async () => {
  const parts = createServersInMemory()
  const reason = { why: 'left' }
  const connectAll: typeof parts.opening.connectAll = async (_, options) => {
    options?.signal?.throwIfAborted()
    throw new Error('not aborted')
  }
  const failing = resolveAgent(agentOf(weather), {
    servers: parts.servers,
    connectAll,
    signal: AbortSignal.abort(reason),
  })
  expect(await rejection(failing)).toBe(reason)
})

test('a megabyte of YAML is read, with the right line of a fault at its end', async () => {
  const parts = createServersInMemory()
  const text = `notes:\n${Array.from({ length: 18_000 }, (_, index) => `  - title: "Note ${index}"\n    text: 'Some words, [and] {more}: - yes'\n`).join('')}`
  expect(text.length).toBeGreaterThan(1_000_000)
  const file = `${text}tools:\n${read}${tool('gone', 'stdio://gone', 'x')}`
  const error = await rejection<McpError>(resolveAgent(file, { servers: parts.servers, ...parts.opening }))
  expect(error.data).toMatchObject({ line: 36_004, server: 'stdio://gone', tool: 'x' })
})

test.each([
  ['lists in one line', '- '.repeat(100_000)],
  ['mappings, each a column deeper', Array.from({ length: 1_200 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')],
  ['brackets', `a: ${'['.repeat(100_000)}`],
  ['marks with properties', '- &a !!seq '.repeat(50_000)],
  ['explicit keys', '? '.repeat(100_000)],
])('nesting without end is refused before it is parsed: %s', async (_, text) => {
  const parts = createServersInMemory()
  const error = await rejection<McpError>(
    resolveAgent(text, { file: 'agent.yaml', servers: parts.servers, ...parts.opening }),
  )
  expect(error).toMatchObject({
    code: 'ERR_MCP_CONFIG',
    message: expect.stringMatching(/^agent\.yaml:\d+: it is nested too deeply$/),
  })
})
