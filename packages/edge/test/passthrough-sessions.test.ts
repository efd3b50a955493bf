import { connect } from '@x/core'
import { type ContractServer, startContractServer } from '@x/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eras, rpcRequest } from './support/json-rpc.js'
import { acknowledge, type RecordingUpstream, startRecordingUpstream } from './support/recording-upstream.js'
import { type RunningGateway, startGateway, tokens } from './support/start-gateway.js'

const path = '/servers/notes/mcp'
const post = rpcRequest('legacy', 'ping')

let session: string | undefined
let upstream: RecordingUpstream
let contract: ContractServer
let gateway: RunningGateway

beforeAll(async () => {
  upstream = await startRecordingUpstream((request) => {
    const response = acknowledge(request)
    if (session !== undefined) response.headers.set('mcp-session-id', session)
    return response
  })
  contract = await startContractServer()
  const notes = { url: `${upstream.url}/mcp` }
  const [modern, legacy] = eras.map((era) => ({ url: `${contract.url}/${era}/mcp` }))
  gateway = await startGateway({ servers: { notes, mail: notes, modern: modern!, legacy: legacy! } })
})

beforeEach(async () => {
  session = undefined
  upstream.requests.length = 0
  await contract.control.reset()
})

afterAll(async () => {
  await gateway?.stop()
  await Promise.all([upstream, contract].map((server) => server?.close()))
})

describe('sessions', () => {
  test('are kept, under an id of the gateway’s: POST, GET and DELETE', async () => {
    session = 'session.1'
    const opened = await gateway.fetch(path, rpcRequest('legacy', 'initialize'))
    const given = opened.headers.get('mcp-session-id')!
    expect(given).toMatch(/^session\.1\.[A-Za-z0-9_-]{43}$/)
    for (const init of [
      post,
      { method: 'GET', headers: { accept: 'text/event-stream', 'last-event-id': '7' } },
      { method: 'DELETE' },
    ]) {
      const response = await gateway.fetch(path, { ...init, headers: { ...init.headers, 'mcp-session-id': given } })
      expect(response.ok).toBe(true)
      expect(upstream.requests.at(-1)).toMatchObject({
        method: init.method,
        headers: { 'mcp-session-id': 'session.1' },
      })
    }
    expect(upstream.requests.find(({ method }) => method === 'GET')!.headers['last-event-id']).toBe('7')
  })

  test.each(['forged', 'session.1', `session.1.${'A'.repeat(43)}`, ''])(
    'a forged id is 404, which makes a client begin anew: %j',
    async (given) => {
      const response = await gateway.fetch(path, { ...post, headers: { ...post.headers, 'mcp-session-id': given } })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32001, message: 'Session not found' },
      })
      expect(upstream.requests).toEqual([])
    },
  )

  test('an id of one server is none of another’s', async () => {
    session = 's'
    const given = (await gateway.fetch(path, rpcRequest('legacy', 'initialize'))).headers.get('mcp-session-id')!
    upstream.requests.length = 0
    const headers = { ...post.headers, 'mcp-session-id': given }
    expect((await gateway.fetch('/servers/mail/mcp', { ...post, headers })).status).toBe(404)
    expect(upstream.requests).toEqual([])
  })
})

describe('a real server', () => {
  test.each(eras)('serves the client of this workspace: %s', async (era) => {
    const client = await connect({
      url: `${gateway.url}/servers/${era}/mcp`,
      auth: { type: 'bearer', token: tokens.ada },
    })
    expect(client.state.server).toMatchObject({ name: 'contract', era })
    expect((await client.listResources()).length).toBe(22)
    const seen: number[] = []
    await client.callTool('progress', { steps: 4 }, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3, 4])
    await client.close()
    const sessions = new Set((await contract.control.log()).flatMap(({ sessionId }) => sessionId ?? []))
    expect(sessions.size).toBe(era === 'legacy' ? 1 : 0)
    if (era === 'legacy') await contract.control.waitFor({ kind: 'request', httpMethod: 'DELETE' })
  })

  test('a cancellation reaches it in the era of sessions', async () => {
    const client = await connect({
      url: `${gateway.url}/servers/legacy/mcp`,
      auth: { type: 'bearer', token: tokens.ada },
    })
    const abort = new AbortController()
    const call = client.callTool('hang', {}, { signal: abort.signal })
    await contract.control.waitFor({ kind: 'call', tool: 'hang' })
    abort.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await contract.control.waitFor({ kind: 'aborted', tool: 'hang' })
    await client.close()
  })
})
