import { describe, expect, test } from 'vitest'
import { toModelOutput } from '../../src/content/model-output.js'
import type { CompletionReference, Progress } from '../../src/protocol.js'
import { legacyServer, methodsSent, modernServer, reply, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const icons = [{ src: 'https://server.example/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'dark' }]

describe.each([
  ['modern', modernServer],
  ['legacy', legacyServer],
] as const)('with a %s server', (era, server) => {
  test('a ping is a question that every server of its era answers', async () => {
    const method = era === 'modern' ? 'server/discover' : 'ping'
    const parts = open(era === 'modern' ? server() : server({ ping: (sent) => reply(sent, {}) }))
    const connection = await parts.opening
    expect(await connection.request('ping', {})).toEqual({})
    expect(methodsSent(parts).at(-1)).toBe(method)
  })

  test.each<[CompletionReference]>([
    [{ type: 'ref/prompt', name: 'p' }],
    [{ type: 'ref/resource', uri: 'file:///{path}' }],
  ])('%j is completed, with what was chosen before', async (ref) => {
    const completion = { values: ['rs', 'rust'], total: 20, hasMore: true }
    const { opening, sent } = open(server({ 'completion/complete': (sent) => reply(sent, { completion }) }))
    const params = { ref, argument: { name: 'a', value: 'r' }, context: { arguments: { b: 'c' } } }
    expect(await (await opening).request('completion/complete', params)).toEqual({ completion })
    expect(sent.at(-1)!.body!.params).toMatchObject(params)
  })

  test('a completion that is none is an error; what is no text is left out of one', async () => {
    const answers: object[] = [{}, { completion: { values: ['a', 1, null], total: null, hasMore: 'no' } }]
    const { opening } = open(server({ 'completion/complete': (sent) => reply(sent, answers.shift()!) }))
    const connection = await opening
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } } as const
    expect(await mcpRejection(connection.request('completion/complete', params))).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason: 'shape', method: 'completion/complete' },
    })
    expect(await connection.request('completion/complete', params)).toEqual({ completion: { values: ['a'] } })
  })

  test('progress is told with its message', async () => {
    const told = { progress: 1, total: 2, message: 'half' }
    const stream = (sent: Sent) => {
      const { progressToken } = sent.body!.params!._meta as { progressToken: number }
      const messages = [
        { method: 'notifications/progress', params: { progressToken, ...told } },
        { id: sent.body!.id, result: { resultType: 'complete', content: [] } },
      ]
      const text = messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join('')
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const { opening } = open(server({ 'tools/call': stream }))
    const seen: Progress[] = []
    await (await opening).request('tools/call', { name: 't' }, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([told])
  })

  test('icons, titles and _meta of all that is listed are kept', async () => {
    const shown = { title: 'Title', icons, _meta: { 'example.com/a': 1 } }
    const lists = {
      'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' }, ...shown }] },
      'resources/list': { resources: [{ uri: 'a://b', name: 'b', ...shown }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a://{b}', name: 'b', ...shown }] },
      'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'a', title: 'A' }], ...shown }] },
    }
    const answers = Object.entries(lists).map(([method, list]) => [
      method,
      (sent: Sent) => reply(sent, { ...list, ttlMs: 0, cacheScope: 'private' }),
    ])
    const { opening } = open(server(Object.fromEntries(answers)))
    const connection = await opening
    for (const [method, list] of Object.entries(lists))
      expect(await connection.request(method as keyof typeof lists, {})).toMatchObject(list)
  })

  test('what the server shows of itself is kept', async () => {
    const info = {
      ...serverInfo,
      title: 'Title',
      icons,
      websiteUrl: 'https://server.example',
      description: 'It serves',
    }
    const { opening } = open(
      server({
        initialize: (sent) => reply(sent, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: info }),
        'server/discover': (sent) =>
          era === 'legacy'
            ? new Response(null, { status: 400 })
            : reply(sent, {
                supportedVersions: ['2026-07-28'],
                capabilities: {},
                ttlMs: 0,
                cacheScope: 'private',
                _meta: { 'io.modelcontextprotocol/serverInfo': info },
              }),
      }),
    )
    expect((await opening).state.server).toMatchObject(info)
  })

  test('_meta of a result is for the app, and no model sees it', async () => {
    const secret = { 'example.com/secret': 'for the app only' }
    const content = [
      { type: 'text', text: 'a', _meta: secret },
      { type: 'image', mimeType: 'image/png', data: '', _meta: secret },
      { type: 'resource_link', uri: 'a://b', name: 'b', _meta: secret },
      { type: 'resource', resource: { uri: 'a://b', text: 'c', _meta: secret }, _meta: secret },
    ]
    const { opening } = open(server({ 'tools/call': (sent) => reply(sent, { content, _meta: secret }) }))
    const result = await (await opening).request('tools/call', { name: 't' })
    expect(result._meta).toEqual(secret)
    expect(result.content).toMatchObject(content.map(() => ({ _meta: secret })))
    expect(JSON.stringify(toModelOutput(result))).not.toContain('for the app only')
  })

  test('a trace goes along with each request', async () => {
    const meta = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
      tracestate: 'vendor=1',
      baggage: 'user=1',
    }
    const { opening, sent } = open(server())
    const connection = await opening
    for (const [method, params] of [
      ['tools/call', { name: 't' }],
      ['tools/list', {}],
    ] as const) {
      await connection.request(method, params as never, { meta })
      expect(sent.at(-1)!.body).toMatchObject({ method, params: { _meta: meta } })
    }
  })
})
