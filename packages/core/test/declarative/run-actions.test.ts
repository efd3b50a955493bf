import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.js'
import { readActions, runActions, type ToolAction } from '../../src/declarative/index.js'
import { type McpError, OutcomeUnknownError } from '../../src/errors.js'
import type { CallToolResult, Json } from '../../src/protocol.js'
import { createFakeServer, type FakeServer, rejection } from '../fake-server.js'
import { createServersInMemory } from './servers-in-memory.js'

const action = (toolName: string, more: Partial<ToolAction> = {}): ToolAction => ({
  kind: 'invoke_mcp_tool',
  serverUrl: toolName === 'forecast' ? 'https://weather.example/mcp' : 'stdio://files',
  toolName,
  ...more,
})

/** Servers whose tools answer in their turn. */
function createAnswering(...answers: (Partial<CallToolResult> | Error)[]) {
  const parts = createServersInMemory()
  for (const server of [parts.files, parts.weather]) {
    const { request } = server.connection
    server.connection.request = async (method, params, options) => {
      const result = await request(method, params, options)
      if (method !== 'tools/call') return result
      const answer = answers.shift() ?? {}
      if (answer instanceof Error) throw answer
      return { content: [], findings: [], ...answer } as never
    }
  }
  const run = (actions: ToolAction[], more: Partial<Parameters<typeof runActions>[1]> = {}) =>
    runActions(actions, { servers: parts.servers, ...parts.opening, ...more })
  return { ...parts, run }
}

const text = (value: string): Partial<CallToolResult> => ({ content: [{ type: 'text', text: value }] })
const argsOf = ({ calls }: FakeServer) => calls.map(({ args }) => args)

describe('results', () => {
  test('are what a model would be given, bound by name, and used by later actions', async () => {
    const { run, files, weather } = createAnswering(
      text('Rain, 7 °C'),
      { structuredContent: { path: '/a' } },
      text('ok'),
    )
    const bound = await run([
      action('forecast', { arguments: { city: 'Oslo' }, output: { result: 'weather' } }),
      action('read_file', { arguments: { query: 'Oslo: ${weather}' }, output: { result: 'found' } }),
      action('write_file', { arguments: { path: '${found.path}', content: ['${weather}'] } }),
    ])
    expect(bound).toEqual({ weather: 'Rain, 7 °C', found: '{"path":"/a"}' })
    expect(argsOf(weather)).toEqual([{ city: 'Oslo' }])
    expect(argsOf(files)).toEqual([{ query: 'Oslo: Rain, 7 °C' }, { path: '/a', content: ['Rain, 7 °C'] }])
  })

  test('may have the names that objects have by themselves', async () => {
    const { run, files } = createAnswering(text('one'), text('two'))
    const bound = await run([
      action('read_file', { output: { result: '__proto__' } }),
      action('read_file', { arguments: { x: '${__proto__}' }, output: { result: 'constructor' } }),
    ])
    expect(Object.entries(bound)).toEqual([
      ['__proto__', 'one'],
      ['constructor', 'two'],
    ])
    expect(argsOf(files)[1]).toEqual({ x: 'one' })
  })

  test('are told as they come', async () => {
    const told: [number, Json][] = []
    const { run } = createAnswering(text('one'), text('two'))
    await run([action('read_file'), action('forecast')], { onResult: ({ index, value }) => told.push([index, value]) })
    expect(told).toEqual([
      [0, 'one'],
      [1, 'two'],
    ])
  })
})

describe('references', () => {
  const variables = {
    list: [{ id: 7 }, null],
    json: '{"a":{"b":[true]},"__proto__":1}',
    text: 'plain',
    number: 5,
    empty: '',
  }
  test.each<[string, Json, Json]>([
    ['a whole value keeps its type', '${list}', [{ id: 7 }, null]],
    ['a number stays one', '${number}', 5],
    ['within a text it is text', 'n=${number}, l=${list}', 'n=5, l=[{"id":7},null]'],
    ['a path goes into lists and objects', '${list.0.id}', 7],
    ['and ends at null', '${list.1}', null],
    ['and into text that is JSON', '${json.a.b.0}', true],
    ['own keys alone', '${json.__proto__}', 1],
    ['an escaped one is left', '$${text} is ${text}', '${text} is plain'],
    ['without an end there is none', '${text', '${text'],
    ['nothing is evaluated', '${text}${number}+1', 'plain5+1'],
    ['an empty text is one', '<${empty}>', '<>'],
    ['in depth', { a: [{ b: '${number}' }] }, { a: [{ b: 5 }] }],
  ])('%s', async (_, given, expected) => {
    const { run, files } = createAnswering()
    await run([action('read_file', { arguments: { given } })], { variables })
    expect(argsOf(files)).toEqual([{ given: expected }])
  })

  test('that never end are none, however many begin', async () => {
    const { run, files } = createAnswering()
    const given = `<\${number}>${'${'.repeat(200_000)}`
    await run([action('read_file', { arguments: { given } })], { variables })
    expect(argsOf(files)).toEqual([{ given: given.replace('${number}', '5') }])
  })

  test.each([
    ['a list without a bottom', `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, '${deep.0}'],
    ['the same as text', `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, '<${deep.0}>'],
  ])('into %s are a typed error', async (_, deep, given) => {
    const { run, files } = createAnswering()
    const error = await rejection<McpError>(
      run([action('read_file', { arguments: { given } })], { variables: { deep } }),
    )
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { outcome: 'not-run', key: 'actions.0' } })
    expect(files.calls).toEqual([])
  })

  test('are copies: a tool that changes its arguments changes no result', async () => {
    const { run, files } = createAnswering()
    await run([action('read_file', { arguments: { a: '${list}', b: '${list}' } })], { variables })
    const [{ a, b }] = argsOf(files) as [{ a: Json; b: Json }]
    expect(a).toEqual(b)
    expect(a).not.toBe(b)
    expect(a).not.toBe(variables.list)
  })

  test.each(['${text.x}', '${list.length}', '${list.2}', '${json.a.toString}', '${json.}', '${number.toFixed}'])(
    '%s leads to nothing, and the tool is not run',
    async (reference) => {
      const { run, files } = createAnswering()
      const error = await rejection<McpError>(run([action('read_file', { arguments: { reference } })], { variables }))
      expect(error).toMatchObject({
        code: 'ERR_MCP_CONFIG',
        data: { outcome: 'not-run', key: 'actions.0', tool: 'read_file' },
      })
      expect(files.calls).toEqual([])
    },
  )

  test('that put results into one another come to an end', async () => {
    const { run } = createAnswering()
    const large = 'x'.repeat(1_000_000)
    const error = await rejection<McpError>(
      run([action('read_file', { arguments: { a: '${l}${l}${l}${l}${l}' } })], { variables: { l: large } }),
    )
    expect(error.message).toContain('more than 4194304 characters')
  })
})

describe('before the first action is run', () => {
  test('everything that is wrong is told, and nothing was run', async () => {
    const { run, files, weather } = createAnswering()
    const error = await rejection<McpError>(
      run([
        action('read_file', { id: 'first' }),
        action('gone'),
        action('forecast', { serverUrl: 'https://else.example/mcp' }),
        action('read_file', { arguments: { x: '${later}' } }),
      ]),
    )
    expect(error.data.errors?.map(({ message }) => message)).toEqual([
      'action 3 refers to "later", which no earlier action has as its result',
      'the server "https://else.example/mcp" of the tool "forecast" is not there: register it',
      'There is no tool "gone" on the server "stdio://files"',
    ])
    expect([files.calls, weather.calls, files.closings]).toEqual([[], [], 1])
  })

  test('an abort ends it', async () => {
    const { run, files } = createAnswering()
    const reason = { why: 'left' }
    const abort = new AbortController()
    const running = run([action('read_file'), action('write_file')], {
      signal: abort.signal,
      onResult: () => abort.abort(reason),
    })
    expect(await rejection(running)).toBe(reason)
    expect(files.calls.map(({ name }) => name)).toEqual(['read_file'])
  })
})

describe('an action that fails', () => {
  test('ends the run with its error, which names it and its outcome', async () => {
    const lost = new OutcomeUnknownError('The reply was lost', { data: { outcome: 'unknown', method: 'tools/call' } })
    const { run, files, weather } = createAnswering(text('one'), lost)
    const error = await rejection<McpError>(
      run([action('read_file'), action('forecast', { id: 'look' }), action('write_file')]),
    )
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({
      message: 'action "look" failed: The reply was lost',
      cause: lost,
      data: {
        outcome: 'unknown',
        key: 'actions.1',
        server: 'https://weather.example/mcp',
        tool: 'forecast',
        method: 'tools/call',
      },
    })
    expect([files.calls.length, weather.calls.length]).toEqual([1, 1])
    expect([files.closings, weather.closings]).toEqual([1, 1])
  })

  test('by its own result has run', async () => {
    const { run } = createAnswering({ isError: true, content: [{ type: 'text', text: 'No such file' }] })
    const actions = readActions('- kind: invoke_mcp_tool\n  serverUrl: stdio://files\n  toolName: read_file\n', {
      file: 'flow.yaml',
    })
    expect(await rejection(run(actions))).toMatchObject({
      code: 'ERR_MCP_TOOL',
      message: expect.stringMatching(/^flow\.yaml:1: action 0 failed: .*No such file$/),
      data: { outcome: 'ran', file: 'flow.yaml', line: 1, server: 'stdio://files', tool: 'read_file' },
    })
  })

  test('leaves clients open that were open before', async () => {
    const { run, servers } = createAnswering()
    const own = createFakeServer('read_file')
    servers.set('stdio://files', createClient(own.connection))
    await run([action('read_file')])
    expect([own.calls.length, own.closings]).toEqual([1, 0])
  })
})
