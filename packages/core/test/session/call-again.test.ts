// When a call is sent again, seen from the wire: never where its tool may have run twice.
import { describe, expect, test } from 'vitest'
import type { ServerConfig } from '../../src/config.js'
import { byteSource, eventStreamType } from '../support/byte-source.js'
import { legacyServer, methodsSent, modernServer, reply, rpcError } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const done = (sent: Sent) => reply(sent, { content: [{ type: 'text', text: 'done' }] })
const calls = (sent: Sent[]) => sent.filter(({ body }) => body?.method === 'tools/call')

const losses: [string, () => Response | Promise<Response>][] = [
  ['by the network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['with a cut stream', () => new Response(byteSource([': hi\n\n'], 'break').body, { headers: eventStreamType })],
  ['with an ended stream', () => new Response(': hi\n\n', { headers: eventStreamType })],
]

describe.each([
  ['modern', modernServer],
  ['legacy', legacyServer],
])('a reply of a %s server that is lost', (_era, server) => {
  /** Lists a tool with these hints and calls it; its first reply is lost. */
  async function losing(lose: () => Response | Promise<Response>, annotations: object, config: Partial<ServerConfig>) {
    let asked = 0
    const { opening, sent } = open(
      server({
        'tools/list': (request) =>
          reply(request, { tools: [{ name: 't', inputSchema: { type: 'object' }, annotations }] }),
        'tools/call': (request) => (asked++ === 0 ? lose() : done(request)),
      }),
      { config },
    )
    const connection = await opening
    await connection.request('tools/list', {})
    return { call: connection.request('tools/call', { name: 't' }), sent }
  }

  test.each(losses)(
    '%s: what only reads, or may run twice, is called again, of a trusted server',
    async (_how, lose) => {
      for (const hints of [{ readOnlyHint: true }, { idempotentHint: true }]) {
        const { call, sent } = await losing(lose, hints, { trusted: true })
        expect(await call).toMatchObject({ content: [{ text: 'done' }] })
        const ids = calls(sent).map(({ body }) => body?.id)
        expect(new Set(ids).size, 'under a new id').toBe(2)
      }
    },
  )

  test.each(losses)('%s: anything else is not', async (_how, lose) => {
    for (const [hints, config] of [
      [{ readOnlyHint: true, idempotentHint: true }, {}],
      [{ readOnlyHint: true }, { trusted: false }],
      [{ destructiveHint: false }, { trusted: true }],
      [{}, { trusted: true }],
    ] as const) {
      const { call, sent } = await losing(lose, hints, config)
      expect(await mcpRejection(call)).toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN', data: { outcome: 'unknown' } })
      expect(calls(sent)).toHaveLength(1)
    }
  })
})

describe('headers that a modern server refuses', () => {
  const mark = { type: 'string', 'x-mcp-header': 'Region' }
  const tool = (name: string) => ({ name, inputSchema: { type: 'object', properties: { region: mark } } })
  const args = { name: 't', arguments: { region: 'eu' } }
  const check = (sent: Sent) =>
    sent.headers.get('mcp-param-region') === 'eu'
      ? done(sent)
      : rpcError(sent, -32020, 'no', undefined, { status: 400 })

  test('are learnt from the list, and the call is sent once more', async () => {
    const parts = open(
      modernServer({ 'tools/list': (sent) => reply(sent, { tools: [tool('t')] }), 'tools/call': check }),
    )
    const connection = await parts.opening
    for (let time = 0; time < 2; time++)
      expect(await connection.request('tools/call', args)).toMatchObject({ content: [{ text: 'done' }] })
    expect(methodsSent(parts)).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call', 'tools/call'])
  })

  test('are the error where the list does not help, or can’t be had: nothing ran', async () => {
    for (const list of [
      (sent: Sent) => reply(sent, { tools: [tool('other')] }),
      () => new Response(null, { status: 500 }),
      () => Promise.reject(new TypeError('Failed to fetch')),
    ]) {
      const parts = open(modernServer({ 'tools/list': list, 'tools/call': check }))
      const connection = await parts.opening
      expect(await mcpRejection(connection.request('tools/call', args))).toMatchObject({
        code: 'ERR_MCP_JSONRPC',
        data: { rpcCode: -32020, outcome: 'not-run', tool: 't' },
      })
      expect(methodsSent(parts).filter((method) => method === 'tools/list')).toHaveLength(1)
    }
  })
})

test('a session that the server forgot is told so, and a method that it doesn’t know is not', async () => {
  for (const [answer, expected] of [
    [
      () => new Response(null, { status: 404 }),
      { code: 'ERR_MCP_HTTP', data: { reason: 'session', outcome: 'not-run' } },
    ],
    [
      (sent: Sent) => rpcError(sent, -32001, 'Session not found', undefined, { status: 404 }),
      { code: 'ERR_MCP_HTTP', data: { reason: 'session', outcome: 'not-run' } },
    ],
    [
      (sent: Sent) => rpcError(sent, -32601, 'Method not found', undefined, { status: 404 }),
      { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32601, outcome: 'not-run' } },
    ],
  ] as const) {
    const { opening, sent } = open(legacyServer({ 'tools/call': answer }), { config: { reinitialize: false } })
    const connection = await opening
    expect(await mcpRejection(connection.request('tools/call', { name: 't' }))).toMatchObject(expected)
    expect(calls(sent)).toHaveLength(1)
  }
})
