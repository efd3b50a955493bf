import { describe, expect, test } from 'vitest'
import type { Era, Finding, Json, JsonObject, Tool } from '../../src/protocol.js'
import { createToolMemory } from '../../src/session/tool-memory.js'

const tool = (properties: JsonObject, more: Partial<Tool> = {}): Tool => ({
  name: 't',
  inputSchema: { type: 'object', properties },
  ...more,
})

function remembering(tools: Tool[], era: Era = 'modern') {
  const memory = createToolMemory(era)
  const findings: Finding[] = []
  const kept = memory.remember(tools, (finding) => findings.push(finding))
  return { memory, findings, kept }
}

const region = { type: 'string', 'x-mcp-header': 'Region' }

test('hidden text is told, and of a name that comes twice the first counts', () => {
  const { memory, findings, kept } = remembering([
    tool({ a: region }),
    tool({}, { annotations: { readOnlyHint: true } }),
    tool({}, { name: 'u', description: 'Ask\u{e0041} me' }),
  ])
  expect(kept).toHaveLength(3)
  expect(findings.map(({ code, path }) => [code, path])).toEqual([
    ['tool-repeated', undefined],
    ['hidden-text', '/description'],
  ])
  expect(memory.isRepeatable('t')).toBe(false)
  expect(memory.headers('t', { a: 'x' })).toEqual({ 'mcp-param-region': 'x' })
})

describe('marked arguments go into headers', () => {
  // Values and encodings of the specification, "Value Encoding".
  test.each<[Json, string | undefined]>([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    [42, '42'],
    [-7, '-7'],
    [true, 'true'],
    [false, 'false'],
    [null, undefined],
    [1.5, undefined],
    [2 ** 53, undefined],
    [['a'], undefined],
    [{ a: 1 }, undefined],
  ])('%j as %j', (value, header) => {
    const { memory } = remembering([tool({ a: region })])
    expect(memory.headers('t', { a: value })).toEqual(header === undefined ? {} : { 'mcp-param-region': header })
  })

  test('from any depth of properties, and only where they are', () => {
    const nested = tool({ a: { type: 'object', properties: { b: { ...region, type: 'integer' } } } })
    const { memory } = remembering([nested])
    expect(memory.headers('t', { a: { b: 5 } })).toEqual({ 'mcp-param-region': '5' })
    for (const args of [{}, { a: 5 }, { a: null }, { b: 5 }, { a: { c: 5 } }] as JsonObject[])
      expect(memory.headers('t', args)).toEqual({})
  })

  test('of tools that were never listed there are none', () => {
    expect(createToolMemory('modern').headers('t', { a: 'x' })).toEqual({})
  })

  test('inherited properties are no arguments', () => {
    const { memory } = remembering([tool({ constructor: region })])
    expect(memory.headers('t', {})).toEqual({})
  })
})

describe('a tool is left out, by its name and the reason, whose mark', () => {
  test.each<[string, JsonObject]>([
    ['is empty', { a: { ...region, 'x-mcp-header': '' } }],
    ['is no string', { a: { ...region, 'x-mcp-header': 5 } }],
    ['is no header name', { a: { ...region, 'x-mcp-header': 'a b' } }],
    ['holds a line break', { a: { ...region, 'x-mcp-header': 'a\r\nb' } }],
    ['is there twice, whatever its case', { a: region, b: { ...region, 'x-mcp-header': 'rEGION' } }],
    ['marks a number', { a: { ...region, type: 'number' } }],
    ['marks an object', { a: { ...region, type: 'object' } }],
    ['marks what has no type', { a: { 'x-mcp-header': 'A' } }],
    ['stands in items', { a: { type: 'array', items: region } }],
    ['stands in anyOf', { a: { anyOf: [region] } }],
    ['stands in a condition', { a: { if: { properties: { b: region } } } }],
    ['stands below a composition', { a: { allOf: [{ properties: { b: region } }] } }],
  ])('%s', (_what, properties) => {
    const other = tool({}, { name: 'other' })
    const { kept, findings, memory } = remembering([tool(properties), other])
    expect(kept).toEqual([other])
    expect(findings).toMatchObject([{ code: 'tool-left-out' }])
    expect(findings[0]!.message).toContain('"t"')
    expect(memory.headers('t', { a: 'x' })).toEqual({})
  })

  test('stands in $defs, or at the root', () => {
    for (const inputSchema of [
      { type: 'object', $defs: { a: region } },
      { ...region, type: 'object' },
    ] as JsonObject[])
      expect(remembering([{ name: 't', inputSchema }]).kept).toEqual([])
  })
})

test('what only looks like a mark is none', () => {
  const properties = {
    'x-mcp-header': { type: 'string' },
    a: { type: 'object', default: { 'x-mcp-header': 5 }, enum: [{ 'x-mcp-header': 5 }] },
  }
  const { kept, memory } = remembering([tool(properties)])
  expect(kept).toHaveLength(1)
  expect(memory.headers('t', { 'x-mcp-header': 'x', a: { 'x-mcp-header': 'y' } })).toEqual({})
})

test('a schema of any depth is looked through without harm', () => {
  let deep: JsonObject = region
  for (let level = 0; level < 100_000; level++) deep = { anyOf: [deep] }
  expect(remembering([tool({ a: deep })]).kept).toHaveLength(1)
})

test('earlier revisions know no marks: a wrong one costs nothing', () => {
  const { kept, memory } = remembering([tool({ a: { ...region, type: 'number' } })], 'legacy')
  expect(kept).toHaveLength(1)
  expect(memory.headers('t', { a: 'x' })).toEqual({})
})

test.each([
  [{ readOnlyHint: true }, true],
  [{ idempotentHint: true }, true],
  [{ readOnlyHint: true, idempotentHint: false }, true],
  [{ readOnlyHint: 'true' as unknown as boolean }, false],
  [{ destructiveHint: false }, false],
  [undefined, false],
])('a tool with the hints %j may run twice: %s', (annotations, expected) => {
  const { memory } = remembering([tool({}, annotations && { annotations })])
  expect(memory.isRepeatable('t')).toBe(expected)
  expect(memory.isRepeatable('unknown')).toBe(false)
})

test('a tool is known as it was listed last, and forgotten when it is gone', () => {
  const { memory } = remembering([tool({ a: region }), tool({ a: region }, { name: 'gone' })])
  memory.remember([tool({ a: { ...region, 'x-mcp-header': 'Zone' } })], () => {})
  expect(memory.headers('t', { a: 'x' })).toEqual({ 'mcp-param-zone': 'x' })
  memory.keepOnly([tool({})])
  expect(memory.headers('t', { a: 'x' })).toEqual({ 'mcp-param-zone': 'x' })
  expect(memory.headers('gone', { a: 'x' })).toEqual({})
})

describe('whether a tool runs as a task', () => {
  const supports = (['required', 'optional', 'forbidden', 'odd', undefined] as const).map((taskSupport) =>
    tool(
      {},
      { name: String(taskSupport), ...(taskSupport && { execution: { taskSupport: taskSupport as 'required' } }) },
    ),
  )
  const names = supports.map(({ name }) => name)
  const supportOf = (memory: ReturnType<typeof createToolMemory>) => names.map((name) => memory.taskSupport(name))

  test('is what its server says, where that runs tasks', () => {
    const memory = createToolMemory('legacy', true)
    expect(supportOf(memory)).toEqual(names.map(() => undefined))
    expect(memory.remember(supports, () => {})).toEqual(supports)
    expect(supportOf(memory)).toEqual(['required', 'optional', 'forbidden', 'forbidden', 'forbidden'])
  })

  test('is for a modern server to decide: no tool is left out', () => {
    const { memory, kept } = remembering(supports)
    expect(kept).toEqual(supports)
    expect(supportOf(memory)).toEqual(names.map(() => 'forbidden'))
  })

  test('that must, where the server runs none, it is left out; and known while the server lists it', () => {
    const memory = createToolMemory('legacy', false)
    const findings: Finding[] = []
    const list = (tools: Tool[]) => {
      const kept = memory.remember(tools, (finding) => findings.push(finding))
      memory.keepOnly(kept)
      return kept.map(({ name }) => name)
    }
    expect(list(supports)).toEqual(names.slice(1))
    expect(findings).toMatchObject([{ code: 'tool-left-out', message: expect.stringContaining('"required"') }])
    expect(memory.taskSupport('required')).toBe('required')
    list(supports.slice(1))
    expect(memory.taskSupport('required')).toBeUndefined()
  })

  test('may change with another handshake', () => {
    const memory = createToolMemory('legacy', false)
    memory.remember(supports, () => {})
    memory.setEra('legacy', true)
    expect(memory.runsTasks).toBe(true)
    expect(memory.taskSupport('required')).toBe('required')
    memory.setEra('modern', false)
    expect(memory.taskSupport('required')).toBeUndefined()
  })
})
