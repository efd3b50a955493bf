import type { ConnectionState, WireEvent } from '@x/core'
import { equal, includes, ok, rejection, rejects } from '../expect.js'
import { credentials, instructions, noteHeader, serverName, serverVersion } from '../fixtures.js'
import { clientHead, hasSessions, type Promises, pluck, requests, textOf } from './reading.js'

export const connecting = {
  async 'connect settles the era and says what the server is'({ connect, era, path, toolName }) {
    const client = await connect()
    const protocolVersion = era === 'modern' ? '2026-07-28' : '2025-11-25'
    const server = { era, protocolVersion, transport: path === 'stdio' ? 'stdio' : 'streamable-http' }
    // A gateway is a server itself, and one of tools alone.
    const identity =
      path === 'gateway' ? { name: '@x/edge' } : { name: serverName, version: serverVersion, instructions }
    const capabilities = path === 'gateway' ? { tools: {} } : { tools: {}, resources: {}, prompts: {} }
    includes(client.state, { status: 'ready', server: { ...server, ...identity } }, 'state')
    includes(client.state.server?.capabilities, capabilities, 'capabilities')
    await client.callTool(toolName('echo'), { text: '' })
  },

  async 'tools are listed in the fewest requests, and in fewer where the server is known'({ connect, control, era }) {
    const listed: (string | undefined)[][] = []
    for (let time = 0; time < 2; time++) {
      const before = (await requests(control)).length
      const client = await connect()
      await client.listTools()
      const methods = pluck((await requests(control)).slice(before), 'method')
      // Every page is a request.
      listed.push(methods.filter((method, index) => method !== methods[index - 1]))
      await client.close()
    }
    const handshake = era === 'modern' ? [] : ['initialize', 'notifications/initialized']
    const known = [...handshake, 'tools/list']
    equal(listed[0], ['server/discover', ...known], 'the first time')
    equal(
      listed[1]?.filter((method) => method !== undefined),
      known,
      'the second time',
    )
  },

  async 'a server that is not there is a ConnectError with every attempt'({
    connect,
    connectAll,
    api,
    deadUrl,
    toolName,
  }) {
    const tried = {
      auto: ['modern', 'legacy'],
      '2026-07-28': ['modern'],
      '2025-11-25': ['legacy'],
    } as const
    for (const protocolVersion of ['auto', '2026-07-28', '2025-11-25'] as const) {
      const error = await rejects(connect({ url: deadUrl, protocolVersion }), api.ConnectError, protocolVersion)
      includes(error, { code: 'ERR_MCP_CONNECT', data: { server: deadUrl } }, `${protocolVersion}: error`)
      const attempts = tried[protocolVersion].map((era) => ({ transport: 'streamable-http', era }))
      includes(error.data.attempts, attempts, `${protocolVersion}: attempts`)
      for (const { reason, status } of error.data.attempts ?? [])
        ok(reason && status === undefined, `${protocolVersion}: an attempt without a reason, or with a status`)
      ok(error.cause instanceof Error, `${protocolVersion}: its cause is lost: ${error.cause}`)
    }
    const { servers } = await connectAll({ dead: deadUrl })
    includes(servers.dead?.state.error?.data?.attempts, [{ era: 'modern' }, { era: 'legacy' }], 'attempts in a set')
    equal(textOf(await (await connect()).callTool(toolName('echo'), { text: 'alive' })), 'alive', 'another server')
  },

  async 'connect’s signal stops connecting, and later the connection'(context) {
    const { connect, control, api, toolName } = context
    const reason = { why: 'changed my mind' }
    const stopped = await rejection(connect({}, { signal: AbortSignal.abort(reason) }), 'connect')
    ok(stopped === reason, 'rejected with something else than the signal’s reason')
    const abort = new AbortController()
    const client = await connect({}, { signal: abort.signal })
    const call = rejection(client.callTool(toolName('hang')), 'the pending call')
    await control.waitFor({ kind: 'call', tool: 'hang' })
    abort.abort(reason)
    await call
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    if (hasSessions(context)) await control.waitFor({ kind: 'request', httpMethod: 'DELETE' })
    equal(client.state.status, 'closed', 'status')
    await rejects(client.callTool(toolName('echo'), { text: '' }), api.DisconnectedError, 'a later call')
  },

  async 'the state is replaced at each change, and told'({ connect, toolName }) {
    const hooked: ConnectionState['status'][] = []
    const client = await connect({}, { onEvent: (event) => event.type === 'state' && hooked.push(event.state.status) })
    await client.callTool(toolName('echo'), { text: '' })
    const before = client.state
    const heard: ConnectionState[] = []
    const closed = new Promise<void>((resolve) => {
      client.listen({ state: true }, (event) => {
        if (event.type !== 'state') return
        heard.push(event.state)
        if (event.state.status === 'closed') resolve()
      })
    })
    const unsubscribed: string[] = []
    client.listen({ state: true }, ({ type }) => unsubscribed.push(type))()
    await client.close()
    await closed
    equal([before.status, client.state.status], ['ready', 'closed'], 'before and after')
    equal(pluck(heard, 'status'), ['closed'], 'events')
    ok(before.server, 'the server of an open connection')
    equal(client.state.server, before.server, 'the server of a closed connection')
    equal(hooked, ['ready', 'closed'], 'events of the onEvent hook')
    equal(unsubscribed, [], 'events after unsubscribing')
  },

  async 'wire events tell of each exchange, without credentials'({ connect, toolName }) {
    const client = await connect({ auth: { type: 'bearer', token: credentials.bearer } })
    // Whatever a call has to know of its tool is known by then.
    await client.listTools()
    const seen: WireEvent[] = []
    const ended = new Promise<void>((resolve) => {
      client.listen({ wire: 'headers' }, (event) => {
        if (event.type !== 'wire') return
        seen.push(event)
        if (event.phase === 'end') resolve()
      })
    })
    await client.callTool(toolName('echo'), { text: 'unseen' })
    await ended
    const [request, response] = ['request', 'response'].map((wanted) => seen.find(({ phase }) => phase === wanted))
    includes(request, { httpMethod: 'POST', method: 'tools/call' }, 'request')
    includes(response, { status: 200, exchange: request?.exchange }, 'response')
    const all = JSON.stringify(seen)
    ok(!all.includes(credentials.bearer) && !all.includes('unseen'), `more than heads: ${all}`)
  },

  async 'a framework’s proxy around configuration and arguments is plain data'({ connect, control, toolName }) {
    const reactive = <Value extends object>(value: Value) => new Proxy(value, {})
    const client = await connect({ headers: reactive({ [noteHeader]: 'reactive' }) })
    const result = await client.callTool(toolName('echo'), reactive({ text: 'proxied' }))
    equal(textOf(result), 'proxied', 'result')
    const [call] = await requests(control, 'tools/call')
    equal(call && clientHead(call).headerNote, 'reactive', 'header')
  },
} satisfies Promises
