// What the contract's server offers beside tools that talk, by the official client's own judgement where it has one.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { completions, displayed, resultMeta, textResource } from '../../src/contract/fixtures.js'
import { type ContractServer, startContractServer } from '../../src/contract/server.js'
import { skillFiles } from '../../src/contract/skill-files.js'
import { connectRawLegacy, connectRawModern, type RawPeer } from '../support/raw-peer.js'

let server: ContractServer
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(() => server.close())

test.each(['modern', 'legacy'] as const)('skills are what the official %s client takes them for', async (era) => {
  const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy'
  const client = new Client({ name: 'peer', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/${era}/mcp`)))
  const skills = new SkillsClient(client)
  const { skills: listed } = await skills.list()
  expect(listed.map(({ uri }) => uri)).toEqual(['skill://greeting/SKILL.md', 'skill://forged/SKILL.md'])
  const [greeting, forged] = listed
  for (const [path, content] of Object.entries(skillFiles.greeting!)) {
    const { bytes, verified } = await skills.read(greeting!, path)
    expect([verified, Buffer.from(bytes)]).toEqual([true, Buffer.from(content)])
  }
  await expect(skills.read(forged!)).rejects.toThrow(SkillVerificationError)
  await client.close()
})

describe.each([
  { era: 'legacy', connect: () => connectRawLegacy(`${server.url}/legacy/mcp`) },
  { era: 'modern', connect: async () => connectRawModern(`${server.url}/modern/mcp`) },
])('$era', ({ connect }) => {
  let peer: RawPeer
  beforeEach(async () => {
    peer = await connect()
  })

  test.each([
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ])('the first item of %s has a title and an icon', async (method, key) => {
    const { result } = await peer.request(method)
    const [first, second] = (result as Record<string, object[]>)[key]!
    expect(first).toMatchObject(displayed)
    expect(second).not.toHaveProperty('title')
  })

  test.each([
    ['tools/call', { name: 'content' }],
    ['resources/read', { uri: textResource.uri }],
    ['prompts/get', { name: 'greet', arguments: { who: 'Ada' } }],
  ])('the result of %s has _meta', async (method, params) => {
    expect((await peer.request(method, params)).result?._meta).toMatchObject(resultMeta)
  })

  test('completions are of their reference, its argument and the others', async () => {
    const complete = async (ref: object, value: string, args?: object) => {
      const params = { ref, argument: { name: 'who', value }, ...(args && { context: { arguments: args } }) }
      const { result } = await peer.request('completion/complete', params)
      return (result as { completion: { values: string[] } }).completion.values
    }
    const prompt = { type: 'ref/prompt', name: 'greet' }
    expect(await complete(prompt, 'A')).toEqual(['Ada', 'Alan'])
    expect(await complete(prompt, 'A', { lang: 'de' })).toEqual(completions.german)
    expect(await complete({ type: 'ref/resource', uri: 'contract://template-01/{id}' }, 'o')).toEqual(
      completions.resource,
    )
  })

  test('progress has a message', async () => {
    const messages: unknown[] = []
    const params = { name: 'progress', arguments: { steps: 2 }, _meta: { progressToken: 7 } }
    for await (const { method, params: sent } of peer.send('tools/call', params))
      if (method === 'notifications/progress') messages.push(sent)
    expect(messages).toMatchObject([
      { progressToken: 7, progress: 1, total: 2, message: 'step 1' },
      { progressToken: 7, progress: 2, total: 2, message: 'step 2' },
    ])
  })
})

test('the log tells what the client can do and which trace the request is of, in both eras', async () => {
  const capabilities = { roots: {} }
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const params = { name: 'echo', arguments: { text: '' }, _meta: { traceparent } }
  const legacy = await connectRawLegacy(`${server.url}/legacy/mcp`, capabilities)
  await legacy.request('tools/call', params)
  await connectRawModern(`${server.url}/modern/mcp`, capabilities).request('tools/call', params)
  const log = await server.control.log()
  expect(log.find(({ method }) => method === 'initialize')).toMatchObject({ capabilities })
  const calls = log.filter(({ method }) => method === 'tools/call')
  expect(calls).toMatchObject([{ traceparent }, { traceparent, capabilities }])
})
