import { type RequestHandler, type ScriptedServer, silence, startScriptedServer } from '@x/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eras, type RpcAnswer, rpc } from './support/json-rpc.js'
import { type GatewaySetup, type RunningGateway, startGateway, tokens } from './support/start-gateway.js'
import { startToolServer, type ToolServer } from './support/tool-server.js'

const inputSchema = { type: 'object' }
/** All that a revision may put into a tool, and more than this gateway knows. */
const rich = {
  name: 'rich',
  title: 'Rich',
  description: 'Has everything.',
  icons: [{ src: 'https://icons.example/rich.png', mimeType: 'image/png', sizes: ['48x48'] }],
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { city: { type: 'string', 'x-mcp-header': 'City' }, tree: { $ref: '#/$defs/tree' } },
    $defs: { tree: { type: 'object', properties: { of: { type: 'array', items: { $ref: '#/$defs/tree' } } } } },
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { ok: { const: true } } },
  annotations: {
    title: 'Rich',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  // For the server’s own app only: which the caller’s client shows, and its model doesn’t.
  _meta: { 'example/colour': 'red', ui: { visibility: ['app'] } },
  'x-later': { revision: '2027' },
}
const list = { name: 'list', inputSchema, outputSchema: { type: 'array', items: { type: 'number' } } }

let notes: ToolServer
let mail: ToolServer
/** Accepts connections and never answers. */
let mute: ScriptedServer
let running: RunningGateway | undefined

beforeAll(async () => {
  notes = await startToolServer(
    [rich, list, { name: 'read', inputSchema }, { name: 'wipe', inputSchema }],
    (name, params) => {
      if (name === 'list') return { content: [], structuredContent: [1, 2] }
      if (name === 'rich') return { content: [], _meta: { 'example/seen': params._meta ?? null } }
      return { content: [{ type: 'text', text: name }] }
    },
  )
  mail = await startToolServer([{ name: 'read', inputSchema }], () => ({ content: [] }))
  mute = await startScriptedServer(silence as RequestHandler)
})

beforeEach(() => {
  notes.asked.length = 0
  mail.asked.length = 0
})

afterEach(async () => {
  await running?.stop()
  running = undefined
})

afterAll(async () => {
  await Promise.all([notes, mail, mute].map((server) => server?.close()))
})

async function start(setup: Partial<GatewaySetup> = {}): Promise<RunningGateway> {
  running = await startGateway({ servers: { notes: { url: notes.url }, mail: { url: mail.url } }, ...setup })
  return running
}

const namesOf = ({ reply }: RpcAnswer) => (reply.result.tools as { name: string }[]).map(({ name }) => name).sort()
const bob = { authorization: `Bearer ${tokens.bob}` }
const dead = { url: 'http://127.0.0.1:1/mcp' }

describe('tools', () => {
  test.each(eras)('pass unchanged but for their name, also what no revision knows yet: %s', async (era) => {
    const { reply } = await rpc(await start(), '/mcp', era, 'tools/list')
    expect(reply.result.tools).toContainEqual({ ...rich, name: 'notes__rich' })
  })

  test.each(eras)(
    'of servers whose names no provider takes, or only cut, are called by the name in the list: %s',
    async (era) => {
      const long = 'a-name-that-leaves-no-room-for-the-name-of-a-tool-behind-itself'
      const gateway = await start({
        servers: { '7notes': { url: notes.url }, [long]: { url: mail.url }, a__b: { url: mail.url } },
      })
      const listed = namesOf(await rpc(gateway, '/mcp', era, 'tools/list'))
      expect(listed).toHaveLength(6)
      for (const name of listed) {
        expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
        expect((await rpc(gateway, '/mcp', era, 'tools/call', { name, arguments: {} })).reply.error).toBeUndefined()
      }
      const called = [...notes.asked, ...mail.asked].filter((asked) => asked.startsWith('tools/call')).sort()
      expect(called).toEqual(['list', 'read', 'read', 'read', 'rich', 'wipe'].map((name) => `tools/call ${name}`))
    },
  )

  test('structured content that is no object is wrapped for earlier revisions, as is its schema', async () => {
    const gateway = await start()
    for (const era of eras) {
      const { reply } = await rpc(gateway, '/mcp', era, 'tools/list')
      const { outputSchema } = (reply.result.tools as (typeof list)[]).find(({ name }) => name === 'notes__list')!
      const called = await rpc(gateway, '/mcp', era, 'tools/call', { name: 'notes__list', arguments: {} })
      const { structuredContent } = called.reply.result
      if (era === 'modern') expect([outputSchema, structuredContent]).toEqual([list.outputSchema, [1, 2]])
      else {
        expect(outputSchema).toMatchObject({ type: 'object', properties: { result: list.outputSchema } })
        expect(structuredContent).toEqual({ result: [1, 2] })
      }
    }
  })

  test('tools.allow and tools.deny leave tools out and refuse their calls', async () => {
    const gateway = await start({
      servers: {
        notes: { url: notes.url, tools: { deny: ['wipe'] } },
        mail: { url: mail.url, tools: { allow: ['none'] } },
      },
    })
    expect(namesOf(await rpc(gateway, '/mcp', 'modern', 'tools/list'))).toEqual([
      'notes__list',
      'notes__read',
      'notes__rich',
    ])
    for (const name of ['notes__wipe', 'mail__read']) {
      const { reply } = await rpc(gateway, '/mcp', 'modern', 'tools/call', { name, arguments: {} })
      expect(reply.error).toMatchObject({ code: -32602, data: { code: 'ERR_MCP_TOOL_NAME', outcome: 'not-run' } })
    }
    expect([...notes.asked, ...mail.asked].filter((asked) => asked.startsWith('tools/call'))).toEqual([])
  })

  test('authorize leaves tools out for one caller, and refuses the call', async () => {
    const gateway = await start({
      forbidden: ['bob notes tools/list wipe', 'bob notes tools/call wipe', 'bob mail * *'],
    })
    expect(namesOf(await rpc(gateway, '/mcp', 'modern', 'tools/list', {}, bob))).toEqual([
      'notes__list',
      'notes__read',
      'notes__rich',
    ])
    expect(namesOf(await rpc(gateway, '/mcp', 'modern', 'tools/list'))).toContain('notes__wipe')
    for (const [name, server] of [
      ['notes__wipe', 'notes'],
      ['mail__read', 'mail'],
    ]) {
      const { reply } = await rpc(gateway, '/mcp', 'modern', 'tools/call', { name, arguments: {} }, bob)
      expect(reply.error).toMatchObject({
        code: -32600,
        data: { code: 'ERR_GATEWAY_DENIED', server, outcome: 'not-run' },
      })
    }
    expect([...notes.asked, ...mail.asked].filter((asked) => asked.startsWith('tools/call'))).toEqual([])
    const own = await rpc(gateway, '/mcp', 'modern', 'tools/call', { name: 'notes__wipe', arguments: {} })
    expect(own.reply.result.content).toEqual([{ type: 'text', text: 'wipe' }])
  })
})

describe('a dead upstream', () => {
  test('takes no other down: the others’ tools are listed and called', async () => {
    const gateway = await start({ servers: { notes: { url: notes.url }, dead } })
    for (const era of eras) {
      expect(namesOf(await rpc(gateway, '/mcp', era, 'tools/list'))).toContain('notes__read')
      const { reply } = await rpc(gateway, '/mcp', era, 'tools/call', { name: 'notes__read', arguments: {} })
      expect(reply.result.content).toEqual([{ type: 'text', text: 'read' }])
    }
    expect(gateway.log.join('')).toContain('failed in upstream "dead"')
  })

  test('fails the list with onFailure "closed", naming it', async () => {
    const gateway = await start({ servers: { notes: { url: notes.url }, dead }, onFailure: 'closed' })
    for (const era of eras) {
      const { reply } = await rpc(gateway, '/mcp', era, 'tools/list')
      expect(reply.error).toMatchObject({ code: -32603, data: { code: 'ERR_MCP_CONNECT', server: 'dead' } })
    }
  })

  test('fails its calls with an error that names it and says that nothing ran', async () => {
    const secret = { headers: { 'x-key': 'hunter2' }, auth: { type: 'bearer', token: 'hunter3' } } as const
    const gateway = await start({ servers: { notes: { url: notes.url }, dead: { ...dead, ...secret } } })
    for (const era of eras) {
      const { reply } = await rpc(gateway, '/mcp', era, 'tools/call', { name: 'dead__read', arguments: {} })
      expect(reply.error).toMatchObject({
        code: -32603,
        data: { code: 'ERR_MCP_CONNECT', server: 'dead', outcome: 'not-run' },
      })
      expect(JSON.stringify(reply)).not.toMatch(/hunter|127\.0\.0\.1/)
    }
    expect(gateway.log.join('')).not.toContain('hunter')
  })

  test('that never answers keeps a list waiting no longer than settleMs', async () => {
    const silent = { url: `${mute.url}/mcp` }
    const gateway = await start({ servers: { notes: { url: notes.url }, silent }, limits: { settleMs: 2_000 } })
    expect(namesOf(await rpc(gateway, '/mcp', 'modern', 'tools/list'))).toContain('notes__read')
    await gateway.stop()

    const closed = await start({ servers: { silent }, limits: { settleMs: 100 }, onFailure: 'closed' })
    const { reply } = await rpc(closed, '/mcp', 'modern', 'tools/list')
    expect(reply.error).toMatchObject({ code: -32603, data: { code: 'ERR_MCP_TIMEOUT', server: 'silent' } })
  })

  test('that wants other credentials is an error of the gateway’s, not of the caller’s', async () => {
    const refusing = await startScriptedServer(
      () => new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
    )
    try {
      const gateway = await start({ servers: { refusing: { url: refusing.url } } })
      const answer = await rpc(gateway, '/mcp', 'modern', 'tools/call', { name: 'refusing__read', arguments: {} })
      expect(answer.status).toBe(200)
      expect(answer.reply.error).toMatchObject({
        code: -32603,
        data: { code: 'ERR_MCP_UNAUTHORIZED', server: 'refusing' },
      })
    } finally {
      await refusing.close()
    }
  })
})

test.each([-32020, -32021, -32022])(
  'an error %i is about the gateway’s own request: no caller may act upon it',
  async (code) => {
    const picky = await startToolServer([{ name: 'read', inputSchema }], () => {
      throw Object.assign(new Error('not like that'), {
        code,
        data: { supported: ['2031-01-01'], requiredCapabilities: {} },
      })
    })
    try {
      const gateway = await start({ servers: { picky: { url: picky.url } } })
      for (const era of eras) {
        const { status, reply } = await rpc(gateway, '/mcp', era, 'tools/call', { name: 'picky__read', arguments: {} })
        expect([status, reply.error]).toMatchObject([
          200,
          { code: -32603, data: { code: 'ERR_MCP_JSONRPC', server: 'picky', outcome: 'not-run' } },
        ])
      }
    } finally {
      await picky.close()
    }
  },
)

describe('limits', () => {
  test('callTimeoutMs ends a call, and says that the tool may have run', async () => {
    const slow = await startToolServer([{ name: 'wait', inputSchema }], () => new Promise(() => {}))
    try {
      const gateway = await start({ servers: { slow: { url: slow.url } }, limits: { callTimeoutMs: 200 } })
      for (const era of eras) {
        const { reply } = await rpc(gateway, '/mcp', era, 'tools/call', { name: 'slow__wait', arguments: {} })
        const data = { code: 'ERR_MCP_TIMEOUT', server: 'slow', outcome: 'unknown' }
        expect(reply.error).toMatchObject({ code: -32603, data })
      }
    } finally {
      await slow.close()
    }
  })

  test('maxRequestBytes is the largest body that is taken', async () => {
    const gateway = await start({ limits: { maxRequestBytes: 1_000 } })
    const body = (length: number) => '{"jsonrpc":"2.0","id":1,"method":"ping"}'.padEnd(length, ' ')
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const send = async (length: number) =>
      (await gateway.fetch('/mcp', { method: 'POST', headers, body: body(length) })).status
    expect([await send(1_000), await send(1_001)]).toEqual([200, 413])
  })

  test('an upstream’s size limit is an error that names it', async () => {
    const servers = { notes: { url: notes.url, maxResponseBytes: 300 } }
    const { reply } = await rpc(await start({ servers }), '/mcp', 'modern', 'tools/call', {
      name: 'notes__read',
      arguments: {},
    })
    expect(reply.error).toMatchObject({
      code: -32603,
      data: { code: 'ERR_MCP_TOO_LARGE', server: 'notes', outcome: 'not-run' },
    })
  })
})

test('a service binding is an upstream', async () => {
  const seen: string[] = []
  const gateway = await start({
    servers: { bound: { url: 'https://bound.internal/mcp' } },
    bound: ['bound'],
    service: async (request) => {
      seen.push(request.url)
      return fetch(notes.url, { method: request.method, headers: request.headers, body: await request.text() })
    },
  })
  const { reply } = await rpc(gateway, '/mcp', 'modern', 'tools/call', { name: 'bound__read', arguments: {} })
  expect(reply.result.content).toEqual([{ type: 'text', text: 'read' }])
  const passed = await rpc(gateway, '/servers/bound/mcp', 'modern', 'tools/call', { name: 'read', arguments: {} })
  expect(passed.reply.result.content).toEqual([{ type: 'text', text: 'read' }])
  expect(new Set(seen)).toEqual(new Set(['https://bound.internal/mcp']))
})
