import { connect, JsonRpcError } from '@x/core'
import { type ContractServer, startContractServer } from '@x/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Era, eras, rpc, rpcRequest, versions } from './support/json-rpc.js'
import { sendAndLeave } from './support/leaving-caller.js'
import { type RunningGateway, startGateway, tokens } from './support/start-gateway.js'

let server: ContractServer
let gateway: RunningGateway

/** Each era of caller with each era of upstream. */
const pairs = eras.flatMap((caller) => eras.map((upstream) => ({ caller, upstream })))

beforeAll(async () => {
  server = await startContractServer()
  gateway = await startGateway({
    compatibilityFlags: ['enable_request_signal'],
    servers: {
      modern: { url: `${server.url}/modern/mcp`, meta: { 'contract/note': 'of the gateway' } },
      legacy: { url: `${server.url}/legacy/mcp` },
    },
  })
})

beforeEach(() => server.control.reset())

afterAll(async () => {
  await gateway?.stop()
  await server?.close()
})

/** What the upstream itself answers. */
async function direct(upstream: Era, method: string, params: Record<string, unknown>) {
  const url = `${server.url}/${upstream}/mcp`
  const client = await connect({ url })
  const session = (await server.control.log()).findLast(({ sessionId }) => sessionId)?.sessionId
  const { headers, ...request } = rpcRequest(upstream, method, params)
  const response = await fetch(url, {
    ...request,
    headers: { ...headers, ...(upstream === 'legacy' && { 'mcp-session-id': session! }) },
  })
  const text = await response.text()
  await client.close()
  await server.control.reset()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result: Record<string, unknown> }
}

const callTool = (caller: Era, name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>) =>
  rpc(gateway, '/mcp', caller, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) })

describe('the gateway as one MCP server', () => {
  test.each(eras)('says to a %s client what it is', async (era) => {
    const client = await connect({
      url: `${gateway.url}/mcp`,
      auth: { type: 'bearer', token: tokens.ada },
      protocolVersion: versions[era],
    })
    expect(client.state.server).toMatchObject({ name: '@x/edge', era, capabilities: { tools: {} } })
    await client.close()
  })

  test.each(eras)('lists the tools of all servers to a %s client', async (era) => {
    const { reply } = await rpc(gateway, '/mcp', era, 'tools/list')
    const names = (reply.result.tools as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['modern__echo', 'legacy__echo', 'modern__filler-10', 'legacy__filler-10']),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(reply.result.nextCursor).toBeUndefined()
  })

  test.each(pairs)(
    'a tool is but its name as the server sent it: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const { reply } = await rpc(gateway, '/mcp', caller, 'tools/list')
      const listed = reply.result.tools as { name: string }[]
      const { tools } = (await direct(upstream, 'tools/list', {})).result as { tools: { name: string }[] }
      expect(tools.length).toBe(10)
      for (const tool of tools) expect(listed).toContainEqual({ ...tool, name: `${upstream}__${tool.name}` })
    },
  )

  test.each(pairs)(
    'calls a tool once, with its arguments: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const { reply } = await callTool(caller, `${upstream}__echo`, { text: 'grüße, 世界' })
      expect(reply.result).toMatchObject({ content: [{ type: 'text', text: 'grüße, 世界' }] })
      expect((await server.control.log()).filter(({ kind }) => kind === 'call')).toEqual([
        { kind: 'call', endpoint: upstream, tool: 'echo' },
      ])
    },
  )

  test.each(pairs)(
    'content comes as the server sent it: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const { reply } = await callTool(caller, `${upstream}__content`)
      expect(reply.result.content).toEqual((await direct(upstream, 'tools/call', { name: 'content' })).result.content)
    },
  )

  test.each(pairs)(
    'so do structured content and failures: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const sum = await callTool(caller, `${upstream}__add`, { a: 2, b: 3 })
      expect(sum.reply.result.structuredContent).toEqual({ sum: 5 })
      const failed = await callTool(caller, `${upstream}__fail`)
      expect(failed.reply.result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'the disk is full' }],
      })
    },
  )

  test.each(pairs)(
    'a JSON-RPC error keeps code, message and data: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const { reply } = await callTool(caller, `${upstream}__rpc-error`)
      expect(reply.error).toEqual({
        code: -32050,
        message: 'the contract refuses',
        data: { hint: 'try another', depth: [1, 2] },
      })
    },
  )

  test.each(pairs)(
    'progress comes in order before the result: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const { notifications, reply } = await callTool(
        caller,
        `${upstream}__progress`,
        { steps: 5 },
        { progressToken: 'p' },
      )
      expect(
        notifications.map(({ method, params }) => [method, params.progressToken, params.progress, params.total]),
      ).toEqual([1, 2, 3, 4, 5].map((step) => ['notifications/progress', 'p', step, 5]))
      expect(reply.result.content).toEqual([{ type: 'text', text: '5 steps' }])
    },
  )

  test.each(eras)('without a progress token there is no progress: %s', async (era) => {
    const { notifications } = await callTool(era, 'modern__progress', { steps: 2 })
    expect(notifications).toEqual([])
  })

  test.each(pairs)(
    'a caller who leaves stops the call, and the server is told in its way: $caller caller, $upstream upstream',
    async ({ caller, upstream }) => {
      const request = rpcRequest(caller, 'tools/call', { name: `${upstream}__hang`, arguments: {} })
      const { leave } = sendAndLeave(gateway, '/mcp', request)
      await server.control.waitFor({ kind: 'call', tool: 'hang' })
      leave()
      await server.control.waitFor({ kind: 'aborted', endpoint: upstream, tool: 'hang' })
      await server.control.waitFor({ kind: 'cut', endpoint: upstream, tool: 'hang' })
      if (upstream === 'legacy') {
        await server.control.waitFor({ kind: 'request', method: 'notifications/cancelled' })
        await server.control.waitFor({ kind: 'request', httpMethod: 'DELETE' })
      }
      expect(gateway.log.join('')).not.toContain('failed in')
    },
  )

  test.each(eras)('what was opened for a request ends with it: %s', async (era) => {
    await callTool(era, 'legacy__echo', { text: '' })
    await rpc(gateway, '/mcp', era, 'tools/list')
    const opened = (await server.control.log()).flatMap(({ method, sessionId }) =>
      method === 'notifications/initialized' ? sessionId! : [],
    )
    expect(opened).toHaveLength(2)
    for (const sessionId of opened) await server.control.waitFor({ kind: 'request', httpMethod: 'DELETE', sessionId })
  })

  test('a call needs its own server only', async () => {
    await callTool('modern', 'modern__echo', { text: '' })
    const reached = (await server.control.log()).filter(({ method }) => method).map(({ endpoint }) => endpoint)
    expect(new Set(reached)).toEqual(new Set(['modern']))
  })

  test.each(eras)('a name that no model provider takes is called by the name in the list: %s', async (era) => {
    const { reply } = await rpc(gateway, '/mcp', era, 'tools/list')
    const tools = reply.result.tools as { name: string; description: string }[]
    const { name } = tools.find((tool) => tool.name.startsWith('legacy__gr'))!
    expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
    expect((await callTool(era, name, { text: 'x' })).reply.result.content).toEqual([
      { type: 'text', text: 'grüße: x' },
    ])
  })

  test.each(eras)('an unknown tool is an error that says that nothing ran: %s', async (era) => {
    for (const name of ['modern__none', 'none', 'none__echo', '__proto__', '']) {
      const { reply } = await callTool(era, name)
      expect(reply.error).toMatchObject({ code: -32602, data: { code: 'ERR_MCP_TOOL_NAME', outcome: 'not-run' } })
    }
    expect((await server.control.log()).filter(({ kind }) => kind === 'call')).toEqual([])
  })

  test.each(eras)('an unknown method, cursor, or call without a name is an error: %s', async (era) => {
    expect((await rpc(gateway, '/mcp', era, 'resources/list')).reply.error?.code).toBe(-32601)
    expect((await rpc(gateway, '/mcp', era, 'tools/list', { cursor: 'x' })).reply.error?.code).toBe(-32602)
    const { headers, ...request } = rpcRequest('legacy', 'tools/call', {})
    const response = await gateway.fetch('/mcp', { ...request, headers })
    expect(await response.text()).toContain('"code":-32602')
    // The end of an earlier test's session or stream may still come in.
    expect((await server.control.log()).filter(({ kind, method }) => kind === 'request' && method)).toEqual([])
  })

  test('_meta goes along, but not what the gateway sets and what belongs to the hop', async () => {
    await callTool('modern', 'modern__echo', { text: '' }, { 'contract/note': 'of the caller' })
    await callTool('modern', 'legacy__echo', { text: '' }, { 'contract/note': 'of the caller' })
    const notes = (await server.control.log())
      .filter(({ method }) => method === 'tools/call')
      .map(({ metaNote }) => metaNote)
    expect(notes).toEqual(['of the gateway', 'of the caller'])
  })

  test('a result’s _meta does not claim to be of the upstream itself', async () => {
    const { reply } = await callTool('modern', 'modern__echo', { text: '' })
    expect(reply.result._meta['io.modelcontextprotocol/serverInfo'].name).toBe('@x/edge')
    expect((await callTool('legacy', 'modern__echo', { text: '' })).reply.result._meta).toBeUndefined()
  })

  test('GET and DELETE have nothing to serve without sessions', async () => {
    for (const method of ['GET', 'DELETE']) expect((await gateway.fetch('/mcp', { method })).status).toBe(405)
  })

  test('a batch of an earlier revision is answered message by message', async () => {
    const messages = ['a', 'b'].map((text) => ({
      ...JSON.parse(rpcRequest('legacy', 'tools/call', { name: 'modern__echo', arguments: { text } }, text).body),
    }))
    const { headers } = rpcRequest('legacy', 'tools/call')
    const response = await gateway.fetch('/mcp', {
      method: 'POST',
      headers: { ...headers, 'mcp-protocol-version': '2025-03-26' },
      body: JSON.stringify(messages),
    })
    const replies = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
    expect(replies.map(({ id, result }) => [id, result.content[0].text]).sort()).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ])
  })

  test.each(eras)('serves the client of this workspace: %s', async (era) => {
    const client = await connect({
      url: `${gateway.url}/mcp`,
      auth: { type: 'bearer', token: tokens.ada },
      protocolVersion: versions[era],
    })
    expect((await client.listTools()).length).toBeGreaterThan(20)
    const { content } = await client.callTool('legacy__content')
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource', 'resource', 'resource_link'])
    await expect(client.callTool('modern__rpc-error')).rejects.toThrow(JsonRpcError)
    await client.close()
  })
})
