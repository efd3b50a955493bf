import type { ElicitationRequest, ElicitationResult, Root, SamplingRequest, SamplingResult } from '@x/core/client'
import type { TestTool } from '@x/core/testing'
import { describe, expect, test } from 'vitest'
import { deferred, rejection } from './mcp-fetch.js'
import { createTestHost, hostOfTools, url } from './test-host.js'

/** A tool that asks one question of its caller's and gives the answer as its text. */
const asking = (...question: Parameters<Parameters<NonNullable<TestTool['execute']>>[1]['ask']>): TestTool => ({
  name: 'ask',
  execute: async (_, call) => JSON.stringify(await call.ask(...question)),
})
const params = {
  message: 'Which city?',
  requestedSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 3 } },
  },
}
const form = asking('elicitation/create', params)
const said = ({ content }: { content: unknown[] }) => JSON.parse((content[0] as { text: string }).text)

describe('a question of a server', () => {
  test('is put to the page’s hook, as its method, and the answer reaches the server', async () => {
    const { host, server } = hostOfTools(form)
    const asked: ElicitationRequest[] = []
    const hooks = {
      city: 'Oslo',
      async elicit(request: ElicitationRequest): Promise<ElicitationResult> {
        asked.push(request)
        return { action: 'accept', content: { city: this.city } }
      },
    }
    const client = await host.connect(url, hooks)
    expect(said(await client.callTool('ask'))).toEqual({ action: 'accept', content: { city: 'Oslo', days: 3 } })
    expect(asked).toEqual([{ server: url, tool: 'ask', mode: 'form', ...params }])
    expect(server.runs('ask')).toBe(1)
    for (const { params } of server.received)
      expect(params?._meta).toMatchObject({
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
      })
  })

  test('may be answered with a framework’s proxy', async () => {
    const { host } = hostOfTools(form)
    const content = new Proxy({ city: 'Oslo' }, {})
    const client = await host.connect(url, { elicit: async () => new Proxy({ action: 'accept', content }, {}) })
    expect(said(await client.callTool('ask'))).toMatchObject({ content: { city: 'Oslo' } })
  })

  test.each<[string, () => Promise<ElicitationResult>]>([
    ['throws', async () => Promise.reject(new Error('no dialogue here'))],
    ['gives what can’t cross', async () => ({ action: 'accept', content: { city: () => 'Oslo' } }) as never],
  ])('is declined when the hook %s, and the page hears why', async (_what, elicit) => {
    const { host } = hostOfTools(form)
    const findings: string[] = []
    const client = await host.connect(url, {
      elicit,
      onEvent: (event) => void (event.type === 'finding' && findings.push(event.finding.code)),
    })
    expect(said(await client.callTool('ask'))).toEqual({ action: 'decline' })
    expect(findings).toEqual(['hook-failed'])
  })

  test('of a call that the page gives up: the call rejects at once, and a late answer goes nowhere', async () => {
    const { host, server } = hostOfTools(form, { name: 'done' })
    const answer = deferred<ElicitationResult>()
    const { promise: asked, resolve } = deferred()
    const elicit = () => {
      resolve()
      return answer.promise
    }
    const client = await host.connect(url, { elicit })
    const abort = new AbortController()
    const call = rejection(client.callTool('ask', {}, { signal: abort.signal }))
    await asked
    abort.abort('enough')
    expect(await call).toBe('enough')
    answer.resolve({ action: 'accept' })
    await client.callTool('done')
    const called = server.received.filter(({ method }) => method === 'tools/call')
    expect(called.map(({ name }) => name)).toEqual(['ask', 'done'])
  })
})

test('bytes cross in a request for sampling and in its answer', async () => {
  const image = { type: 'image', mimeType: 'image/png' }
  const { host } = hostOfTools(
    asking('sampling/createMessage', {
      messages: [{ role: 'user', content: { ...image, data: 'AQID' } }],
      maxTokens: 10,
    }),
  )
  const asked: SamplingRequest[] = []
  const client = await host.connect(url, {
    async sample(request): Promise<SamplingResult> {
      asked.push(request)
      const data = new Uint8Array([4, 5, 6])
      return { role: 'assistant', model: 'm', content: { type: 'image', mimeType: 'image/png', data } }
    },
  })
  expect(said(await client.callTool('ask'))).toEqual({
    role: 'assistant',
    model: 'm',
    content: { ...image, data: 'BAUG' },
  })
  expect(asked[0]?.messages).toEqual([{ role: 'user', content: { ...image, data: new Uint8Array([1, 2, 3]) } }])
})

test('the page names the roots', async () => {
  const { host } = hostOfTools(asking('roots/list'))
  const roots: Root[] = [{ uri: 'file:///home/ada', name: 'Ada' }]
  const client = await host.connect(url, { roots: async ({ server }) => (server === url ? roots : []) })
  expect(said(await client.callTool('ask'))).toEqual({ roots })
})

test('what the page has no hook for is an error with its class', async () => {
  // As a server does that asks without looking whether it may.
  const question = { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } } }
  const { host } = createTestHost({ ask: () => question })
  const client = await host.connect(url)
  expect(await rejection(client.callTool('ask'))).toMatchObject({
    name: 'InputRequiredError',
    code: 'ERR_MCP_INPUT_REQUIRED',
    data: { server: url, tool: 'ask', outcome: 'not-run' },
  })
})
