import { readFileSync } from 'node:fs'
import * as core from '@x/core'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import * as web from '../src/index.js'
import { rejection } from './mcp-fetch.js'

test('exports the names of @x/core, so that changing the import is the whole move', () => {
  expect(Object.keys(web).sort()).toEqual(Object.keys(core).sort())
  expect(web.McpError).toBe(core.McpError)
})

test('connect and connectAll take and give the same as those of @x/core', () => {
  expectTypeOf<typeof web.connect>().toEqualTypeOf<typeof core.connect>()
  expectTypeOf<typeof web.connectAll>().toEqualTypeOf<typeof core.connectAll>()
  expectTypeOf<ReturnType<typeof web.createHost>>().toExtend<ReturnType<typeof core.createHost>>()
  expectTypeOf<web.Tool>().toEqualTypeOf<core.Tool>()
})

describe('on a server', () => {
  test('importing it touches nothing', async () => {
    const before = Object.getOwnPropertyNames(globalThis)
    const timeout = vi.spyOn(globalThis, 'setTimeout')
    vi.resetModules()
    await import('../src/index.js')
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(before)
    expect(timeout).not.toHaveBeenCalled()
    timeout.mockRestore()
  })

  test.each([
    ['connect', () => web.connect('https://a.test/mcp')],
    ['a host’s connect', () => web.createHost().connect('https://a.test/mcp')],
  ])('%s says what to do', async (_, connect) => {
    const error = await rejection(connect())
    expect(error).toMatchObject({ code: 'ERR_MCP_HOST', data: { phase: 'load' } })
    expect(error.message).toContain('"@x/core"')
  })

  test('connectAll says so in the state of each server', async () => {
    const toolset = await web.connectAll({ a: 'https://a.test/mcp' })
    expect(toolset.servers.a?.state.error).toMatchObject({ code: 'ERR_MCP_HOST' })
    expect(toolset.servers.a?.state.error?.message).toContain('"@x/core"')
  })
})

test('only the worker’s files are said to have side effects', () => {
  const { sideEffects } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(sideEffects).toEqual(['./dist/worker.js', './dist/worker-bundled.js'])
})
