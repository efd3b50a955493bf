import { equal, includes, ok, rejection, rejects } from '../expect.js'
import { noteHeader } from '../fixtures.js'
import { calls, clientHead, hasSessions, type Promises, pluck, requests, textOf } from './reading.js'

export const closing = {
  async 'after close() every call is refused: client, handle, set and format'({
    connect,
    connectAll,
    api,
    server,
    control,
    toolName,
  }) {
    const client = await connect()
    await client.close()
    const toolset = await connectAll({ here: server })
    const handle = toolset.tool('here', toolName('echo'))
    const formatted = (await api.toTools(toolset))[handle.name]
    const ofClient = (await api.toTools(await connectAll({ there: client })))[`there__${toolName('echo')}`]
    equal(ofClient, undefined, 'a tool of a closed client')
    await toolset.close()
    const args = { text: 'too late' }
    for (const [who, call] of Object.entries({
      client: () => client.callTool(toolName('echo'), args),
      list: () => client.listTools(),
      handle: () => handle.execute(args),
      toolset: () => toolset.call(handle.name, args),
      format: () => formatted!.execute(args),
    })) {
      const error = await rejects(call(), api.DisconnectedError, who)
      if (who !== 'list') includes(error.data, { outcome: 'not-run' }, `${who}: data`)
    }
    equal(await calls(control, 'echo'), [], 'calls that ran')
  },

  async 'a closed set takes no more servers'({ connectAll, api, server, control }) {
    const toolset = await connectAll({ here: server })
    await toolset.close()
    // A gateway ends the sessions of its own when it has answered.
    const posts = async () => (await requests(control)).filter(({ httpMethod }) => httpMethod === 'POST').length
    const before = await posts()
    const error = await rejects(toolset.add('there', server), api.DisconnectedError, 'add')
    includes(error, { code: 'ERR_MCP_DISCONNECTED', data: { server: 'there' } }, 'error')
    equal([toolset.tools, toolset.servers], [[], {}], 'tools and servers')
    equal(await posts(), before, 'requests')
  },

  async 'close() rejects what is pending, ends the session and can be repeated'(context) {
    const { connect, control, api, path, toolName } = context
    const client = await connect()
    const pending = client.callTool(toolName('hang'))
    await control.waitFor({ kind: 'call', tool: 'hang' })
    const rejected = rejection(pending, 'the pending call')
    await Promise.all([client.close(), client.close()])
    await client.close()
    const error = await rejected
    ok(api.McpError.is(error), `it is no McpError: ${error}`)
    includes(error.data, { tool: toolName('hang'), outcome: 'unknown' }, 'data')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    equal(client.state.status, 'closed', 'status')
    // The gateway's own, of which the client knows nothing.
    if (path === 'gateway' && hasSessions(context)) await control.waitFor({ kind: 'request', httpMethod: 'DELETE' })
    const deletes = (await requests(control)).filter(({ httpMethod }) => httpMethod === 'DELETE')
    const sessions = new Set(pluck(await requests(control, 'tools/call'), 'sessionId'))
    equal(pluck(deletes, 'sessionId'), hasSessions(context) ? [...sessions] : [], 'sessions deleted')
  },

  async 'connections of one host run at the same time and end one by one'(context) {
    const { connect, control, api, toolName } = context
    const [one, two] = await Promise.all([connect(), connect({ headers: { [noteHeader]: 'two' } })])
    const meet = [toolName('meet'), { parties: 2 }] as const
    const met = await Promise.all([one.callTool(...meet), two.callTool(...meet)])
    equal(met.map(textOf), ['met 2', 'met 2'], 'two calls that can only end together')
    const seen = await requests(control, 'tools/call')
    equal(seen.map((entry) => clientHead(entry).headerNote ?? '').sort(), ['', 'two'], 'each with its own headers')
    equal(new Set(pluck(seen, 'sessionId')).size, hasSessions(context) ? 2 : 1, 'sessions')
    await one.close()
    const rest = await two.callTool(toolName('echo'), { text: 'still here' })
    equal(textOf(rest), 'still here', 'the other connection')
    await rejects(one.callTool(toolName('echo'), { text: 'gone' }), api.DisconnectedError, 'the closed one')
  },

  async 'a host that is closed closes its connections, and no other host’s'({
    connect,
    createHost,
    api,
    server,
    toolName,
  }) {
    const stays = await connect()
    const host = createHost()
    const goes = await host.connect(server)
    await goes.callTool(toolName('echo'), { text: 'here' })
    await host.close()
    equal(goes.state.status, 'closed', 'status')
    await rejects(goes.callTool(toolName('echo'), { text: 'gone' }), api.DisconnectedError, 'a call')
    equal(textOf(await stays.callTool(toolName('echo'), { text: 'here' })), 'here', 'the other host')
  },
} satisfies Promises
