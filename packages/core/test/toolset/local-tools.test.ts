import { describe, expect, test, vi } from 'vitest'
import type { CallToolResult } from '../../src/protocol.js'
import { type LocalTool, localTools } from '../../src/toolset/local-tools.js'
import { createToolset } from '../../src/toolset/toolset.js'
import { deferred, rejection } from '../fake-server.js'
import { createSet, namesOf, thrown } from '../fake-set.js'

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
const local = (execute: LocalTool['execute'], more: Partial<LocalTool> = {}): LocalTool => ({
  name: 'show',
  description: 'Shows a text',
  inputSchema,
  execute,
  ...more,
})

async function setOf(...tools: LocalTool[]) {
  const { toolset } = createSet({})
  await toolset.add('page', localTools(tools))
  return toolset
}
const resultOf = async (execute: LocalTool['execute']) => (await setOf(local(execute))).call('page__show')

describe('functions of the app', () => {
  test('are a server like any other', async () => {
    const execute = vi.fn(({ text }) => `shown: ${text}`)
    const toolset = await setOf(
      local(execute, { title: 'Show' }),
      local(() => '', { name: 'hide it' }),
    )
    expect(namesOf(toolset)).toEqual(['page__show', expect.stringMatching(/^page__hide_it_[0-9]/)])
    expect(toolset.tools[0]).toMatchObject({ server: 'page', title: 'Show', description: 'Shows a text' })
    expect(toolset.tools[0]!.tool).toEqual({ name: 'show', title: 'Show', description: 'Shows a text', inputSchema })
    const result = await toolset.call('page__show', { text: 'hello' })
    expect(result).toEqual({ content: [{ type: 'text', text: 'shown: hello' }], findings: [] })
    expect(execute).toHaveBeenCalledExactlyOnceWith({ text: 'hello' }, { signal: expect.any(AbortSignal) })
    expect(toolset.servers.page).toMatchObject({ state: { status: 'ready' }, leftOut: [], missing: [], held: [] })
  })

  test('are believed: their hints are the app’s own', async () => {
    const toolset = await setOf(local(() => '', { annotations: { readOnlyHint: true, openWorldHint: false } }))
    expect(toolset.tools[0]?.hints).toEqual({
      readOnly: true,
      parallel: true,
      retry: true,
      destructive: false,
      openWorld: false,
    })
  })

  test('come and go at run time', async () => {
    const toolset = await setOf(local(() => 'x'))
    const handle = toolset.tool('page', 'show')
    await toolset.remove('page')
    expect(toolset.tools).toEqual([])
    expect(await rejection(handle.execute())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(await rejection(toolset.call('page__show'))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await toolset.add('page', localTools([local(() => 'y')]))
    expect((await toolset.call('page__show')).content).toEqual([{ type: 'text', text: 'y' }])
  })

  test('may be in two sets, and stay in one when they leave the other', async () => {
    const tools = localTools([local(() => 'x')])
    const [one, other] = [createSet({}).toolset, createSet({}).toolset]
    await one.add('page', tools)
    await other.add('here', tools)
    await one.close()
    expect((await other.call('here__show')).content).toEqual([{ type: 'text', text: 'x' }])
  })

  test('have no lists but of tools', async () => {
    const { client } = (await setOf(local(() => ''))).servers.page!
    expect([await client!.listResources(), await client!.listPrompts(), await client!.listResourceTemplates()]).toEqual(
      [[], [], []],
    )
    expect(await rejection(client!.readResource('a:b'))).toMatchObject({ code: 'ERR_MCP_JSONRPC' })
    expect(await rejection(client!.callTool('nothing'))).toMatchObject({ code: 'ERR_MCP_TOOL_NAME' })
  })

  test('are called with a copy, and may be methods', async () => {
    const tool = {
      ...local(() => ''),
      greeting: 'hello',
      execute(this: { greeting: string }, args: { text?: unknown }) {
        args.text = 'changed'
        return this.greeting
      },
    }
    const toolset = await setOf(tool as LocalTool)
    const args = { text: 'mine' }
    expect((await toolset.call('page__show', args)).content).toEqual([{ type: 'text', text: 'hello' }])
    expect(args.text).toBe('mine')
  })
})

describe('what a function gives', () => {
  const text = (said: string) => ({ type: 'text' as const, text: said })
  const image = { type: 'image' as const, mimeType: 'image/png', data: new Uint8Array([1]) }
  const json = (value: unknown) => ({ content: [text(JSON.stringify(value))], structuredContent: value, findings: [] })
  test.each<[what: string, given: unknown, result: unknown]>([
    ['a string', 'done', { content: [text('done')], findings: [] }],
    ['an empty string', '', { content: [text('')], findings: [] }],
    ['nothing', undefined, { content: [], findings: [] }],
    ['blocks', [text('a'), image], { content: [text('a'), image], findings: [] }],
    ['a result', { content: [text('no')], isError: true }, { content: [text('no')], isError: true, findings: [] }],
    ['an object', { city: 'Oslo', degrees: 3 }, json({ city: 'Oslo', degrees: 3 })],
    ['a list', [1, 2], json([1, 2])],
    ['an empty list', [], json([])],
    ['a list in which something is no block', [text('a'), { type: 'text' }], json([text('a'), { type: 'text' }])],
    ['an object with other content', { content: ['a'] }, json({ content: ['a'] })],
    ['null', null, json(null)],
    ['a number', 7, json(7)],
    ['false', false, json(false)],
  ])('%s', async (_, given, result) => {
    expect(await resultOf(() => given as string)).toEqual(result)
    expect(await resultOf(async () => given as string)).toEqual(result)
  })

  test.each<[what: string, execute: LocalTool['execute'], message: RegExp]>([
    [
      'a throw',
      () => {
        throw new Error('no such file')
      },
      /^no such file$/,
    ],
    ['a rejection', () => Promise.reject(new TypeError('bad')), /^bad$/],
    ['a thrown text', () => Promise.reject('plain'), /^plain$/],
    ['an error without words', () => Promise.reject(new Error('')), /^The tool failed/],
    ['a function', () => (() => 1) as unknown as string, /function/],
    ['a bigint', () => 1n as unknown as string, /BigInt/],
    ['one in a result', () => ({ content: [], structuredContent: 1n }) as unknown as CallToolResult, /BigInt/],
  ])('%s is the tool’s own error, which the model is told', async (_, execute, message) => {
    const { content, isError } = (await resultOf(execute)) as CallToolResult
    expect(isError).toBe(true)
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(message) }])
  })
})

describe('a call ends', () => {
  async function running(setTimer?: (ms: number, run: () => void) => () => void) {
    const [begun, result] = [deferred<AbortSignal>(), deferred<string>()]
    const toolset = createToolset(() => Promise.reject(new Error('no server')), {}, setTimer)
    const execute: LocalTool['execute'] = (_, { signal }) => {
      begun.resolve(signal)
      return result.promise
    }
    await toolset.add('page', localTools([local(execute)]))
    return { toolset, signal: begun.promise, result }
  }

  test('with the caller’s abort, and the function is told', async () => {
    const { toolset, signal } = await running()
    const abort = new AbortController()
    const called = rejection(toolset.call('page__show', {}, { signal: abort.signal }))
    await signal
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await called).toBe(reason)
    expect((await signal).reason).toBe(reason)
  })

  test('before it began, when it was aborted before', async () => {
    const execute = vi.fn(() => 'x')
    const toolset = await setOf(local(execute))
    const reason = new Error('enough')
    expect(await rejection(toolset.call('page__show', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(execute).not.toHaveBeenCalled()
  })

  test('with the set', async () => {
    const { toolset, signal } = await running()
    const called = rejection(toolset.call('page__show'))
    await signal
    await toolset.close()
    expect(await called).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: 'page', outcome: 'unknown' } })
    expect((await signal).aborted).toBe(true)
  })

  test('at its deadline, where it has one', async () => {
    const timers: [ms: number, run: () => void][] = []
    const cancelled = vi.fn()
    const { toolset, signal, result } = await running((ms, run) => {
      timers.push([ms, run])
      return cancelled
    })
    const late = rejection(toolset.call('page__show', {}, { timeoutMs: 50, idleTimeoutMs: 20 }))
    await signal
    expect(timers.map(([ms]) => ms)).toEqual([20])
    timers[0]![1]()
    expect(await late).toMatchObject({
      code: 'ERR_MCP_TIMEOUT',
      data: { server: 'page', tool: 'show', method: 'tools/call', limit: 20, outcome: 'unknown' },
    })
    result.resolve('x')
    await toolset.call('page__show', {}, { timeoutMs: null })
    expect(timers).toHaveLength(1)
    expect(cancelled).toHaveBeenCalledOnce()
  })
})

describe('a wrong definition is a ConfigError that names the tool', () => {
  const fine = local(() => '')
  const ring: { [key: string]: unknown } = { type: 'object' }
  ring.ring = ring
  test.each<[what: string, tools: unknown[], key: string, named: string]>([
    ['no name', [{ ...fine, name: undefined }], 'name', 'number 1'],
    ['an empty name', [fine, { ...fine, name: '' }], 'name', 'number 2'],
    ['nothing', [undefined], 'name', 'number 1'],
    ['a name twice', [fine, fine], 'name', 'show'],
    ['no function', [{ ...fine, execute: 'x' }], 'execute', 'show'],
    ['a title that is no text', [{ ...fine, title: 1 }], 'title', 'show'],
    ['a description that is no text', [{ ...fine, description: {} }], 'description', 'show'],
    ['no schema', [{ ...fine, inputSchema: undefined }], 'inputSchema', 'show'],
    ['a schema of a string', [{ ...fine, inputSchema: { type: 'string' } }], 'inputSchema', 'show'],
    ['a schema that is a ring', [{ ...fine, inputSchema: ring }], 'inputSchema', 'show'],
    ['a result schema that is none', [{ ...fine, outputSchema: true }], 'outputSchema', 'show'],
    ['hints that are none', [{ ...fine, annotations: [] }], 'annotations', 'show'],
  ])('%s', (_, tools, key, named) => {
    const error = thrown(() => localTools(tools as LocalTool[]))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key, tool: named } })
    expect(error.message).toContain(`"${named}"`)
  })

  test('what is changed later is not heard', async () => {
    const tool = local(() => 'x')
    const tools = localTools([tool])
    tool.name = ''
    ;(tool.inputSchema as { type: string }).type = 'string'
    const { toolset } = createSet({})
    await toolset.add('page', tools)
    expect(toolset.tools[0]?.tool).toMatchObject({ name: 'show', inputSchema: { type: 'object' } })
  })
})
