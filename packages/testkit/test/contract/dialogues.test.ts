// What the contract's server asks and says, as it is on the wire: it is right before any client meets it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { logLevels } from '../../src/contract/fixtures.js'
import { formSchema, samplingParams, visitId, visitUrl } from '../../src/contract/questions.js'
import { type ContractServer, startContractServer } from '../../src/contract/server.js'
import { connectRawLegacy, connectRawModern, type RawMessage } from '../support/raw-peer.js'

let server: ContractServer
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(() => server.close())

const legacy = (capabilities?: object) => connectRawLegacy(`${server.url}/legacy/mcp`, capabilities)
const modern = (capabilities?: object) => connectRawModern(`${server.url}/modern/mcp`, capabilities)
const textOf = ({ result }: RawMessage) => (result?.content as { text: string }[] | undefined)?.[0]?.text
const callsOf = async (tool: string) =>
  (await server.control.log()).filter((entry) => entry.kind === 'call' && entry.tool === tool).length

const accepted = { action: 'accept', content: { name: 'Ada' } }
const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'a cat' } }
const rooted = { roots: [{ uri: 'file:///home' }] }
const answers = { form: accepted, url: { action: 'accept' }, sampling: sampled, roots: rooted }
const kinds = Object.keys(answers)

describe('legacy', () => {
  test('a tool asks with requests on the stream of its call', async () => {
    const peer = await legacy()
    const asked: RawMessage[] = []
    const reply = await peer.request('tools/call', { name: 'ask', arguments: { kinds } }, (question) => {
      asked.push(question)
      return [answers.form, answers.url, answers.sampling, answers.roots][asked.length - 1]
    })
    expect(JSON.parse(textOf(reply)!)).toEqual(answers)
    expect(asked).toMatchObject([
      { method: 'elicitation/create', params: { mode: 'form', requestedSchema: formSchema } },
      { method: 'elicitation/create', params: { mode: 'url', url: visitUrl, elicitationId: visitId } },
      { method: 'sampling/createMessage', params: samplingParams },
      { method: 'roots/list' },
    ])
    expect(await callsOf('ask')).toBe(1)
  })

  test('a visit is asked for with -32042 until it was made, and that is announced', async () => {
    const peer = await legacy({ elicitation: { url: {} } })
    const stream = await peer.listen()
    const { error } = await peer.request('tools/call', { name: 'visit' })
    expect(error).toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', url: visitUrl, elicitationId: visitId }] },
    })
    await server.control.act({ do: 'complete-visit' })
    expect((await stream.next()).value).toMatchObject({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: visitId },
    })
    expect(textOf(await peer.request('tools/call', { name: 'visit' }))).toBe('been there')
  })

  test('log messages are those of the level that was set', async () => {
    const peer = await legacy()
    expect(await levelsOf(peer.send('tools/call', { name: 'log' }))).toEqual(logLevels)
    expect((await peer.request('logging/setLevel', { level: 'error' })).result).toEqual({})
    expect(await levelsOf(peer.send('tools/call', { name: 'log' }))).toEqual([
      'error',
      'critical',
      'alert',
      'emergency',
    ])
    expect(await server.control.log()).toContainEqual(expect.objectContaining({ logLevel: 'error' }))
  })

  test('ping is answered', async () => {
    expect((await (await legacy()).request('ping')).result).toEqual({})
  })
})

describe('modern', () => {
  test('a tool asks in rounds, and only the first counts as a call', async () => {
    const peer = modern()
    let inputResponses = {}
    let requestState: unknown
    const asked: string[] = []
    for (;;) {
      const params = {
        name: 'ask',
        arguments: { kinds },
        ...(requestState !== undefined && { inputResponses, requestState }),
      }
      const reply = await peer.request('tools/call', params)
      if (reply.result?.resultType === 'complete') {
        expect(JSON.parse(textOf(reply)!)).toEqual(answers)
        break
      }
      expect(reply.result?.resultType).toBe('input_required')
      const [[key, question]] = Object.entries(reply.result!.inputRequests as object) as [
        [keyof typeof answers, RawMessage],
      ]
      asked.push(`${key}: ${question.method}`)
      inputResponses = { [key]: answers[key] }
      requestState = reply.result!.requestState
    }
    expect(asked).toEqual([
      'form: elicitation/create',
      'url: elicitation/create',
      'sampling: sampling/createMessage',
      'roots: roots/list',
    ])
    expect(await callsOf('ask')).toBe(1)
  })

  test('several questions fit in one round', async () => {
    const { result } = await modern().request('tools/call', { name: 'ask', arguments: { kinds, together: true } })
    expect(Object.keys(result?.inputRequests as object)).toEqual(kinds)
  })

  test('a state that was changed on its way is refused', async () => {
    const peer = modern()
    const params = { name: 'ask', arguments: { kinds: ['form'] } }
    const { result } = await peer.request('tools/call', params)
    const requestState = String(result?.requestState).trim()
    const { error } = await peer.request('tools/call', { ...params, inputResponses: { form: accepted }, requestState })
    expect(error).toMatchObject({ code: -32602 })
  })

  test('log messages are those of the level in the request, and none without', async () => {
    const peer = modern()
    const log = (level?: string) =>
      levelsOf(
        peer.send('tools/call', {
          name: 'log',
          ...(level && { _meta: { 'io.modelcontextprotocol/logLevel': level } }),
        }),
      )
    expect(await log()).toEqual([])
    expect(await log('alert')).toEqual(['alert', 'emergency'])
    expect(await server.control.log()).toContainEqual(expect.objectContaining({ logLevel: 'alert' }))
  })
})

async function levelsOf(messages: AsyncIterable<RawMessage>): Promise<unknown[]> {
  const levels: unknown[] = []
  for await (const { method, params } of messages) if (method === 'notifications/message') levels.push(params?.level)
  return levels
}
