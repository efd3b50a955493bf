// The tasks of the contract's server: those of revision 2025-11-25, and those of the extension.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ContractServer, startContractServer } from '../../src/contract/server.js'
import { connectRawLegacy, connectRawModern, type RawMessage, type RawPeer } from '../support/raw-peer.js'

let server: ContractServer
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(() => server.close())

const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const legacy = () => connectRawLegacy(`${server.url}/legacy/mcp`)
const modern = (capabilities: object = declared) => connectRawModern(`${server.url}/modern/mcp`, capabilities)
const release = () => server.control.act({ do: 'release', tool: 'task' })
const accepted = { action: 'accept', content: { name: 'Ada' } }

interface Task extends Record<string, unknown> {
  taskId: string
}

/** Asks until the task is in that state. */
async function reaches(peer: RawPeer, { taskId }: Task, status: string): Promise<Task> {
  for (;;) {
    const { result } = await peer.request('tasks/get', { taskId })
    if (result?.status === status) return result as Task
    expect(['working', 'input_required']).toContain(result?.status)
  }
}

describe('2025-11-25', () => {
  const begin = async (peer: RawPeer, args: object = {}, name = 'task') => {
    const { result } = await peer.request('tools/call', { name, arguments: args, task: { ttl: 60_000 } })
    return result?.task as Task
  }

  test('a task works until it is let go, and then has its result', async () => {
    const peer = await legacy()
    const task = await begin(peer)
    expect(task).toMatchObject({ status: 'working', ttl: 60_000, pollInterval: 20 })
    await reaches(peer, task, 'working')
    await release()
    await reaches(peer, task, 'completed')
    const { result } = await peer.request('tasks/result', { taskId: task.taskId })
    expect(result).toMatchObject({
      content: [{ text: '{}' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } },
    })
  })

  test('a task asks on the stream of its result', async () => {
    const peer = await legacy()
    const task = await begin(peer, { ask: true })
    await reaches(peer, task, 'input_required')
    const asked: RawMessage[] = []
    const reply = peer.request('tasks/result', { taskId: task.taskId }, (question) => {
      asked.push(question)
      return accepted
    })
    await reaches(peer, task, 'working')
    await release()
    expect((await reply).result).toMatchObject({ content: [{ text: JSON.stringify({ form: accepted }) }] })
    expect(asked).toMatchObject([
      {
        method: 'elicitation/create',
        params: { _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } } },
      },
    ])
  })

  test('a tool that fails makes its task fail, and an error is the result’s', async () => {
    const peer = await legacy()
    const failed = await begin(peer, { end: 'error' })
    const refused = await begin(peer, { end: 'rpc-error' })
    await release()
    await reaches(peer, failed, 'failed')
    await reaches(peer, refused, 'failed')
    expect((await peer.request('tasks/result', { taskId: failed.taskId })).result).toMatchObject({ isError: true })
    expect((await peer.request('tasks/result', { taskId: refused.taskId })).error).toMatchObject({ code: -32050 })
  })

  test('a cancelled task stops', async () => {
    const peer = await legacy()
    const { taskId } = await begin(peer)
    expect((await peer.request('tasks/cancel', { taskId })).result).toMatchObject({ status: 'cancelled' })
    await server.control.waitFor({ kind: 'aborted', tool: 'task' })
    expect((await peer.request('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 })
  })

  test('a tool runs as its taskSupport says', async () => {
    const peer = await legacy()
    expect((await peer.request('tools/call', { name: 'task' })).error).toMatchObject({ code: -32601 })
    const wrong = await peer.request('tools/call', { name: 'echo', arguments: { text: '' }, task: {} })
    expect(wrong.error).toMatchObject({ code: -32601 })
    const plain = peer.request('tools/call', { name: 'task-or-not' })
    await server.control.waitFor({ kind: 'call', tool: 'task-or-not' })
    await release()
    expect((await plain).result).toMatchObject({ content: [{ text: '{}' }] })
    expect(await begin(peer, {}, 'task-or-not')).toMatchObject({ status: 'working' })
  })
})

describe('the extension', () => {
  const begin = async (peer: RawPeer, args: object = {}, name = 'task') =>
    (await peer.request('tools/call', { name, arguments: args })).result as Task

  test('a task works until it is let go, and then has its result', async () => {
    const peer = modern()
    const task = await begin(peer)
    expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 60_000, pollIntervalMs: 20 })
    expect(await reaches(peer, task, 'working')).toMatchObject({ resultType: 'complete' })
    await release()
    expect(await reaches(peer, task, 'completed')).toMatchObject({ result: { content: [{ text: '{}' }] } })
  })

  test('a task asks when it is asked, and goes on with the answer', async () => {
    const peer = modern()
    const task = await begin(peer, { ask: true })
    const { taskId } = task
    expect(await reaches(peer, task, 'input_required')).toMatchObject({
      inputRequests: { form: { method: 'elicitation/create' } },
    })
    const answer = { taskId, inputResponses: { unasked: {}, form: accepted } }
    expect((await peer.request('tasks/update', answer)).result).toMatchObject({ resultType: 'complete' })
    await reaches(peer, task, 'working')
    await release()
    const text = JSON.stringify({ form: accepted })
    expect(await reaches(peer, task, 'completed')).toMatchObject({ result: { content: [{ text }] } })
  })

  test('a tool that fails completes its task, and an error fails it', async () => {
    const peer = modern()
    const failing = await begin(peer, { end: 'error' })
    const refused = await begin(peer, { end: 'rpc-error' })
    await release()
    expect(await reaches(peer, failing, 'completed')).toMatchObject({ result: { isError: true } })
    expect(await reaches(peer, refused, 'failed')).toMatchObject({ error: { code: -32050 } })
  })

  test('a cancelled task stops', async () => {
    const peer = modern()
    const task = await begin(peer)
    expect((await peer.request('tasks/cancel', { taskId: task.taskId })).error).toBeUndefined()
    await server.control.waitFor({ kind: 'aborted', tool: 'task' })
    await reaches(peer, task, 'cancelled')
    expect((await peer.request('tasks/get', { taskId: 'no such' })).error).toMatchObject({ code: -32602 })
  })

  test('a client that knows of no tasks gets none', async () => {
    const peer = modern({})
    expect((await peer.request('tools/call', { name: 'task' })).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: declared },
    })
    const plain = peer.request('tools/call', { name: 'task-or-not' })
    await server.control.waitFor({ kind: 'call', tool: 'task-or-not' })
    await release()
    expect((await plain).result).toMatchObject({ resultType: 'complete', content: [{ text: '{}' }] })
  })
})
