import { expect, test, vi } from 'vitest'
import { createClient } from '../src/client.js'
import type { ConnectionEvent, EventFilter, McpConnection, RequestOptions } from '../src/connection.js'
import type { Skill } from '../src/protocol.js'

/** A port that writes down what it is asked, and answers with what it is given. */
function createPort(result: object = {}) {
  const requests: unknown[][] = []
  const listening: { filter: EventFilter; listener: (event: ConnectionEvent) => void }[] = []
  const port: McpConnection = {
    state: { status: 'ready' },
    request: async (...args: unknown[]) => {
      requests.push(args)
      return result as never
    },
    listen(filter, listener) {
      const entry = { filter, listener }
      listening.push(entry)
      return () => void listening.splice(listening.indexOf(entry), 1)
    },
    authorize: vi.fn(async () => {}),
    close: vi.fn(async () => {}),
  }
  return { port, requests, listening, emit: (event: ConnectionEvent) => listening.map((each) => each.listener(event)) }
}

const options: RequestOptions = { timeoutMs: 7, meta: { a: 1 } }
const skill: Skill = { uri: 'skill://s/SKILL.md', frontmatter: { name: 's', description: 'd' }, resources: 'dynamic' }
const ref = { type: 'ref/prompt', name: 'p' } as const

test.each<[call: Parameters<typeof run>[0], result: object, request: unknown[], value: unknown]>([
  [(c) => c.listTools(options), { tools: [1] }, ['tools/list', {}, options], [1]],
  [(c) => c.callTool('t'), { content: [] }, ['tools/call', { name: 't', arguments: {} }, undefined], { content: [] }],
  [
    (c) => c.callTool('t', { a: 1 }, options),
    { content: [] },
    ['tools/call', { name: 't', arguments: { a: 1 } }, options],
    { content: [] },
  ],
  [(c) => c.listResources(options), { resources: [1] }, ['resources/list', {}, options], [1]],
  [(c) => c.listResourceTemplates(options), { resourceTemplates: [1] }, ['resources/templates/list', {}, options], [1]],
  [
    (c) => c.readResource('a://b', options),
    { contents: [] },
    ['resources/read', { uri: 'a://b' }, options],
    { contents: [] },
  ],
  [(c) => c.listPrompts(options), { prompts: [1] }, ['prompts/list', {}, options], [1]],
  [(c) => c.getPrompt('p'), { messages: [] }, ['prompts/get', { name: 'p' }, undefined], { messages: [] }],
  [
    (c) => c.getPrompt('p', { who: 'me' }, options),
    { messages: [] },
    ['prompts/get', { name: 'p', arguments: { who: 'me' } }, options],
    { messages: [] },
  ],
  [
    (c) => c.complete(ref, { name: 'who', value: 'A' }, { arguments: { x: 'y' } }, options),
    { completion: { values: ['Ada'] } },
    [
      'completion/complete',
      { ref, argument: { name: 'who', value: 'A' }, context: { arguments: { x: 'y' } } },
      options,
    ],
    { values: ['Ada'] },
  ],
  [(c) => c.listSkills(options), { skills: [1] }, ['skills/list', {}, options], [1]],
  [(c) => c.readSkill(skill), { text: 's' }, ['skills/read', { skill }, undefined], { text: 's' }],
  [
    (c) => c.readSkill(skill, 'references/A.md', options),
    { text: 'a' },
    ['skills/read', { skill, ref: 'references/A.md' }, options],
    { text: 'a' },
  ],
  [
    (c) => c.complete(ref, { name: 'who', value: 'A' }),
    { completion: { values: [] } },
    ['completion/complete', { ref, argument: { name: 'who', value: 'A' } }, undefined],
    { values: [] },
  ],
])('a method is one request: %s', async (call, result, request, value) => {
  const { requests, given } = await run(call, result)
  expect(requests).toEqual([request])
  expect(given).toEqual(value)
})

async function run(call: (client: ReturnType<typeof createClient>) => Promise<unknown>, result: object) {
  const { port, requests } = createPort(result)
  return { requests, given: await call(createClient(port)) }
}

test('state is the port’s of this moment', () => {
  const { port } = createPort()
  const client = createClient(port)
  const next = { status: 'recovering' } as const
  Object.assign(port, { state: next })
  expect(client.state).toBe(next)
})

test('disposing closes', async () => {
  const { port } = createPort()
  {
    await using _client = createClient(port)
  }
  expect(port.close).toHaveBeenCalledOnce()
})

test.each<[type: Parameters<ReturnType<typeof createClient>['on']>[0], filter: EventFilter]>([
  ['state', { state: true }],
  ['list-changed', { lists: true }],
  ['log', { log: 'debug' }],
  ['wire', { wire: 'bodies' }],
  ['authorization', { authorization: true }],
  ['finding', {}],
])('on("%s") asks for these events and delivers no other', (type, filter) => {
  const { port, listening, emit } = createPort()
  const heard: string[] = []
  const stop = createClient(port).on(type, (event) => heard.push(event.type))
  expect(listening.map((each) => each.filter)).toEqual([filter])
  emit({ type: 'finding', finding: { code: 'c', message: 'm' } })
  emit({ type: 'state', state: { status: 'closed' } })
  emit({ type: 'list-changed', list: 'tools' })
  emit({ type: 'log', level: 'info', data: 1 })
  emit({ type: 'authorization', step: 'asked' })
  emit({ type: 'wire', phase: 'end', exchange: 1, httpMethod: 'POST', at: 0 })
  expect(heard).toEqual([type])
  stop()
  expect(listening).toEqual([])
})
