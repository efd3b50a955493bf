// What the contract's server announces, and what it forgets, on the wire.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { textResource, toolNames } from '../../src/contract/fixtures.js'
import { type ContractServer, startContractServer } from '../../src/contract/server.js'
import { connectRawLegacy, connectRawModern, type RawPeer } from '../support/raw-peer.js'

let server: ContractServer
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(() => server.close())

const legacy = () => connectRawLegacy(`${server.url}/legacy/mcp`)
const modern = async () => connectRawModern(`${server.url}/modern/mcp`)
const everyList = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

async function namesOf(peer: RawPeer): Promise<string[]> {
  const names: string[] = []
  let cursor: string | undefined
  do {
    const { result } = await peer.request('tools/list', cursor === undefined ? {} : { cursor })
    const page = result as { tools: { name: string }[]; nextCursor?: string }
    names.push(...page.tools.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return names
}

describe.each([
  { era: 'legacy', connect: legacy },
  { era: 'modern', connect: modern },
])('$era', ({ era, connect }) => {
  /** A stream that is open: in the later era it begins with what was agreed on. */
  async function listen(peer: RawPeer, notifications: object) {
    const stream = await peer.listen(notifications as Record<string, unknown>)
    if (era === 'modern')
      expect((await stream.next()).value).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications },
      })
    return stream
  }

  test('a list that changes is longer, and announced', async () => {
    const peer = await connect()
    const stream = await listen(peer, everyList)
    for (const list of ['tools', 'resources', 'prompts'] as const) {
      await server.control.act({ do: 'change-list', list })
      expect((await stream.next()).value).toMatchObject({ method: `notifications/${list}/list_changed` })
    }
    expect(await namesOf(peer)).toEqual([...toolNames, 'added'])
    expect((await peer.request('tools/call', { name: 'added' })).result).toMatchObject({ content: [{ text: 'added' }] })
    expect((await peer.request('resources/read', { uri: 'contract://added' })).error).toBeUndefined()
    expect((await peer.request('prompts/get', { name: 'added' })).error).toBeUndefined()
  })

  test('an update is announced to those who subscribed', async () => {
    const peer = await connect()
    const { uri } = textResource
    if (era === 'legacy') expect((await peer.request('resources/subscribe', { uri })).result).toEqual({})
    const stream = await listen(peer, { resourceSubscriptions: [uri] })
    await server.control.waitFor({ kind: 'listening', ...(era === 'modern' && { uri }) })
    await server.control.act({ do: 'update-resource', uri: 'contract://blob' })
    await server.control.act({ do: 'update-resource', uri })
    expect((await stream.next()).value).toMatchObject({ method: 'notifications/resources/updated', params: { uri } })
  })

  test('a stream ends gracefully, or breaks', async () => {
    const peer = await connect()
    const graceful = await listen(peer, everyList)
    await server.control.act({ do: 'end-streams', how: 'graceful' })
    const last = { result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } } }
    expect(await graceful.next()).toMatchObject(era === 'modern' ? { value: last } : { done: true })
    expect(await graceful.next()).toMatchObject({ done: true })
    const broken = await listen(peer, everyList)
    await server.control.act({ do: 'end-streams', how: 'cut' })
    await expect(broken.next()).rejects.toThrow()
  })
})

test('legacy: after unsubscribing nothing is announced', async () => {
  const peer = await legacy()
  const stream = await peer.listen()
  const { uri } = textResource
  await peer.request('resources/subscribe', { uri })
  await peer.request('resources/unsubscribe', { uri })
  await server.control.act({ do: 'update-resource', uri })
  await server.control.act({ do: 'change-list', list: 'tools' })
  expect((await stream.next()).value).toMatchObject({ method: 'notifications/tools/list_changed' })
})

test.each([
  { answer: '404', status: 404, body: { error: { code: -32001 } } },
  { answer: '400', status: 400, body: { error: { message: 'Bad Request: No valid session ID provided' } } },
  { answer: 'bare', status: 200, body: { error: 'Session not found' } },
] as const)('a forgotten session is answered with $answer, and its stream ends', async ({ answer, status, body }) => {
  const peer = await legacy()
  const stream = await peer.listen()
  await server.control.act({ do: 'forget-sessions', answer })
  expect(await stream.next()).toMatchObject({ done: true })
  const response = await peer.post({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: '' } } })
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject(body)
  expect(await server.control.log()).not.toContainEqual(expect.objectContaining({ kind: 'call' }))
  expect((await (await legacy()).request('ping')).result).toEqual({})
})
