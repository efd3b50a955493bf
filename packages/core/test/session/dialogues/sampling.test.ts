// What a server asks a model, and where it may work, in both eras.
import { describe, expect, test } from 'vitest'
import type { Root, SamplingRequest, SamplingResult } from '../../../src/protocol.js'
import { ask, openWith } from '../../support/ask.js'
import { askingServer } from '../../support/asking-server.js'
import { failOnUnhandled } from '../../support/no-unhandled.js'
import { url } from '../../support/open.js'
import { mcpRejection } from '../../support/rejection.js'

failOnUnhandled()

const bytes = new Uint8Array([1, 2, 3])
const sampling = (params: object = {}) => ({
  method: 'sampling/createMessage',
  params: {
    messages: [{ role: 'user', content: { type: 'image', mimeType: 'image/png', data: 'AQID' } }],
    maxTokens: 100,
    ...params,
  },
})
const answer: SamplingResult = { role: 'assistant', model: 'm-1', content: { type: 'text', text: 'a cat' } }

const ring: { [key: string]: unknown } = { type: 'tool_result', toolUseId: '1', content: [] }
;(ring.content as unknown[]).push(ring)

describe.each(['modern', 'legacy'] as const)('%s', (era) => {
  test('a request reaches the hook with bytes, and the hook’s bytes the server as base64', async () => {
    const asked: SamplingRequest[] = []
    const { said, findings } = await ask(era, sampling({ systemPrompt: 'Be kind.' }), {
      async sample(request) {
        asked.push(request)
        return {
          ...answer,
          content: [
            { type: 'text', text: 'this' },
            { type: 'image', mimeType: 'image/png', data: bytes },
          ],
          stopReason: 'endTurn',
          usage: 'not sent',
        } as SamplingResult
      },
    })
    expect(asked).toEqual([
      {
        server: url,
        tool: 'ask',
        messages: [{ role: 'user', content: { type: 'image', mimeType: 'image/png', data: bytes } }],
        maxTokens: 100,
        systemPrompt: 'Be kind.',
      },
    ])
    expect(said).toEqual({
      result: {
        role: 'assistant',
        model: 'm-1',
        content: [
          { type: 'text', text: 'this' },
          { type: 'image', mimeType: 'image/png', data: 'AQID' },
        ],
        stopReason: 'endTurn',
      },
    })
    expect(findings).toEqual([])
  })

  test('tools are offered to the model, and its use of them goes back', async () => {
    const tools = [{ name: 'weather', inputSchema: { type: 'object' } }]
    const content = [
      { type: 'tool_use' as const, id: '1', name: 'weather', input: { city: 'Oslo' } },
      { type: 'tool_use' as const, id: '2', name: 'weather', input: { city: 'Rome' } },
    ]
    const { said } = await ask(era, sampling({ tools, toolChoice: { mode: 'required' } }), {
      sample: async (request) => {
        expect(request).toMatchObject({ tools, toolChoice: { mode: 'required' } })
        return { ...answer, content, stopReason: 'toolUse' }
      },
    })
    expect(said.result).toMatchObject({ content, stopReason: 'toolUse' })
  })

  test('the roots reach the server, and only what belongs to them', async () => {
    const roots = [{ uri: 'file:///home/ada', name: 'Ada', secret: 's' }, { uri: 'file:///tmp' }] as Root[]
    const asked: unknown[] = []
    const { said } = await ask(
      era,
      { method: 'roots/list' },
      {
        async roots(request) {
          asked.push(request)
          return roots
        },
      },
    )
    expect(asked).toEqual([{ server: url }])
    expect(said).toEqual({ result: { roots: [{ uri: 'file:///home/ada', name: 'Ada' }, { uri: 'file:///tmp' }] } })
  })

  test.each<[string, object, object, number, RegExp | undefined]>([
    ['sampling that there is no hook for', sampling(), {}, -32601, undefined],
    ['roots that there is no hook for', { method: 'roots/list' }, {}, -32601, undefined],
    ['a request that is none', sampling({ messages: 'hi' }), { sample: async () => answer }, -32602, undefined],
    [
      'a hook that throws',
      sampling(),
      {
        sample: async () => {
          throw new Error('secret reason')
        },
      },
      -1,
      /hook "sample" threw: secret reason/,
    ],
    [
      'a hook that answers nonsense',
      sampling(),
      { sample: async () => ({ ...answer, content: 'a cat' }) },
      -32603,
      /"sample"/,
    ],
    [
      'a hook that names no model',
      sampling(),
      { sample: async () => ({ ...answer, model: undefined }) },
      -32603,
      /model/,
    ],
    [
      'a hook that answers a ring',
      sampling(),
      { sample: async () => ({ ...answer, content: ring }) },
      -32603,
      /"sample"/,
    ],
    [
      'roots with a number that JSON has not',
      { method: 'roots/list' },
      { roots: async () => [{ uri: 'file:///', _meta: { a: 1n } }] },
      -32603,
      /"roots"/,
    ],
    ['a hook that answers nothing', sampling(), { sample: async () => {} }, -32603, /"sample"/],
    [
      'roots that throw',
      { method: 'roots/list' },
      {
        roots: () => {
          throw new Error('secret reason')
        },
      },
      -32603,
      /hook "roots" threw: secret reason/,
    ],
    [
      'roots on the web',
      { method: 'roots/list' },
      { roots: async () => [{ uri: 'https://a.example' }] },
      -32603,
      /file:/,
    ],
    ['roots that are no list', { method: 'roots/list' }, { roots: async () => 'file:///' }, -32603, /"roots"/],
  ])(
    '%s: an error for the server, a finding for the app, and the session lives on',
    async (_what, question, hooks, code, found) => {
      const { call, connection, findings } = await openWith(
        askingServer(era, { q: question as ReturnType<typeof sampling> }),
        hooks,
      )
      if (era === 'modern') {
        const error = await mcpRejection(call())
        expect(error).toMatchObject({ code: 'ERR_MCP_INPUT_REQUIRED', data: { tool: 'ask', outcome: 'not-run' } })
      } else {
        const { content } = await call()
        const { q } = JSON.parse((content[0] as { text: string }).text)
        expect(q).toEqual({ error: { code, message: expect.any(String) } })
        expect(q.error.message).not.toMatch(/secret/)
      }
      expect(findings.map(({ message }) => message)).toEqual(found ? [expect.stringMatching(found)] : [])
      expect(connection.state.status).toBe('ready')
      expect(await connection.request('tools/list', {})).toEqual({ tools: [] })
    },
  )
})
