import { readFile } from 'node:fs/promises'
import { type ContractServer, startContractServer } from '@x/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHost } from '../../src/in-process.js'
import { providers } from './providers.js'

let server: ContractServer
const host = createHost()
beforeAll(async () => {
  server = await startContractServer()
})
afterAll(async () => {
  await host.close()
  await server.close()
})

describe.each(providers)(
  'a loop of the real SDK against a real server, $name',
  ({ run, marksFailures, told, toolNames }) => {
    const failure = (text: unknown) => (marksFailures ? { error: text } : text)

    test.each(['modern', 'legacy'])('calls tools, tells of failures, and goes on, %s', async (era) => {
      const toolset = await host.connectAll({ s: `${server.url}/${era}/mcp` })
      const { bodies } = await run(
        toolset,
        [
          ['1', 's__echo', { text: 'hi' }],
          ['2', 's__fail'],
          ['3', 's__rpc-error'],
          ['4', 's__nowhere'],
        ],
        [['5', 's__add', { a: 1, b: 2 }]],
        'done',
      )
      expect(bodies).toHaveLength(3)
      expect(told(bodies[1]!)).toEqual({
        1: 'hi',
        2: failure('The tool "fail" failed: the disk is full'),
        3: failure(expect.stringMatching(/-32050.*the contract refuses/)),
        4: failure(expect.stringMatching(/(There is no|call unavailable) tool .s__nowhere/)),
      })
      expect(told(bodies[2]!)['5']).toBe('{"sum":3}')
      await toolset.close()
    })

    test('a server that dies in the middle takes nothing along but its tools', async () => {
      const dying = await startContractServer()
      const toolset = await host.connectAll({ dies: `${dying.url}/legacy/mcp`, lives: `${server.url}/legacy/mcp` })
      const { bodies } = await run(
        toolset,
        [['1', 'dies__echo', { text: 'hi' }]],
        async () => {
          await dying.close()
          return [
            ['2', 'dies__echo', { text: 'hi' }],
            ['3', 'lives__echo', { text: 'still here' }],
          ]
        },
        'done',
      )
      expect(told(bodies[2]!)).toEqual({
        1: 'hi',
        2: failure(expect.stringMatching(/network failed/)),
        3: 'still here',
      })
      await toolset.close()
    })

    test('the list at each step is that of the moment', async () => {
      const toolset = await host.connectAll({ s: `${server.url}/modern/mcp` })
      const { bodies } = await run(
        toolset,
        async () => {
          await toolset.add('late', `${server.url}/modern/mcp`)
          return [['1', 's__echo', { text: 'hi' }]]
        },
        async () => {
          await toolset.remove('late')
          return [['2', 'late__echo', { text: 'hi' }]]
        },
        'done',
      )
      const isListed = bodies.map((body) => toolNames(body).includes('late__echo'))
      expect(isListed).toEqual([false, true, false])
      expect(toolNames(bodies[2]!)).toEqual(toolset.tools.map((tool) => tool.name))
      // The AI SDK runs what it was given before: the server has left since.
      const gone = expect.stringMatching(/There is no tool "late__echo"|The server "late" has left/)
      expect(told(bodies[2]!)['2']).toEqual(failure(gone))
      await toolset.close()
    })
  },
)

test.each(['openai', 'anthropic', 'google', 'ai-sdk'])('the examples of %s are these loops', async (format) => {
  const linesOf = (text: string) => text.split('\n').map((line) => line.trim())
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
  const loops = linesOf(await read('./loops.ts')).join('\n')
  const docs = (await read(`../../src/formats/${format}.ts`)).replaceAll(/^ \* ?/gm, '')
  const examples = [...docs.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => linesOf(code!.trim()).join('\n'))
  expect(examples).toHaveLength(format === 'openai' ? 2 : 1)
  for (const example of examples) expect(loops).toContain(example)
})
