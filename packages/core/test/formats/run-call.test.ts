import { describe, expect, test, vi } from 'vitest'
import { createClient } from '../../src/client.js'
import { DeniedError, McpError } from '../../src/errors.js'
import { runCall } from '../../src/formats/run-call.js'
import type { CallToolResult } from '../../src/protocol.js'
import type { ToolHandle } from '../../src/toolset/tools.js'
import { createFakeServer, rejection, toolNamed } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'

const connected = async (...names: string[]) => {
  const fake = createFakeServer(...names)
  const { toolset } = createSet({ s: fake })
  await toolset.add('s', url('s'))
  return { fake, toolset }
}
const run = (source: Parameters<typeof runCall>[0], name: string, args?: unknown, options = {}) =>
  runCall(source, { name, arguments: args }, 'google', options)
const errorOf = (outcome: CallToolResult | McpError): McpError => {
  if (!McpError.is(outcome)) throw new Error('it did not fail')
  return outcome
}

describe('the arguments of a model', () => {
  test.each<[what: string, given: unknown, args: object]>([
    ['JSON text', '{"a":1}', { a: 1 }],
    ['an object', { a: 1 }, { a: 1 }],
    ['a name that objects have', '{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
    ['nothing', undefined, {}],
    ['an empty text', '', {}],
    ['white space', ' \n', {}],
    ['null', null, {}],
    ['the text null', 'null', {}],
  ])('%s reaches the tool', async (_, given, args) => {
    const { fake, toolset } = await connected('x')
    expect(await run(toolset, 's__x', given)).toMatchObject({ outcome: { findings: [] }, tool: 'x', server: 's' })
    expect(fake.calls.map((call) => call.args)).toEqual([args])
  })

  test.each<[what: string, given: unknown, said: string]>([
    ['broken JSON', '{"a":', 'are not valid JSON'],
    ['a list', '[1]', 'are no JSON object'],
    ['a list that is none of text', [1], 'are no JSON object'],
    ['a number', '7', 'are no JSON object'],
    ['a truth', true, 'are no JSON object'],
  ])('%s is told, and the tool is not run', async (_, given, said) => {
    const { fake, toolset } = await connected('x')
    const error = errorOf((await run(toolset, 's__x', given)).outcome)
    expect(error).toMatchObject({ code: 'ERR_MCP_TOOL', data: { outcome: 'not-run', reason: 'arguments' } })
    expect(error.message).toContain(said)
    expect(fake.calls).toEqual([])
  })

  test('are adapted to the tool, which is known by then', async () => {
    const { fake, toolset } = await connected('x')
    await runCall(toolset, { name: 's__x', arguments: '{"a":null}' }, 'openai-strict', {}, (args, { tool }) => ({
      ...args,
      of: tool.name,
    }))
    expect(fake.calls[0]?.args).toEqual({ a: null, of: 'x' })
  })
})

describe('what goes wrong is the outcome', () => {
  test('a name that a model made up', async () => {
    const { fake, toolset } = await connected('x')
    const outcomes = await Promise.all(
      ['x', 'toString', '__proto__', `s__x${'!'.repeat(1000)}`].map((name) => run(toolset, name, '{}')),
    )
    for (const { outcome } of outcomes) {
      expect(errorOf(outcome)).toMatchObject({ code: 'ERR_MCP_TOOL_NAME', data: { outcome: 'not-run' } })
      expect(errorOf(outcome).message.length).toBeLessThan(100)
    }
    expect(fake.calls).toEqual([])
  })

  test('a server that has left, of handles from before', async () => {
    const { toolset } = await connected('x')
    const handles = toolset.tools
    await toolset.remove('s')
    expect((await run(handles, 's__x')).outcome).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect((await run(toolset, 's__x')).outcome).toMatchObject({ code: 'ERR_MCP_TOOL_NAME' })
  })

  test('a single server that can’t be asked for its tools', async () => {
    const fake = createFakeServer('x')
    const client = createClient(fake.connection)
    await client.close()
    expect((await run(client, 'x')).outcome).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  })

  const throwing = (error: unknown): ToolHandle[] => [
    {
      ...{ name: 's__x', server: 's', title: 'x', description: '', tool: toolNamed('x'), findings: [] },
      hints: { readOnly: false, parallel: false, retry: false, destructive: true, openWorld: true },
      execute: async () => {
        throw error
      },
    },
  ]

  test('an error of this family, as it is', async () => {
    const error = new DeniedError('no')
    expect((await run(throwing(error), 's__x')).outcome).toBe(error)
  })

  test('anything else without its words, which go to the console', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const cause = new Error('the password is hunter2')
    const error = errorOf((await run(throwing(cause), 's__x')).outcome)
    expect(error).toMatchObject({ code: 'ERR_MCP_TOOL', cause, data: { outcome: 'unknown' } })
    expect(error.message).not.toContain('hunter2')
    expect(log).toHaveBeenCalledExactlyOnceWith(cause)
    log.mockRestore()
  })

  test('but an abort of the caller’s, which is thrown', async () => {
    const { fake, toolset } = await connected('x')
    const reason = new Error('stop')
    expect(await rejection(run(toolset, 's__x', '{}', { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(fake.calls).toEqual([])
    const abort = new AbortController()
    const handles = throwing(reason).map((handle) => ({
      ...handle,
      execute: async () => {
        abort.abort(reason)
        throw new DeniedError('too late')
      },
    }))
    expect(await rejection(run(handles, 's__x', '{}', { signal: abort.signal }))).toBe(reason)
  })
})

test('hands on what belongs to the call', async () => {
  const { fake, toolset } = await connected('x')
  const options = { signal: new AbortController().signal, timeoutMs: null, meta: { trace: 'a' } }
  await run(toolset, 's__x', '{}', options)
  await run(toolset, 's__x', '{}')
  expect(fake.calls.map((call) => call.options)).toEqual([options, {}])
})
